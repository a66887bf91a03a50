"""GPUs wait inside collectives for the last one to arrive."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.hosts import Hosts
from tfperf_plugin.analysis.artifacts.communication.lateness import Lateness
from tfperf_plugin.analysis.artifacts.communication.starts import Starts
from tfperf_plugin.analysis.artifacts.communication.waits import WORDS, CollectiveWaits
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.timeline import PLACES_COUNT, Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import ACCOUNTS, IDLE, Ledger
from tfperf_plugin.arrays.intervals import covered_within
from tfperf_plugin.judging.engine.late import last_rows, meanwhile, name_among, takes_longer, waited_for
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import between, listing, ms, percent, with_name
from tfperf_plugin.judging.snippets import JAX_SHARDED
from tfperf_plugin.judging.verdicts import Fix, custom_loop, keras, shell

WAITING = Threshold("waiting for the last GPU", 0.01, "ratio", "lowest severity: 1 % of the step")
NAMED = Threshold(
    "share of the waiting that one GPU causes", 0.8, "ratio", "a cause that covers less is not named"
)

# Below this share, waiting during another GPU's compute is not worth a sentence.
BESIDE_RATIO = 0.1
# Hosts whose begins lie apart by less than this share of the waiting begin together.
_APART = 0.5
_COMPUTE = ACCOUNTS.index("compute")


def judge(
    ledger: Ledger,
    waits: CollectiveWaits,
    late: Lateness,
    late_input: LateInput,
    timeline: Timeline,
    starts: Starts | None,
    hosts: Hosts | None,
) -> Verdict:
    """Compares exposed waiting in collectives with the step, and finds the GPU or host that causes it."""
    if waits.matched_ratio == 0:
        return NotApplicable("No call was found on a second GPU: waiting cannot be told from transfer.")
    wait, step_ns = ledger.average()["communication.wait"], max(1, ledger.step_ns)
    if wait < WAITING.value * step_ns:
        return Passed(f"GPUs wait for each other in {waits.where} for {percent(wait / step_ns)} of the step.")
    order = waits.by_lateness
    names = [name_among(d, order) for d in order if d.last_ratio > 0] or [""]
    names[0], share = _cause(waits)
    for_slow = waits.for_hosts([h.host for h in hosts.rows if h.slow]) if hosts else 0
    # Slow hosts, which slow-host names, cause the lateness, but not all of the waiting: this is about the rest.
    rest = 0 < NAMED.value * waits.arrival_ns <= for_slow < NAMED.value * wait
    named = share >= NAMED.value and not rest
    one_thread = starts is not None and any(h.one_thread for h in starts.hosts)
    first = late.of(order[0].host, order[0].device) if named else None
    fed = late_input.pipeline
    stage = late_input.described if fed and fed.host == order[0].host else ""
    slow_op = None if first and first.by_host else late.op
    longer = f": {takes_longer(slow_op)}" if slow_op else ""
    summary = (
        f"A GPU waits in {waits.where} for {ms(wait)} per step until the last one has arrived{_kinds(waits)}."
    )
    cause = ""
    if named:
        cause = (
            f"A GPU waits in {waits.where} for {ms(wait)} per step, nearly all of it for {names[0]}{longer}."
        )
        summary += f" Nearly all of it is for {names[0]}.{meanwhile(first, stage)}"
    elif not rest:
        cause = f"A GPU waits in {waits.where} for {ms(wait)} per step, and different GPUs come last{longer}."
        changing = "; which GPU has most to do changes from step to step" if _steps_count(ledger) > 1 else ""
        summary += f" Different GPUs come last: {listing(names)}{changing}."
    if slow_op:
        summary += f" One op is the reason: {takes_longer(slow_op)}."
    equal = None if named or rest or slow_op else _equal_work(ledger, waits.arrival_ns)
    begin_late = equal is not None and equal.begins
    if equal:
        cause, summary = _said_of_equal(equal, summary, wait, waits.where, names)
    beside = wait - waits.arrival_ns
    if beside >= BESIDE_RATIO * wait:
        summary += f" {ms(beside)} of it is not lateness: another GPU still computes during the transfer."
    waiting = timeline.worst(["communication.wait"], f"waits in {waits.where}")
    where = waited_for(first, waiting, names[0], len({d.host for d in order}) > 1) if named else waiting
    advice: tuple[str, Fix | None] = (
        (with_name("Find out what delays the host of {}", names[0]), _HOST_LATE)
        if named and first and first.by_host
        else (with_name("Find out why {} takes longer on some GPUs", slow_op.op), _ONE_OP)
        if slow_op and slow_op.most_ns
        else (with_name("Find out what delays {}", names[0]), _ONE_LATE)
        if named
        else ("Launch for all GPUs at the same time", _ONE_THREAD)
        if one_thread
        else ("", None)
    )
    if equal and not one_thread:
        together = "Let all GPUs begin the step together: find who is late"
        advice = (
            (together, _BEGIN_LATE)
            if begin_late
            else ("Find out what delays the GPUs that come last", _ONE_LATE)
        )
    return Found(
        title=f"Straggler in {waits.where}: {names[0]}" if named else "GPUs begin the step apart" if begin_late else None,
        cause=cause,
        action=advice[0],
        summary=summary,
        evidence=(
            Evidence("waiting per step", wait, "ns", int(WAITING.value * step_ns), "account Straggler wait"),
            *(Evidence(f"in {WORDS[kind]}", ns, "ns", None, "waiting in this kind of collective") for kind, ns in waits.kinds if ns),
            *([Evidence(f"{slow_op.op} on the GPU that comes last", slow_op.own_ns, "ns", None, "kernel time per step, median"), Evidence("on the others at least", slow_op.least_ns, "ns", None, "kernel time per step, median")] if slow_op else []),
            Evidence("transfer per step", waits.transfer_ns, "ns", None, "last arrival to end of each call"),
            *([] if rest else [Evidence("share of the waiting that one GPU or host causes", share, "ratio", NAMED.value, NAMED.source), *last_rows(order)]),
        ),
        where=(*([replace(slow_op.place, label=f"runs {slow_op.op}")] if slow_op else []), *where)[:PLACES_COUNT],
        claims={"communication.wait": wait},
        basis="time in which only a collective runs and a participant has not arrived, or still computes during the transfer",
        confidence="high" if waits.matched_ratio >= 0.8 else "medium",
        fix=advice[1],
    )  # fmt: skip


class _Equal(NamedTuple):
    """GPUs with equal work. ``begins``: whether those that come last begin late or are idle before; in ns how far
    apart hosts begin a step, at least and at most, and the least and most compute of a GPU."""

    begins: bool
    apart_least_ns: int
    apart_most_ns: int
    least_ns: int
    most_ns: int


def _steps_count(ledger: Ledger) -> int:
    return max((int(ledger.common(h).sum()) for h in ledger.hosts), default=0)


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
            rows.append((begin[chosen] + (offset or 0), device.sums_ns[chosen][:, _COMPUTE], idle[chosen]))
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


def _said_of_equal(late: _Equal, summary: str, wait: int, where: str, names: list[str]) -> tuple[str, str]:
    """The cause and the summary where GPUs have equal work."""
    equal = f"all compute for {between(late.least_ns, late.most_ns)} per step"
    apart = (
        f", and the hosts begin it {between(late.apart_least_ns, late.apart_most_ns)} apart"
        if late.apart_most_ns >= _APART * wait
        else ""
    )
    first = summary.partition(" Different GPUs come last")[0]
    if not late.begins:
        waits = f"A GPU waits in {where} for {ms(wait)} per step"
        cause = f"{waits}, and different GPUs come last, though their work is equal."
        return cause, f"{first} Different GPUs come last: {listing(names)}; but {equal}."
    cause = f"A GPU waits in {where} for {ms(wait)} per step for GPUs that begin late: their work is equal."
    return cause, (
        f"{first} It is not more work that makes GPUs late: {equal}{apart}. The last ones ({listing(names)}) begin "
        "late, or their hosts launch late."
    )


def _kinds(waits: CollectiveWaits) -> str:
    """The kind of collective with most waiting, if there are several kinds."""
    if waits.where != "collectives" or not waits.kinds or not waits.kinds[0][1]:
        return ""
    kind, ns = waits.kinds[0]
    return f", {ms(ns)} of it in {WORDS[kind]}" if kind != "other" else ""


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


_SNIPPETS = (
    keras(
        "ds = ds.bucket_by_sequence_length(\n    lambda x, y: tf.shape(x)[0],\n    bucket_boundaries=[128, 256],\n    bucket_batch_sizes=[64, 32, 16])"
    ),
    custom_loop(
        "ds = ds.padded_batch(\n    global_batch, padded_shapes=([256], []), drop_remainder=True)\nds = strategy.experimental_distribute_dataset(ds)"
    ),
)
_ONE_LATE = Fix(
    summary="Find out why this GPU comes last: more work, a late start, or a slower clock.",
    actions=(
        "In the trace, compare this GPU's row with the others between the start of the step and AllReduce.",
        "Compare clocks and temperatures under load: nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE. One throttled GPU slows all down.",
        "Look for other programs on that GPU: nvidia-smi.",
    ),
    snippets=(
        shell("nvidia-smi --query-gpu=index,clocks.sm,clocks_throttle_reasons.active --format=csv -l 1"),
        *_SNIPPETS,
    ),
)  # fmt: skip
_ONE_OP = Fix(
    summary="Find out why this op takes longer on this GPU: its share of the data, or the values in it.",
    actions=(
        "Compare what the op gets on each GPU: rows, padding, repeated ids. A scatter to few distinct rows waits for each one.",
        "If it gets equal data, compare clocks under load: nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE.",
        "Mend the op itself first, if another finding names it: it delays all GPUs.",
    ),
    snippets=_SNIPPETS,
)  # fmt: skip
_HOST_LATE = Fix(
    summary="Find out what this host does while its GPU is idle and the others wait.",
    actions=(
        "In the trace, look at what the host's threads do before the collective.",
        "If it waits for a batch, give it the same share of files as the others, and check for a slower disk.",
        "Look for other load on its processors, and for work that only this process does (logging, checkpoints, evaluation).",
    ),
    snippets=(shell("uptime; pidstat -u -d 1 5; iostat -x 1 3"),),
)  # fmt: skip

_BEGIN_LATE = Fix(
    summary="Find out what the late hosts do before and at the begin of the step; the work of the GPUs is equal.",
    actions=(
        "In the trace, compare what each process does before its first kernel of the step: loading, logging, garbage collection, start of the profiler.",
        "If GPUs are idle because their hosts launch late, let hosts launch less and run ahead: larger kernels, compiled steps, no waiting for the loss.",
        "Give each process processor cores of its own (numactl, taskset), so that processes on one host do not disturb each other.",
        "If only one step was recorded, record ten after the first few: the profiler itself starts at different times.",
    ),
    snippets=(shell("numactl --cpunodebind=0 --membind=0 python train.py"), *_SNIPPETS),
)  # fmt: skip

_ONE_THREAD = Fix(
    summary="Launch for all GPUs at the same time: one host thread now launches for one GPU after another.",
    actions=(
        "In the trace, compare the launches for the GPUs between the start of the step and AllReduce.",
        "Use tf.distribute.MirroredStrategy inside a tf.function instead of a Python loop over the GPUs.",
        "Let the host launch less, and do not wait for the loss in each step, so that the host runs ahead of the GPUs.",
    ),
    snippets=(
        keras("with tf.distribute.MirroredStrategy().scope():\n    model = build_model()"),
        custom_loop("@tf.function\ndef step(batch):\n    return strategy.run(replica_step, args=(batch,))"),
        JAX_SHARDED,
    ),
)


_CAUSES = (
    "pipeline-bubble",
    "gpu-stagger",
    "replica-imbalance",
    "gpus-run-serially",
    "input-bound",
    "slow-host",
    "d2d-copies",
    "allreduce-fragmented",
)

RULE = declared(judge, thresholds=(WAITING, NAMED), yields_to=_CAUSES, explained_by=_CAUSES)
