"""GPUs wait inside collectives for the last one to arrive."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.allreduce import MATCHED_RATIO
from tfperf_plugin.analysis.artifacts.communication.hosts import Hosts
from tfperf_plugin.analysis.artifacts.communication.lateness import LateGpu, Lateness, LateOp
from tfperf_plugin.analysis.artifacts.communication.step_starts import Starts
from tfperf_plugin.analysis.artifacts.communication.waits import CollectiveWaits
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.collectives import NAMES
from tfperf_plugin.analysis.evidence import PLACES_COUNT, Evidence
from tfperf_plugin.analysis.ledger import ACCOUNTS, IDLE, Ledger
from tfperf_plugin.arrays.intervals import covered_within
from tfperf_plugin.judging.engine.rule import Found, Missing, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import between, listing, say, together, with_name
from tfperf_plugin.judging.rules.several_gpus._late import (
    last_rows,
    meanwhile,
    name_among,
    takes_longer,
    waited_for,
)

NAMED = Threshold(
    "share of the waiting that one GPU causes", 0.8, "ratio", "a cause that covers less is not named"
)

# Below this share, waiting during another GPU's compute is not worth a sentence.
BESIDE_RATIO: Final = 0.1
# Waits in other kinds of collectives are said from this share of the waiting on.
LEAST_OTHERS: Final = 0.01
# Hosts whose starts lie apart by less than this share of the waiting begin together.
APART_RATIO: Final = 0.5
COMPUTE: Final = ACCOUNTS.index("compute")

NO_CALL = "No call was found on a second GPU: waiting cannot be told from transfer."
STRAGGLER = "Straggler in {where}: {name}"
AND_OTHERS = "{where} and other collectives"
WAITS = "A GPU waits in {where} for {wait:ms} per step until the last one has arrived."
KIND = "Of that, {ns:ms} are waits in {kind}."
MOSTLY_FOR = "Nearly all of it is for {name}."
IN_TURN = "Different GPUs come last: {names}."
CHANGES = "Which GPU has most to do changes from step to step."
EQUAL = "All compute for {compute} per step."
BEGIN_LATE = (
    "It is not more work that makes GPUs late: all compute for {compute} per step. The last ones ({names}) begin late, or "
    "their hosts launch late."
)
APART = "The hosts begin the step {apart} apart."
BESIDE = "{beside:ms} of it is not lateness: another GPU still computes during the transfer."
CAUSE_ONE = "A GPU waits in {where} for {wait:ms} per step, nearly all of it for {name}."
CAUSE_IN_TURN = "A GPU waits in {where} for {wait:ms} per step, and different GPUs come last."
CAUSE_OP = (
    "A GPU waits in {where} for {wait:ms} per step, because {op} takes longer on the one that comes last."
)
CAUSE_EQUAL = (
    "A GPU waits in {where} for {wait:ms} per step, and different GPUs come last, though their work is equal."
)
CAUSE_BEGIN = "A GPU waits in {where} for {wait:ms} per step for GPUs that begin late: their work is equal."
BASIS = "time in which only a collective runs and a participant has not arrived, or still computes during the transfer"


def judge(
    ledger: Ledger, waits: CollectiveWaits, late: Lateness, late_input: LateInput, timeline: Timeline,
    starts: Starts | None, hosts: Hosts | None,
) -> Verdict:  # fmt: skip
    """Compares exposed waiting in collectives with the step, and finds the GPU or host that causes it."""
    if waits.matched_ratio == 0:
        return Missing(NO_CALL, "")
    wait = ledger.average()["communication.wait"]
    order = waits.by_lateness
    names = [name_among(d, order) for d in order if d.last_ratio > 0] or [""]
    names[0], share = _cause(waits)
    for_slow = waits.for_hosts([h.host for h in hosts.rows if h.slow]) if hosts else 0
    # Slow hosts, which slow-host names, cause the lateness, but not all of the waiting: this is about the rest.
    rest = 0 < NAMED.value * waits.arrival_ns <= for_slow < NAMED.value * wait
    named = share >= NAMED.value and not rest
    one_thread = starts is not None and any(h.one_thread for h in starts.hosts)
    first = late.of(order[0].host, order[0].device) if named else None
    slow_op = None if first and first.by_host else late.op
    equal = None if named or rest or slow_op else _equal_work(ledger, waits.arrival_ns)
    beside = wait - waits.arrival_ns
    several, (kind, most) = waits.where == "collectives", waits.kinds[0] if waits.kinds else ("other", 0)
    rest_too = not several and sum(ns for _, ns in waits.kinds[1:]) >= LEAST_OTHERS * wait
    in_all = AND_OTHERS.format(where=waits.where) if rest_too else waits.where
    told = {"where": in_all, "wait": wait, "name": names[0], "op": slow_op.op if slow_op else ""}
    if named:
        who = together(say(MOSTLY_FOR, name=names[0]), meanwhile(first, late_input))
    elif equal:
        who = _equal_sentences(equal, wait, names)
    else:
        steps = max((int(ledger.common(h).sum()) for h in ledger.hosts), default=0)
        who = "" if rest else say(IN_TURN, CHANGES if steps > 1 else "", names=listing(names))
    waiting = timeline.worst(["communication.wait"], f"waits in {waits.where}")
    where = waited_for(first, waiting, names[0], len({d.host for d in order}) > 1) if named else waiting
    case, action = _advice(named, first, slow_op, equal, one_thread, names[0])
    return Found(
        title=say(STRAGGLER, where=waits.where, name=names[0]) if named else "",
        summary=together(
            say(WAITS, **told),
            say(KIND, ns=most, kind=NAMES[kind]) if several and most and kind != "other" else "",
            who,
            takes_longer(slow_op) if slow_op else "",
            say(BESIDE, beside=beside) if beside >= BESIDE_RATIO * wait else "",
        ),
        cause=say(
            CAUSE_OP if slow_op and not rest else CAUSE_ONE if named else "" if rest
            else CAUSE_IN_TURN if not equal else CAUSE_BEGIN if equal.begins else CAUSE_EQUAL,
            **told,
        ),
        action=action,
        advice=case,
        evidence=(
            Evidence("waiting per step", wait, "ns", int(LEAST.value * ledger.step_ns), "account Straggler wait"),
            *(Evidence(f"in {NAMES[kind]}", ns, "ns", None, "waiting in this kind of collective") for kind, ns in waits.kinds if ns),
            *([Evidence(f"{slow_op.op} on the GPU that comes last", slow_op.own_ns, "ns", None, "kernel time per step, median"), Evidence("on the others at least", slow_op.least_ns, "ns", None, "kernel time per step, median")] if slow_op else []),
            Evidence("transfer per step", waits.transfer_ns, "ns", None, "last arrival to end of each call"),
            *([] if rest else [Evidence("share of the waiting that one GPU or host causes", share, "ratio", NAMED.value, NAMED.source), *last_rows(order)]),
        ),
        where=(*([replace(slow_op.place, label=f"runs {slow_op.op}")] if slow_op else []), *where)[:PLACES_COUNT],
        claims={"communication.wait": wait},
        basis=BASIS,
        confidence="high" if waits.matched_ratio >= MATCHED_RATIO else "medium",
        late_kernel=slow_op.kernel if slow_op and not rest else "",
    )  # fmt: skip


class _Equal(NamedTuple):
    """GPUs with equal work. ``begins``: whether those that come last begin late or are idle before; in ns how far
    apart hosts begin a step, at least and at most, and the least and most compute of a GPU."""

    begins: bool
    apart_least_ns: int
    apart_most_ns: int
    least_ns: int
    most_ns: int


def _equal_work(ledger: Ledger, waited_ns: int) -> _Equal | None:
    """How late GPUs begin, unless more work makes others wait.

    The GPU that computes longest does so for as long as the mean. If lateness is the cause, the one that begins
    its step latest, or is idle longest before its last collective, comes as much after the mean as others wait.
    """
    rows = []
    for host in ledger.hosts:
        chosen, offset = ledger.common(host), host.clock.offset_ns
        if offset is None and len(ledger.hosts) > 1:
            return None
        begin = host.steps.begin_ns
        for device in host.devices:
            mine = (host.calls.device == device.index) & (host.calls.step >= 0)
            until = begin.copy()
            np.maximum.at(until, host.calls.step[mine], host.calls.start_ns[mine])
            idle = covered_within(device.time(*IDLE), begin, until)
            rows.append((begin[chosen] + (offset or 0), device.sums_ns[chosen][:, COMPUTE], idle[chosen]))
    if len(rows) < 2 or len({len(begin) for begin, _, _ in rows}) > 1 or not len(rows[0][0]):
        return None
    begin, compute, idle = (np.stack(column) for column in zip(*rows, strict=True))
    late = begin + idle
    after = float((late.max(axis=0) - late.mean(axis=0)).mean())
    more = float((compute.max(axis=0) - compute.mean(axis=0)).mean())
    if more >= (1 - NAMED.value) * waited_ns:
        return None
    apart, each = begin - begin.min(axis=0), np.median(compute, axis=1)
    last = apart.max(axis=0)
    begins = after >= NAMED.value * waited_ns
    return _Equal(begins, int(last.min()), int(last.max()), int(each.min()), int(each.max()))


def _advice(
    named: bool,
    first: LateGpu | None,
    slow_op: LateOp | None,
    equal: _Equal | None,
    one_thread: bool,
    name: str,
) -> tuple[str, str]:
    """The case of the page that applies, and the action if it names something."""
    if named and first and first.by_host:
        return "a host is late", with_name("Find out what delays the host of {}", name)
    if slow_op and slow_op.most_ns:
        return "one op takes longer", with_name("Find out why {} takes longer on some GPUs", slow_op.op)
    if named:
        return "one GPU is late", with_name("Find out what delays {}", name)
    if one_thread:
        return "one thread launches for all", ""
    return ("" if not equal else "GPUs begin late" if equal.begins else "equal work"), ""


def _equal_sentences(equal: _Equal, wait: int, names: list[str]) -> str:
    """What is said where GPUs have equal work."""
    compute, apart = (
        between(equal.least_ns, equal.most_ns),
        between(equal.apart_least_ns, equal.apart_most_ns),
    )
    if not equal.begins:
        return say(IN_TURN, EQUAL, names=listing(names), compute=compute)
    far = equal.apart_most_ns >= APART_RATIO * wait
    return say(BEGIN_LATE, APART if far else "", compute=compute, names=listing(names), apart=apart)


def _cause(waits: CollectiveWaits) -> tuple[str, float]:
    """The GPU, or host of several, that causes most of the waiting, and its share."""
    caused = sum(d.caused_wait_ns for d in waits.devices) or 1
    first = waits.by_lateness[0]
    share = first.caused_wait_ns / caused
    hosts = Counter[str]()
    for device in waits.devices:
        hosts[device.host] += device.caused_wait_ns
    host, most = hosts.most_common(1)[0]
    if len(hosts) > 1 and share < NAMED.value and most >= NAMED.value * caused:
        return host, most / caused
    return name_among(first, waits.devices), share


_CAUSES = (
    "pipeline-bubble", "gpu-stagger", "replica-imbalance", "gpus-run-serially", "input-bound", "slow-host",
    "d2d-copies", "allreduce-fragmented",
)  # fmt: skip

RULE = declared(judge, thresholds=(NAMED,), yields_to=_CAUSES, explained_by=_CAUSES)
