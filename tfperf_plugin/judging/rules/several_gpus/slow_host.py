"""One host is late in every step, and all others wait for it."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.communication.hosts import (
    EXCESS_RATIO,
    HOSTS_COUNT,
    SCATTER_TIMES,
    STEPS_RATIO,
    HostRow,
    Hosts,
)
from tfperf_plugin.analysis.artifacts.communication.lateness import LateGpu, Lateness
from tfperf_plugin.analysis.artifacts.communication.waits import CollectiveWaits
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.late import meanwhile, waited_for
from tfperf_plugin.judging.engine.rule import (
    Found,
    Missing,
    NotApplicable,
    Passed,
    Threshold,
    Verdict,
    declared,
)
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, listing, ms, percent, with_name

FEWEST = Threshold(
    "hosts compared", HOSTS_COUNT, "count", "one host has none to be compared with", fixed=True
)
SCATTER = Threshold(
    "excess against the scatter of the hosts",
    SCATTER_TIMES,
    "times",
    "three standard deviations (1.4826 × MAD), and √(2 ln n) more for what the slowest of n is by chance",
    fixed=True,
)
EXCESS = Threshold(
    "excess of the slow host", EXCESS_RATIO, "ratio", "2 % of the step: less is jitter", fixed=True
)
OFTEN = Threshold(
    "steps in which it is slow", STEPS_RATIO, "ratio", "a slow host is slow in nearly every step", fixed=True
)
# With at least this many steps the difference is certain.
STEPS_COUNT = 3


def judge(
    hosts: Hosts,
    ledger: Ledger,
    late: Lateness,
    late_input: LateInput,
    timeline: Timeline,
    waits: CollectiveWaits | None,
) -> Verdict:
    """Compares each host's own part of the step with the median of all or, if there are two, with the other's."""
    if len(hosts.rows) < HOSTS_COUNT:
        return NotApplicable("Only one host with steps was recorded.")
    if not hosts.joined:
        return Missing(
            "No collective was found that joins the hosts, so the rule cannot tell their own part of a step from waiting.",
            "Record at least three steps on all hosts at the same time, with step markers that carry the same numbers.",
        )
    slow = [h for h in hosts.rows if h.slow]
    if not slow:
        most = max(hosts.rows, key=lambda h: (h.excess_ns, h.host))
        return Passed(
            f"{most.host} has the longest own part of a step, {ms(max(0, most.excess_ns))} {_above(hosts)}."
        )
    worst = max(slow, key=lambda h: (h.excess_ns, h.host))
    # Without this host, the slowest of the others would set the pace.
    gain = max(0, _own(worst) - max(_own(h) for h in hosts.rows if not h.slow))
    usual = _own(worst) - worst.excess_ns
    gpu = late.of(worst.host)
    fed = late_input.pipeline
    stage = late_input.described if fed and fed.host == worst.host else ""
    others = "The others wait" if len(hosts.rows) > len(slow) + 1 else "The other one waits"
    needs = (
        f"{listing([h.host for h in slow])} needs {ms(worst.excess_ns)} {_above(hosts, 'more than')} in "
        f"{_steps(worst.slow_steps_ratio)}"
    )
    doing = f"; meanwhile it is in \u201c{gpu.doing}\u201d" if gpu and gpu.by_host and gpu.doing else ""
    return Found(
        title=f"{RULE.title}: {worst.host}",
        summary=f"{needs}. {others} for it in collectives.{meanwhile(gpu, stage, 'Its GPU')}",
        cause=f"{needs}{doing}.",
        action=with_name("Find out what delays {}, or leave it out", worst.host),
        evidence=(
            Evidence(f"own part of a step of {worst.host}", _own(worst), "ns", None, "step without waiting in collectives, median"),
            Evidence("median of the hosts" if len(hosts.rows) > HOSTS_COUNT else "that of the other host", usual, "ns", None, "the same of the others"),
            Evidence("what it does longer", ACCOUNT_WORDS[hosts.longer_account], "text", None, "step budget, account that exceeds the others' most"),
            *_doing(gpu),
            Evidence("above the median" if len(hosts.rows) > HOSTS_COUNT else "above the other host's", worst.excess_ns, "ns", hosts.limit_ns, f"by the scatter of the hosts ({ms(hosts.scatter_ns)}), at least {percent(EXCESS_RATIO)} of the step"),
            Evidence("steps in which it is slow", worst.slow_steps_ratio, "ratio", OFTEN.value, OFTEN.source),
            *([] if worst.late_ns is None else [Evidence("arrives at collectives after the first host", worst.late_ns, "ns", None, "common ends of calls, median")]),
        ),
        where=waited_for(gpu, timeline.worst(["communication.wait"], ""), worst.host, True),
        claims=_claims(hosts, ledger, gain),
        covers={"communication.wait": waits.for_hosts([h.host for h in slow])} if waits else {},
        basis="its own part − that of the slowest other host: what the others wait, and what it takes longer itself",
        confidence="high" if len(worst.number) >= STEPS_COUNT else "medium",
    )  # fmt: skip


def _above(hosts: Hosts, above: str = "above") -> str:
    if len(hosts.rows) == HOSTS_COUNT:
        return f"{above} the other host"
    return f"{above} the median of the {len(hosts.rows)} hosts"


def _steps(ratio: float) -> str:
    return "every step" if ratio == 1 else f"{percent(ratio)} of the steps"


def _doing(late: LateGpu | None) -> tuple[Evidence, ...]:
    if late is None or not late.by_host:
        return ()
    rows = [
        Evidence(
            "its GPU has nothing to do while others wait for it",
            late.idle_ns,
            "ns",
            None,
            "step budget, before its collectives",
        )
    ]
    if late.doing:
        rows.append(Evidence("what its host does meanwhile", late.doing, "text", None, "recorded event"))
    return tuple(rows)


def _own(host: HostRow) -> int:
    return int(np.median(host.own_ns))


def _claims(hosts: Hosts, ledger: Ledger, gain: int) -> dict[str, int]:
    """Claims for ``gain`` ns per step: other GPUs wait that long, those of slow hosts work that much longer."""
    gpus = sum(h.gpus_count for h in hosts.rows)
    slow = sum(h.gpus_count for h in hosts.rows if h.slow)
    average = ledger.average()
    return {
        "communication.wait": min(average["communication.wait"], gain * (gpus - slow) // gpus),
        hosts.longer_account: min(average[hosts.longer_account], gain * slow // gpus),
    }


RULE = declared(judge, thresholds=(FEWEST, SCATTER, EXCESS, OFTEN))
