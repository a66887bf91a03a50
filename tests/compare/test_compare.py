"""The rules of a comparison, on reports that are made up."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.compare import build
from tfperf_plugin.compare.model import Comparison
from tfperf_plugin.compare.render import to_markdown, to_text
from tfperf_plugin.compare.steps import (
    DRIFT_RATIO,
    ONE_LAUNCH,
    noise_ns,
    parse_drift,
    sample,
    without_outliers,
)
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.judging.verdicts import Finding, Row, Saving
from tfperf_plugin.report import model
from tfperf_plugin.report.serialize import json_schema, to_json

HOSTILE = "<img src=x onerror=alert(1)> | **b** \x1b[31m ‮"
FINDING = make_report().findings[0]
LAUNCHES = "by which launches of one training are taken to differ"
MORE = "To show a smaller difference, profile several launches a side."


def run(
    lengths_ms: Sequence[float] = (20.0,) * 10, compute: float = 0.6, name: str = "run", gpus: int = 1
) -> model.Report:
    """A report on steps of these lengths, one GPU's share of compute in each, the rest waiting for input."""
    lengths = [round(x * 1e6) for x in lengths_ms]
    mean = sum(lengths) // len(lengths)
    parts = round(compute * mean), mean - round(compute * mean)
    accounts = tuple(
        model.Account(a, ns, ns / mean) for a, ns in zip(("compute", "idle.input"), parts, strict=True)
    )
    begin = [sum(lengths[:i]) for i in range(len(lengths))]
    return replace(
        make_report(name),
        devices=tuple(model.Device("host", f"GPU:{i}", "A100", None, 0.6, True) for i in range(gpus)),
        steps=model.Steps(
            len(lengths), "markers", mean, sorted(lengths)[len(lengths) // 2], max(lengths), max(lengths),
            tuple(
                model.StepItem(i, "host", b / 1e6, (b + n) / 1e6, True, "", ())
                for i, (b, n) in enumerate(zip(begin, lengths, strict=True))
            ),
            len(lengths), 100,
        ),
        ledger=model.Ledger(mean, accounts, accounts[:1], (), 0, 0, 0),
        findings=(),
        workload=model.Workload(model.Layers({"Conv2D": 50, "MatMul": 2}, 1.0), batch_size=64),
    )  # fmt: skip


def compare(base: model.Report, new: model.Report, drift: float = DRIFT_RATIO) -> Comparison:
    """The comparison with a drift that is stated."""
    return build.compare(base, new, drift)


def found(of: model.Report, *findings: Finding) -> model.Report:
    return replace(of, findings=findings)


def finding(rule: str, ns: int) -> Finding:
    return replace(
        FINDING, id=rule, title=rule, saving=Saving(ns, 0.1, "", accounts={"idle.input": ns}), explains=()
    )


def around(mean: float, spread: float, seed: int, count: int = 10) -> list[float]:
    draw = random.Random(seed)
    return [mean * (1 + spread * draw.gauss(0, 1)) for _ in range(count)]


def workload(of: model.Report, **change: object) -> model.Report:
    return replace(of, workload=replace(of.workload, **change))


def named(name: str) -> model.Report:
    return replace(run(), devices=(replace(run().devices[0], name=name),))


# ------------------------------------------------------------------------------------ verdicts


@pytest.mark.parametrize("spread", [0.005, 0.02, 0.1])
@pytest.mark.parametrize("count", [4, 10, 40])
def test_noise_is_never_a_difference_and_what_is_larger_is_told(spread: float, count: int) -> None:
    pairs = [[run(around(20, spread, 2 * seed + n, count)) for n in (0, 1)] for seed in range(60)]
    assert {compare(base, new).verdict for base, new in pairs} == {"same"}

    told = [
        compare(run(around(20, 0.02, seed)), run(around(18, 0.02, seed + 99))).verdict for seed in range(50)
    ]
    assert set(told) <= {"better", "same"}
    assert told.count("better") >= 45


WIDE = [14.0, 26.0] * 5
TWICE = workload(run([39.2] * 10), batch_size=128)


@pytest.mark.parametrize(
    ("before", "after", "drift", "verdict", "reason"),
    [
        (run(), run([20.1] * 10), "0.1%", "same",
         "Differences up to 0.20 ms (1.0 %) are no difference here, by how much the steps of each run differ "
         f"by themselves: more than the 0.1 % {LAUNCHES}."),
        (run(), run([19.0] * 10), "1%", "better", f"The difference is larger than the 1 % {LAUNCHES}."),
        (run(), run([19.58] * 10), "3%", "same",
         f"The step takes 2.1 % less time: within the 3 % {LAUNCHES}. {MORE}"),
        (run(), run([19.4] * 10), "3%", "same", "The step takes 3.0 % less time: within the 3 %"),
        (run(), run(), "3%", "same",
         "Differences up to 0.60 ms (3.0 %) are no difference here: they are within the 3 % "
         f"{LAUNCHES}. {MORE}"),
        (run(), run([19.38] * 10), "3%", "better", f"The difference is larger than the 3 % {LAUNCHES}."),
        (run(), run([20.62] * 10), "3%", "worse", f"The difference is larger than the 3 % {LAUNCHES}."),
        (run(), run([20.62] * 10), "5%", "same", "The step takes 3.1 % more time: within the 5 %"),
        (run(), run([19.58] * 10), "0.02", "better", "The difference is larger than the 2 %"),
        # The same work in other batches.
        (run(), TWICE, "3%", "same", "The same work takes 2.0 % less time: within the 3 %"),
        (run(), TWICE, "1%", "better", "The difference is larger than the 1 %"),
        # A drift does not make up for steps that differ more.
        (run(WIDE), run([x * 1.04 for x in WIDE]), "3%", "same", "Differences up to 11.8 ms (59 %)"),
        # Few long steps do not hide that all others are faster, and may be gone by chance.
        (run([20.0, 20.1] * 9 + [200, 20.0]), run([15.0, 15.1] * 9 + [15.0, 190]), "3%", "better",
         "Without the few steps that are much longer"),
        (run([20.0] * 19 + [200]), run(), "3%", "same", "Differences up to "),
    ],
)  # fmt: skip
def test_a_difference_counts_beyond_drift_and_noise(
    before: model.Report, after: model.Report, drift: str, verdict: str, reason: str
) -> None:
    stated = parse_drift(drift)
    assert stated

    result = compare(before, after, stated)

    assert result.verdict == verdict
    assert result.reasons[0].startswith(reason)
    assert result.times
    assert (result.drift_ratio, result.times.drift_ns) == (stated, round(stated * result.times.base_ns))
    assert reason in to_text(result, color=False)


def test_a_difference_that_outliers_hide_is_not_denied() -> None:
    result = compare(run([20.0] * 19 + [200]), run([20.0] * 20))

    assert result.sentence.startswith("No difference can be told")
    assert "1 of 20 steps are much longer than the others before, 0 of 20 now" in result.reasons[0]
    assert compare(run(), run()).sentence.startswith("Neither better nor worse")
    assert without_outliers([20, 21, 20, 22, 80]) == (20, 21, 20, 22)
    assert without_outliers([20, 21, 20, 22, 29]) == (20, 21, 20, 22, 29)


@pytest.mark.parametrize("text", ["5", "0", "-1%", "150 %", "much", "3 ms"])
def test_what_is_no_drift_is_refused(text: str) -> None:
    with pytest.raises(BadOptionError, match="drift between launches"):
        parse_drift(text)


def test_steps_that_drift_count_for_fewer() -> None:
    steady, drifting, shuffled = (
        sample([x * 1e6 for x in xs])
        for xs in ([20, 21] * 5, range(15, 25), (15, 24, 16, 23, 17, 22, 18, 21, 19, 20))
    )

    assert drifting.variance > 2 * shuffled.variance
    assert drifting.freedom < shuffled.freedom
    assert noise_ns(steady, drifting) > noise_ns(steady, shuffled)


@pytest.mark.parametrize("new", [[20.0] * 10, [15.0] * 10, [30.0] * 10])
def test_one_launch_a_side_proves_nothing_unless_the_user_states_a_drift(new: list[float]) -> None:
    before, after = found(run(), finding("gone", 5_000_000)), run(new)

    result, stated = build.compare(before, after), compare(before, after)

    assert result.verdict == "unproven"
    assert result.sentence.startswith("Unproven: a step takes ")
    assert result.reasons[0] == ONE_LAUNCH
    assert (result.drift_stated, stated.drift_stated) == (False, True)
    # What was measured is shown all the same, and what was predicted beside it.
    for name in ("times", "accounts", "changed", "findings"):
        assert getattr(result, name) == getattr(stated, name)
    assert result.prediction and stated.prediction
    assert (result.prediction.promised_ns, stated.prediction.promised_ns) == (5_000_000, 5_000_000)
    foretold = f"Predicted with gone fixed: 15.0 ms (likely {ms(result.prediction.low_ns)[:4]}"
    assert result.prediction.sentence.startswith(foretold)
    within = result.prediction.low_ns <= round(new[0] * 1e6) <= result.prediction.high_ns
    assert result.prediction.sentence.endswith("That is within the range.") == within == (new[0] == 15.0)


def test_a_comparison_begins_with_what_changed() -> None:
    result = build.compare(run(compute=0.6), run([16.0] * 10, compute=0.8))

    assert result.changed == "Input wait fell from 8.0 ms to 3.2 ms; Compute rose from 12.0 ms to 12.8 ms."
    lines = to_text(result, color=False).splitlines()
    assert lines[1].strip() == result.changed
    assert build.compare(run(), run([20.01] * 10)).changed == ""


# ---------------------------------------------------------------------------- what is the same


ITEM = replace(run().steps.items[0], note="partial: its end was not recorded")
PARTIAL = replace(run(), steps=replace(run().steps, items=(ITEM,), count=1))
WHOLE = replace(PARTIAL, steps=replace(PARTIAL.steps, source="recording"))
NONE = replace(run(), ledger=None, steps=model.Steps(0, "none", 0, 0, 0, 0, (), 0, 100))
KNOWN = workload(run(), parameters=1000)
BYTES = workload(run(), batch_size=None, pipeline_batch_bytes=4_000_000)
MORE_WORK = workload(run([15.0] * 10, compute=0.4), batch_size=None, pipeline_batch_bytes=1_000_000)
ONE, TEN = workload(run(), steps_per_call=1), workload(run([180.0] * 10), steps_per_call=10)
NO_GPU = replace(run(), ledger=None, devices=())


def reduced(size: int) -> model.Report:
    """A run whose GPUs reduce gradients of this many bytes, and whose parameters are not known."""
    fields: Any = dict.fromkeys(model.AllReduce.__struct_fields__)
    return replace(run(), allreduce=model.AllReduce(**{**fields, "bytes_per_step": size}))


def capable(capability: str | None) -> model.Report:
    """A run on a GPU whose compute capability may have been recorded, but not its name."""
    return replace(
        run(), devices=tuple(replace(d, name="", compute_capability=capability) for d in run().devices)
    )


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (KNOWN, workload(KNOWN, layers=model.Layers({"Conv2D": 101, "MatMul": 2}, 1.0)),
         "Another model: layers differ (50 Conv2D before, 101 now)."),
        (KNOWN, workload(KNOWN, parameters=3000), "Another model: 1,000 parameters before, 3,000 now."),
        (reduced(10**8), reduced(3 * 10**8), "Another model: 100 MB of gradients are reduced per step"),
        (run(), PARTIAL, "lacks the time after its step"),
        (run(), WHOLE, "counts as one step"),
        (NONE, run(), "no complete step"),
        (run(), NO_GPU, "shows no step on a GPU"),
        (run([20.0]), run(), "record ten (base run)"),
        (run([20.0, 20.1]), run(), "record ten (base run)"),
        (run(), workload(run([5.0] * 10), batch_size=None),
         "Only the training of the base run recorded its batch: 64 examples. A training under tfperf record"),
        (workload(NO_GPU, batch_size=None), NO_GPU, "Only the training of the new run recorded its batch"),
        (BYTES, MORE_WORK, "whether it holds another number of examples is not recorded"),
        (workload(ONE, batch_size=None), workload(TEN, batch_size=None), "step holds 1 training step before"),
        (named("Tesla P4"), named("Tesla T4 (inferred)"), "GPUs: Tesla P4 before, Tesla T4 (inferred) now"),
        (named("Tesla P4"), named("H100 or H800 (inferred)"), "GPUs: Tesla P4 before, H100 or H800 (inf"),
        (capable("7.0"), capable("9.0"), "Other GPUs: compute capability 7.0 before, 9.0 now."),
        (workload(run(), framework="PyTorch"), workload(run(), framework="JAX"),
         "Another framework: PyTorch before, JAX now."),
    ],
)  # fmt: skip
def test_obstacles(before: model.Report, after: model.Report, reason: str) -> None:
    result = compare(before, after)

    assert (result.verdict, result.times) == ("cannot_compare", None)
    assert any(reason in each for each in result.reasons), result.reasons


@pytest.mark.parametrize(
    ("before", "after", "caveat"),
    [
        (run(), workload(run(), layers=model.Layers({"Conv2D": 49, "MatMul": 2}, 1.0)),
         "The model is not quite the same: 50 Conv2D before, 49 now."),
        (KNOWN, workload(KNOWN, parameters=1010), "1,000 parameters before, 1,010 now."),
        (reduced(10**8), reduced(2 * 10**8), "another number format of gradients, or another model."),
        (reduced(10**8), reduced(10**8 + 4_000_000), ""),
        (run(), workload(run(), layers=model.Layers({"Conv2D": 4}, 0.5)), "not all have names: XLA, or"),
        (run(), workload(run(), layers=None), "names of layers are missing in the new run's profile"),
        (run(), workload(run(), batch_size=None), "The batch size is not recorded; it is taken"),
        (workload(run(), batch_size=None), workload(run(compute=0.9), batch_size=None),
         "Computing itself changed by +50 %, as it would with another batch"),
        (BYTES, workload(BYTES, pipeline_batch_bytes=1_000_000), "the batch is taken to be the same."),
        (run(), run([20.0, 20.2, 20.1]), "Only 3 steps in one of the runs"),
        (NO_GPU, NO_GPU, "No GPU was recorded"),
        (run(), named("NVIDIA A100"), ""),
        (capable("7.0"), capable(None), "Which GPUs they are is not recorded of either run."),
        (workload(run(), framework="JAX"), run(), ""),
        (named("Tesla T4"), named("Tesla T4 (inferred)"), ""),
        (named("A100-SXM4-40GB"), named("A100-SXM4-40GB or A100-PCIE-40GB (inferred)"),
         "several models have their figures"),
        (named("A100-SXM4-40GB"), named("Ampere or newer (inferred)"), "several models have their figures"),
    ],
)  # fmt: skip
def test_caveats(before: model.Report, after: model.Report, caveat: str) -> None:
    result = compare(before, after)

    assert result.verdict == "same"
    if caveat:
        assert any(caveat in each for each in result.caveats), result.caveats
    else:
        assert result.caveats == ()
    # An unknown batch is never called the same.
    assert after.workload.batch_size or not any("batch" in reason for reason in result.reasons)


# ------------------------------------------------------------------------------------ contents


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 10**9), min_size=3, max_size=8),
    st.lists(st.integers(1, 10**9), min_size=3, max_size=8),
    st.integers(1, 10**4),
    st.integers(1, 10**4),
    st.sampled_from([1, 2, 4, 8]),
)
def test_columns_add_up_and_the_json_keeps_its_schema(
    before: list[int], after: list[int], first: int, second: int, gpus: int
) -> None:
    base = workload(run([x / 1e6 for x in before], compute=0.37), batch_size=first)
    new = workload(run([x / 1e6 for x in after], compute=0.9, gpus=gpus), batch_size=second)

    result = compare(base, new)

    jsonschema.validate(to_json(result), json_schema(Comparison))
    if base.ledger and new.ledger and base.ledger.step_ns and new.ledger.step_ns:
        assert result.times
        sums = [sum(getattr(a, k) for a in result.accounts) for k in ("base_ns", "new_ns", "delta_ns")]
        assert sums == [result.times.base_ns, result.times.new_ns, result.times.delta_ns]
        if gpus > 1:
            assert result.scaling
            sums = [sum(getattr(a, k) for a in result.scaling.accounts) for k in ("base_ns", "new_ns")]
            assert sums == [result.scaling.ideal_ns, result.scaling.step_ns]


def test_findings_of_both_runs() -> None:
    before = found(
        run(), finding("gone", 5_000_000), finding("smaller", 4_000_000), finding("alike", 1_000_000),
        finding("unseen", 900_000), replace(finding("parent", 0), explains=(finding("folded", 0),)),
    )  # fmt: skip
    after = replace(
        found(
            run([15.0] * 10), finding("smaller", 1_000_000), finding("alike", 1_100_000),
            finding("fresh", 2_000_000), finding("folded", 0), finding("parent", 0),
        ),
        passed=(Row("gone", "Gone", "0.1 % of the step."),),
        missing_data=(Row("unseen", "Unseen", "Not recorded."),),
    )  # fmt: skip

    result = compare(before, after)

    assert [(f.status, f.id) for f in result.findings][:4] == [
        ("appeared", "fresh"), ("vanished", "gone"), ("unchecked", "unseen"), ("changed", "smaller"),
    ]  # fmt: skip
    notes = {f.id: f.note for f in result.findings}
    assert notes["gone"] == "Now: 0.1 % of the step."
    assert notes["unseen"] == "Now: Not recorded."
    assert notes["folded"] == "before explained by: parent"
    assert {f.id for f in result.findings if f.status == "same"} == {"alike", "parent", "folded"}
    # What could not be checked any more has not come true.
    assert result.prediction
    assert result.prediction.findings == ("gone",)
    assert (result.prediction.promised_ns, result.prediction.measured_ns) == (5_000_000, 5_000_000)
    assert "That is what was predicted" in result.prediction.sentence


def test_findings_within_the_drift_have_not_changed() -> None:
    before = found(run(), finding("alike", 1_000_000), finding("other", 1_000_000), finding("gone", 500_000))
    after = found(
        run([19.6] * 10),
        replace(finding("alike", 1_500_000), severity="warning"),
        finding("other", 1_700_000),
    )
    gone = "Its saving is within the 3 % of a step by which launches may differ."

    result = compare(before, after)

    assert {f.id: (f.status, f.note) for f in result.findings} == {
        "alike": ("same", ""), "other": ("changed", ""), "gone": ("vanished", gone),
    }  # fmt: skip
    assert result.prediction
    assert result.prediction.sentence.endswith(
        "Both differences are within the drift between launches of 0.60 ms."
    )
    tiny = found(run(), finding("alike", 1_150_000))
    assert [f.status for f in compare(found(run(), finding("alike", 1_000_000)), tiny, 0.001).findings] == [
        "same"
    ]
    strict = compare(before, after, 0.01)
    assert {f.id: (f.status, f.note) for f in strict.findings} == {
        "alike": ("changed", ""), "other": ("changed", ""), "gone": ("vanished", ""),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("promised", "sentence"),
    [
        (1_100_000, "That is what was predicted, within the noise."),
        (1_500_000, "That is what was predicted, within the drift between launches."),
        (1_700_000, "0.70 ms did not come true, or something else took them."),
        (300_000, "The other 0.70 ms come from something else."),
    ],
)
def test_a_promise_is_held_to_no_more_than_noise_and_drift(promised: int, sentence: str) -> None:
    prediction = compare(found(run(), finding("gone", promised)), run([19.0] * 10)).prediction

    assert prediction and prediction.sentence.endswith(sentence)
    assert (prediction.promised_ns, prediction.measured_ns, prediction.other_ns) == (
        promised, 1_000_000, 1_000_000 - promised,
    )  # fmt: skip


def test_a_gain_that_a_finding_foretold_needs_less_evidence() -> None:
    slow, fast = [24.0, 25.0, 26.0, 25.0], [16.0, 21.0, 18.0, 21.0]
    promised = replace(
        finding("gone", 9_000_000), saving=Saving(9_000_000, 0.36, "", accounts={"idle.input": 9_000_000})
    )
    before, after = found(run(slow, compute=0.6), promised), run(fast, compute=0.79)

    assert compare(run(slow, compute=0.6), after).verdict == "same"
    result = compare(before, after)
    assert result.verdict == "better"
    assert result.reasons[0].startswith("A finding that is gone foretold this")
    # Neither if the finding is still there, nor if another account became shorter, nor for a longer step.
    assert compare(before, found(after, promised)).verdict == "same"
    assert compare(before, run(fast, compute=0.5)).verdict == "same"
    assert compare(found(after, promised), run(slow, compute=0.6)).verdict == "same"


def test_recorded_settings_that_differ() -> None:
    def recorded(policy: str) -> model.Report:
        facts = (model.Fact("Precision policy", policy), model.Fact("Keras", "3.5"))
        return replace(run(), training=(model.Training("file", "host", "2026", facts),))

    (change,) = compare(recorded("float32"), recorded("mixed_float16")).settings

    assert (change.label, change.base, change.new) == ("Precision policy", "float32", "mixed_float16")


def test_names_are_never_markup() -> None:
    before = found(run(name=HOSTILE), replace(finding("gone", 5_000_000), title=HOSTILE))
    other = tuple(replace(d, name=HOSTILE) for d in before.devices)
    result = compare(before, run([15.0] * 10, name=HOSTILE))
    refused = compare(before, replace(before, devices=other))

    for one in (result, refused):
        text, markdown = to_text(one, color=False), to_markdown(one)
        assert "\x1b" not in text + markdown and "‮" not in text + markdown
        assert "<img" not in markdown
        assert "**b**" not in markdown.replace("\\*", "")
        assert markdown.count("<details>") == markdown.count("</details>")
    rows = [line for line in to_markdown(result).splitlines() if line.startswith("|")]
    assert all(
        line.replace("\\|", "").count("|") == 4 or "ideal" in line for line in rows if HOSTILE[:9] in line
    )


def trained(counts: Literal["steps", "epochs"], seconds: float) -> model.Report:
    """A report beside a training whose steps or epochs take this long, give or take 2 %."""
    low, ns, high = (round(x * seconds * 1e9) for x in (0.98, 1, 1.02))
    return replace(run(), pace=model.Pace(counts, "loss", ns, low, high, 40, None, "", "", ""))


@pytest.mark.parametrize(
    ("base", "new", "said"),
    [
        (trained("epochs", 60.4), trained("epochs", 97), ["an epoch took 60.4 s before and 97.0 s now"]),
        (trained("steps", 0.2), trained("steps", 0.1), ["a step took 200 ms before and 100 ms now"]),
        (trained("epochs", 60.4), trained("epochs", 65), []),
        (trained("epochs", 60.4), trained("steps", 97), []),
        (trained("epochs", 60.4), run(), []),
    ],
)
def test_trainings_that_lie_apart_are_said_beside_equal_steps(
    base: model.Report, new: model.Report, said: list[str]
) -> None:
    caveats = build.compare(base, new).caveats

    assert [words for words in caveats if "Over the whole training" in words] == [
        f"Over the whole training, {words}. Recorded steps show only a part of that." for words in said
    ]


def test_trainings_whose_steps_ran_in_another_share_of_the_time_are_said() -> None:
    def ran(ratio: float | None) -> model.Report:
        return replace(run(), whole=model.Whole("", ratio, None))

    def said(base: float | None, new: float | None) -> list[str]:
        return [words for words in build.compare(ran(base), ran(new)).caveats if "Steps ran" in words]

    assert said(0.95, 0.7) == [
        "Steps ran for 95 % of the time watched before and for 70 % now. Recorded steps do not show what "
        "passed between them."
    ]
    assert said(0.95, 0.92) == said(None, 0.7) == []
