"""One host is late in every step, and all others wait for it."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.communication.hosts import (
    EXCESS_RATIO,
    HOSTS_COUNT,
    SCATTER_TIMES,
    STEPS_RATIO,
    HostRow,
    Hosts,
)
from tfperf_plugin.analysis.artifacts.communication.lateness import Lateness
from tfperf_plugin.analysis.artifacts.communication.waits import CollectiveWaits
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.machine.host_load import HostLoad
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence, Missing
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, listing, say, together, with_name
from tfperf_plugin.judging.rules.several_gpus._late import meanwhile, waited_for

FEWEST = Threshold(
    "hosts compared", HOSTS_COUNT, "count", "one host has none to be compared with", fixed=True
)
SCATTER = Threshold(
    "excess against the scatter of the hosts", SCATTER_TIMES, "times",
    "three standard deviations (1.4826 × MAD), and √(2 ln n) more for what the slowest of n is by chance", fixed=True,
)  # fmt: skip
EXCESS = Threshold(
    "excess of the slow host", EXCESS_RATIO, "ratio", "2 % of the step: less is jitter", fixed=True
)
OFTEN = Threshold(
    "steps in which it is slow", STEPS_RATIO, "ratio", "a slow host is slow in nearly every step", fixed=True
)
LOADED = Threshold(
    "processors that others keep busy, above the other hosts",
    0.1,
    "ratio",
    "ours: less hardly delays a host",
    fixed=True,
)
# With at least this many steps the difference is certain.
STEPS_COUNT = 3


ONE_HOST = "Only one host with steps was recorded."
NOT_JOINED = "No collective was found that joins the hosts, so the rule cannot tell their own part of a step from waiting."
RECORD = "Record at least three steps on all hosts at the same time, with step markers that carry the same numbers."
NONE = "{host} has the longest own part of a step, {excess:ms} above {others}."
NEEDS = "{slow} needs {excess:ms} more than {others} in {ratio:percent} of the steps."
THE_OTHER = "the other {party}"
THE_MEDIAN = "the median of the {n} {parties}"
OTHERS_WAIT = "The others wait for it in collectives."
OTHER_WAITS = "The other one waits for it in collectives."
LOAD = (
    "Other programs keep {load:percent} of the processors of {host} busy, and at most {most:percent} on each other "
    "{party}."
)
DOING = "Meanwhile it is in \u201c{doing}\u201d."
LIMIT = "by the scatter of the hosts ({scatter:ms}), at least {least:percent} of the step"
BASIS = "its own part − that of the slowest other host: what the others wait, and what it takes longer itself"


def judge(
    hosts: Hosts, ledger: Ledger, late: Lateness, late_input: LateInput, timeline: Timeline,
    waits: CollectiveWaits | None, capture: Capture, load: HostLoad | None,
) -> Verdict:  # fmt: skip
    """Compares each host's own part of the step with the median of all or, if there are two, with the other's."""
    if len(hosts.rows) < HOSTS_COUNT:
        return NotApplicable(ONE_HOST)
    if not hosts.joined:
        return Missing(NOT_JOINED, RECORD)
    two = len(hosts.rows) == HOSTS_COUNT
    several_machines = capture.machines_count > 1
    party, parties = ("process", "processes") if capture.of_processes else ("host", "hosts")
    others = say(THE_OTHER, party=party) if two else say(THE_MEDIAN, n=len(hosts.rows), parties=parties)
    slow = [h for h in hosts.rows if h.slow]
    if not slow:
        most = max(hosts.rows, key=lambda h: (h.excess_ns, h.host))
        excess = max(0, most.excess_ns)
        return Passed(say(NONE, host=most.host, excess=excess, others=others))
    worst = max(slow, key=lambda h: (h.excess_ns, h.host))
    # Without this host, the slowest of the others would set the pace.
    gain = max(0, _own(worst) - max(_own(h) for h in hosts.rows if not h.slow))
    usual = _own(worst) - worst.excess_ns
    gpu = late.of(worst.host)
    names = [h.host for h in slow]
    needs = say(
        NEEDS, slow=listing(names), excess=worst.excess_ns, others=others, ratio=worst.slow_steps_ratio
    )
    others_load, most_load = (load and load.beside(worst.host)) or (0.0, 0.0)
    loaded = others_load - most_load >= LOADED.value
    late_gpu = gpu if gpu and gpu.by_host else None
    doing = late_gpu.doing if late_gpu else ""
    return Found(
        values={"host": worst.host, "several machines": several_machines},
        advice="a process is slow" if capture.of_processes else "a host is slow",
        summary=together(
            needs,
            OTHERS_WAIT if len(hosts.rows) > len(slow) + 1 else OTHER_WAITS,
            meanwhile(gpu, late_input, "Its GPU"),
            say(LOAD if loaded else "", load=others_load, host=worst.host, most=most_load, party=party),
        ),
        cause=together(needs, say(DOING if doing else "", doing=doing)),
        action=with_name(f"Find out what delays {{}}{', or leave it out' if several_machines else ''}", worst.host),
        evidence=(
            Evidence(f"own part of a step of {worst.host}", _own(worst), "ns", None, "step without waiting in collectives, median"),
            Evidence(f"that of the other {party}" if two else f"median of the {parties}", usual, "ns", None, "the same of the others"),
            Evidence("what it does longer", ACCOUNT_WORDS[hosts.longer_account], "text", None, "step budget, account that exceeds the others' most"),
            *([Evidence("its GPU has nothing to do while others wait for it", late_gpu.idle_ns, "ns", None, "step budget, before its collectives")] if late_gpu else []),
            *([Evidence("what its host does meanwhile", doing, "text", None, "recorded event")] if doing else []),
            Evidence(f"above the other {party}'s" if two else "above the median", worst.excess_ns, "ns", hosts.limit_ns, say(LIMIT, scatter=hosts.scatter_ns, least=EXCESS_RATIO)),
            Evidence("steps in which it is slow", worst.slow_steps_ratio, "ratio", OFTEN.value, OFTEN.source),
            *([Evidence("processors that others keep busy, above the other hosts", others_load - most_load, "ratio", LOADED.value, "processors, watched while the steps were profiled")] if loaded else []),
            *([] if worst.late_ns is None else [Evidence(f"arrives at collectives after the first {party}", worst.late_ns, "ns", None, "common ends of calls, median")]),
        ),
        where=waited_for(gpu, timeline.worst(["communication.wait"], ""), worst.host, True),
        claims=_claims(hosts, ledger, gain),
        covers={"communication.wait": waits.for_hosts(names)} if waits else {},
        basis=BASIS,
        confidence="high" if len(worst.number) >= STEPS_COUNT else "medium",
    )  # fmt: skip


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


RULE = declared(judge, thresholds=(FEWEST, SCATTER, EXCESS, OFTEN, LOADED), needs=("other GPUs",))
