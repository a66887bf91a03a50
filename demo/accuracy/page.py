"""The page ``accuracy``: what was varied, how often each rule is right, and what that does not show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from demo.accuracy.bases import GENERATIONS, JITTERS, STEPS
from demo.accuracy.causes import BY_NAME, CAUSES, NOT_SIMULATED, SHARES
from demo.accuracy.controls import HARMLESS
from demo.accuracy.incomplete import Outcome, section
from demo.accuracy.measure import Fired, Measured
from demo.accuracy.pairs import Pair, table
from demo.accuracy.score import (
    CLEAR_RATIO,
    EQUAL_RATIO,
    Score,
    Share,
    fires,
    first_share,
    justified,
    precision,
    prediction_errors,
    quantile,
    ranks_first,
    rows,
    savings_error,
    score,
    strongest,
    trials,
    warned,
)
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.engine.severity import SEVERITIES
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.judging.rules import RULES

PROMISED_RATIO = 0.05
REAL = Path(__file__).with_name("real.md")
"""The section on real captures: written by hand, since their events were read by eye."""
GENERATION_WORDS = {
    "old": "of TensorFlow up to 2.15",
    "keras3": "of Keras 3",
    "trace": "of a custom loop with Trace blocks",
}


def page(
    runs: Sequence[Measured], draw: int, pairs: Sequence[Pair] = (), outcomes: Sequence[Outcome] = ()
) -> str:
    """The page as Markdown. ``runs``: the measured corpus, or a part of it; ``draw``: which one; ``pairs``: of
    the scenarios; ``outcomes``: of incomplete recordings."""
    blocks = [
        "# How often the rules are right",
        "Two answers, apart: on real captures, whose events were read, and on simulated runs, whose causes are known. "
        "[All rules](../judging/rules/README.md)",
        REAL.read_text(encoding="utf-8").strip(),
        "## Simulated runs",
        "`python -m demo.accuracy` simulates trainings whose causes of lost time are known, writes their "
        "profiles, and holds each report against what was put in. All numbers below are of such runs.",
        *_overall(runs),
        *_promises(pairs),
        *([section(outcomes)] if outcomes else []),
        "## What if",
        *_predictions(runs),
        "## Rule by rule",
        _table([(rule, score(rule.id, runs)) for rule in RULES]),
        *_not_simulated(),
        "## What the columns mean",
        _list(_definitions()),
        "## What was varied",
        _list(_varied(runs)),
        "## Where the rules were wrong",
        *_wrong(runs),
        "## What this does not show",
        _list(_limits(draw)),
    ]
    return "\n\n".join(blocks) + "\n"


def _overall(runs: Sequence[Measured]) -> Iterator[str]:
    singles = [r for r in runs if len(r.case.causes) == 1]
    pairs = [r for r in runs if len(r.case.causes) == 2]
    healthy = [r for r in runs if not r.case.causes]
    warnings = warned(runs)
    rights = (
        (
            "runs",
            f"{len(runs)}: {len(singles)} with one cause, {len(pairs)} with two, {len(healthy)} healthy",
        ),
        ("precision over all rules", _share(precision(runs))),
        ("strongest cause ranks first", _share(first_share(runs))),
        ("… with two causes", _share(first_share(pairs))),
        ("healthy runs with a warning", f"{len({run.case for run, _ in warnings})} of {len(healthy)}"),
        ("savings error, one cause", _errors(_savings(singles))),
        ("savings error, two causes", _errors(_savings(pairs))),
        ("… one cause, promised within 5 % of the step", _share(_within(_savings(singles)))),
        ("… one cause, promised at most 5 % of the step too much", _share(_not_above(_savings(singles)))),
    )
    yield "\n".join(("| over all runs | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rights)))


def _promises(pairs: Sequence[Pair]) -> Iterator[str]:
    """What findings promise on the demo's scenarios, beside what removing the cause brings."""
    if pairs:
        yield "## Promises on pairs"
        yield (
            "Each scenario of the demo is simulated with its cause and without it. Promised: what the cause's "
            "finding says a step gets shorter; gained: the reported step less the simulated one without the "
            "cause. Both as shares of the reported step."
        )
        yield table(pairs)


def _predictions(runs: Sequence[Measured]) -> Iterator[str]:
    """How far projections are off."""
    kinds = (
        ("the only cause", trials(runs, causes=1, together=True)),
        ("one of two causes", trials(runs, causes=2, together=False)),
        ("both causes together", trials(runs, causes=2, together=True)),
    )
    lines = [
        "| findings removed of | predictions | error: median (5th to 95th percentile) | mean size |",
        "|---|---:|---|---:|",
    ]
    for name, found in kinds:
        errors = prediction_errors(found)
        lines.append(f"| {name} | {len(found)} | {_errors(errors)} | {_size(errors)} |")
    yield (
        "The tab, the route `predict` and `tfperf report --without` predict the step without chosen findings. Here "
        "all findings of a cause, or of both, are chosen, and the run is simulated again without them. Error: the "
        "predicted less the simulated step, as a share of the recorded one; minus: the step stays longer than "
        "predicted. Causes that no finding tells of are not in here. The prediction is the step less what the "
        "findings save, but no shorter than the input pipeline needs for a batch. A replay of the recorded step was "
        "no closer on these runs (mean sizes 1.9 %, 3.3 % and 2.8 %). On 60 runs with three causes its mean size is "
        "3.4 %, 3.1 % and 2.8 % with one, two and all of them removed, that of the prediction 3.7 %, 3.3 % and 2.6 %."
    )
    yield "\n".join(lines)


def _size(errors: Sequence[float]) -> str:
    return f"{100 * sum(map(abs, errors)) / len(errors):.1f} %" if errors else "–"


def _table(scores: Sequence[tuple[Rule, Score]]) -> str:
    head = "| rule | runs | precision | recall | first | savings error: median (5th to 95th percentile) |"
    lines = [head, "|---|---:|---|---|---|---|"]
    for rule, row in scores:
        page = f"../judging/rules/{rule.group}/{rule.id.replace('-', '_')}.md"
        lines.append(
            f"| [{row.rule}]({page}) | {row.runs} | {_share(row.precision)} | {_share(row.recall)} | "
            f"{_share(row.first)} | {_errors(row.errors)} |"
        )
    return "\n".join(lines)


def _share(share: Share) -> str:
    return f"{percent(share.ratio)} ({share.hits}/{share.count})" if share.count else "–"


def _errors(errors: Sequence[float]) -> str:
    if not errors:
        return "–"
    low, middle, high = (100 * quantile(sorted(errors), share) for share in (0.05, 0.5, 0.95))
    return f"{middle:+.1f} % ({low:+.1f} to {high:+.1f} %)"


def _savings(runs: Sequence[Measured]) -> list[float]:
    found = [savings_error(run, BY_NAME[name]) for run in runs for name, _ in run.case.causes]
    return [error for error in found if error is not None]


def _within(errors: Sequence[float]) -> Share:
    return Share(sum(abs(error) <= PROMISED_RATIO for error in errors), len(errors))


def _not_above(errors: Sequence[float]) -> Share:
    return Share(sum(error <= PROMISED_RATIO for error in errors), len(errors))


def _not_simulated() -> Iterator[str]:
    if NOT_SIMULATED:
        yield "Not simulated: " + "; ".join(f"{rule}, because {why}" for rule, why in NOT_SIMULATED.items())


def _definitions() -> tuple[str, ...]:
    warning = percent(SEVERITIES["warning"].default)
    return (
        "A rule *fires* in a run if it is a finding of its own, a warning or worse. Rules whose findings are "
        "notes by design (info) fire in the runs of their own causes whatever the severity, and elsewhere from "
        "a warning on.",
        "**Runs**: those that hold a cause of the rule, alone or with another one.",
        "**Precision**: of the runs in which the rule fires, those that hold a cause of it, or one of which what "
        "the rule says is a true symptom. That fewer than three steps were recorded is also true of any short "
        "capture.",
        f"**Recall**: of the runs in which a cause of the rule costs at least {percent(CLEAR_RATIO)} of the "
        f"step, half as much again as the {warning} of a warning, those in which the rule fires or is shown "
        "below another finding that explains it.",
        "**First**: of the runs whose strongest cause is one of the rule's, those in which the rule comes first. "
        "How strong a cause is, is measured: the step simulated with all causes, less the step without this one. "
        f"Two causes that differ by less than {percent(EQUAL_RATIO)} of the step count as equally strong. Notes "
        "on the capture have a list of their own. GPUs left out count by their share of all visible ones.",
        "**Savings error**: what the finding promises less what the simulated step gains without the cause, as a "
        "share of the step, in runs with this cause only. Negative: it promises less than comes true.",
    )


def _varied(runs: Sequence[Measured]) -> tuple[str, ...]:
    devices = sorted({run.case.setting.device.name for run in runs})
    layouts = sorted({run.case.setting.layout[::-1] for run in runs})
    generations = (f"{name} ({GENERATION_WORDS[name]})" for name in GENERATIONS)
    shares = ", ".join(percent(share) for share in SHARES)
    return (
        f"{len(CAUSES)} causes: {', '.join(cause.name for cause in CAUSES)}. Each aims at {shares} of the step: "
        "just clear of a warning, clear, strong.",
        f"GPUs: {', '.join(devices)}; {', '.join(f'{hosts} × {gpus}' for hosts, gpus in layouts)} (hosts × GPUs).",
        f"Steps in the capture: {', '.join(map(str, STEPS))}; jitter of each kernel and call: "
        f"{', '.join(percent(jitter) for jitter in JITTERS)}.",
        f"Events as {', '.join(generations)}; models: a convolutional network and a transformer.",
        "Each cause meets each of these values about equally often; that is a covering design, not all "
        "combinations. Two causes are combined where both can be in one training.",
        f"Healthy runs, some with a pattern that costs nothing: {', '.join(HARMLESS)}.",
        "For the rules on the speed of AllReduce, parameters and bandwidth are stated, as a user can.",
    )


def _wrong(runs: Sequence[Measured]) -> Iterator[str]:
    lines = []
    for run in runs:
        false = [f for f in rows(run) if not f.under and fires(run, f.rule) and not justified(run, f.rule)]
        behind = strongest(run) if not ranks_first(run, strongest(run)) else ()
        if false or behind:
            said = [f"false: {_finding(run, f)}" for f in false]
            if behind:
                said.append(f"{behind[0].rule} should come first; said: {_said(run)}")
            lines.append(f"- {run.case.name}. {'; '.join(said)}.")
    yield "\n".join(lines) if lines else "Nowhere."


def _said(run: Measured) -> str:
    return ", ".join(_finding(run, f) for f in rows(run)[:3] if not f.under) or "nothing"


def _finding(run: Measured, found: Fired) -> str:
    saved = f" {percent(found.saving_ns / run.step_ns)}" if found.saving_ns else ""
    return f"{found.rule} ({found.severity}{saved})"


def _limits(draw: int) -> tuple[str, ...]:
    return (
        f"Rules, ledger and some of the cases were changed after their results on earlier draws had been seen. Here is "
        f"draw {draw} (`--draw`): other combinations and other chance, but the same causes, simulator and thresholds of "
        "what counts. It is a check against chance, not against what nobody thought of.",
        *_LEFT_OUT,
        *_LIMITS,
    )


# What was taken out of the cases after it had been seen to go wrong, or was changed.
_LEFT_OUT = (
    "Left out, because nothing else can be judged there: a second cause in a capture of two or three steps.",
    "Left out, because the exchange of gradients is exposed there without any cause: kernels of 20 microseconds on "
    "several GPUs, and steps of 35 ms with a sharded optimizer over PCI Express (healthy ones are three times as "
    "long).",
    "Made stronger, because it was below the rule's own threshold: the Python tracer. Made weaker, because the "
    "simulator cannot do more: extra work of one GPU.",
    "Chosen after results had been seen, too: that fewer than three steps is true of any short capture; "
    "that parameters and bandwidth are stated for the rules on the speed of AllReduce; that healthy work "
    "lasts at least five times as long as its AllReduce; stages on the convolutional network only; two "
    "rules on the capture rated as notes; few cores only in captures of 16 steps or more.",
    "Chosen after results of draw 7 had been seen: that waiting in collectives is a true symptom of hundreds of "
    "small calls, of gradients summed at the end and of one GPU that is fed late.",
    "Left out before the results were seen: pairs of causes whose training does not fit into the GPU's "
    "memory.",
    "Once published, a draw counts as seen: the share of runs in which the strongest cause comes first is "
    "within chance of the 95 % that the tests hold, and below it where two causes meet.",
)
_LIMITS = (
    "The trainings are simulated: queues, launches, arrivals and copies follow the physics of a GPU, and the "
    "profiles are written as TensorFlow's profiler writes them, but real jobs have causes that nobody thought of. "
    "A rule that is right here can be wrong there; one that is wrong here is wrong.",
    "The same people wrote simulator and rules. Names of kernels and events come from real profiles and public "
    "sources; costs of launches, copies and links from data sheets and published measurements.",
    "Real recordings stand behind reading, steps and the ledger, not behind these shares: two of eight GPUs of a "
    "TensorFlow job on several workers (a part of one step), ten steps of TensorFlow on a CPU, and eight GPUs "
    "(MI300X) under JAX. Nobody knows the true causes in them, so no precision can be counted on them.",
    "Known to go unseen: hosts with several GPUs of which one is recorded and whose calls do not state the "
    "participants.",
    "Simulated transformers compute attention op by op, so attention-unfused is true of each of them, and stands in "
    "nobody's way unless it is the cause of the run.",
    "Shares of few runs are rough: one miss in ten is 10 %.",
)


def _list(items: Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
