"""GPUs copy tensors other than gradients to each other."""

from __future__ import annotations

from itertools import islice
from typing import Final

from tfperf_plugin.analysis.artifacts.communication.model_stages import StagePipelines
from tfperf_plugin.analysis.artifacts.communication.peer_copies import (
    RECURRING_RATIO,
    Copied,
    PeerCopies,
    PeerLink,
    PeerOp,
)
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost
from tfperf_plugin.judging.engine.words import gigabytes, gpu, listing, ms, say

RECURRING = Threshold(
    "steps in which an op copies", RECURRING_RATIO, "ratio",
    "half of a GPU's steps at least; once is no part of the step", fixed=True,
)  # fmt: skip

SHOWN_COUNT: Final = 3

ONE_GPU = "Fewer than two GPUs of one host took part."
NONE = "No GPU copies to another one in most steps."
COPY = "In a step GPUs copy {often} to each other."
COPY_BYTES = "In a step GPUs copy {often} to each other, {size:bytes} in all."
COSTS = "For {exposed:ms} per step a GPU only copies, or waits for such a copy."
NAMED = "Most time goes to {ops}."
UNNAMED = "The profile does not name the ops that cause them."
BY_STAGES = "So the stages of a model hand tensors to each other."
BESIDE_COLLECTIVES = "Gradients are exchanged by collectives, not by these copies."
NO_COLLECTIVES = "No collective kernel was recorded, so these copies may well be the exchange of gradients."
CAUSE_OP = "For {exposed:ms} per step GPUs only copy to each other or wait for it, longest for {op}."
CAUSE_LINK = "For {exposed:ms} per step GPUs only copy to each other or wait for it, longest from {sender} to {receiver}."
FOLLOWS = "what follows {op}"
BASIS = (
    "time in which a GPU only copies to another one, is idle until such a copy has arrived, or waits in AllReduce for a GPU "
    "that was idle so"
)


def judge(ledger: Ledger, peers: PeerCopies, stages: StagePipelines) -> Verdict:
    """Compares time in which GPUs only send to, or wait for, each other with the step."""
    if not any(len(host.devices) > 1 for host in ledger.hosts):
        return NotApplicable(ONE_GPU)
    if not peers.links:
        return Passed(NONE)
    exposed = sum(peers.exposed_ns.values())
    ops = listing([_op_text(op) for op in peers.ops if op.op], SHOWN_COUNT)
    every, size = peers.every, round(peers.every.size_bytes)
    count, rate = every.count, every.size_bytes / max(1, every.busy_ns)  # GB/s
    often = "once" if round(count) == 1 else f"{round(count)} times" if count > 1 else "in some steps"
    return Found(
        summary=say(
            COPY_BYTES if size else COPY, COSTS, NAMED if ops else UNNAMED,
            BY_STAGES if stages.pipelines else BESIDE_COLLECTIVES if peers.collectives else NO_COLLECTIVES,
            often=often, size=size, exposed=exposed, ops=ops,
        ),
        cause=_cause(peers, exposed),
        evidence=(
            *cost("copying between GPUs, and waiting for it", exposed, ledger.step_ns, "account D2D copy, idle time until a copy has arrived, and waiting for GPUs that are late by it, per step and GPU"),
            Evidence("copies between GPUs", round(count, 1), "per_step", None, "events MemcpyP2P"),
            *([Evidence("bytes between GPUs", size, "bytes", None, "events MemcpyP2P, per step"), Evidence("achieved", round(rate, 1), "GB/s", None, "bytes / time of the copies, GB = 10^9 bytes")] if size else []),
            *(Evidence(_op_text(op), _written(copied), "text", None, "op of the kernel before the copy" if op.follows else "op of the copy") for op, copied in islice(peers.ops.items(), SHOWN_COUNT) if op.op),
            *(_link_evidence(link, copied, len(ledger.hosts) > 1) for link, copied in islice(peers.links.items(), SHOWN_COUNT)),
        ),
        where=peers.where.all(),
        claims=peers.exposed_ns,
        basis=BASIS,
        advice="stages hand over" if stages.pipelines else "" if peers.collectives else "no collective was recorded",
    )  # fmt: skip


def _written(copied: Copied) -> str:
    """Copies per step, and their bytes where recorded."""
    copies = f"{copied.count:.3g} {'copy' if copied.count == 1 else 'copies'} per step"
    return f"{copies}, {gigabytes(copied.size_bytes)}" if copied.size_bytes else copies


def _cause(peers: PeerCopies, exposed: int) -> str:
    """What the copies cost, and the op with most of them, else the GPUs."""
    link, op = next(iter(peers.links)), next((op for op in peers.ops if op.op), None)
    if op:
        return say(CAUSE_OP, exposed=exposed, op=_op_text(op))
    return say(CAUSE_LINK, exposed=exposed, sender=gpu(link.sender, link.host), receiver=_receiver(link))


def _op_text(op: PeerOp) -> str:
    return say(FOLLOWS, op=op.op) if op.follows else op.op


def _link_evidence(link: PeerLink, copied: Copied, several_hosts: bool) -> Evidence:
    label = f"{gpu(link.sender, link.host if several_hosts else '')} to {_receiver(link)}"
    source = "events MemcpyP2P" if link.receiver else "events MemcpyP2P; the receiver is not recorded"
    return Evidence(label, f"{_written(copied)}, {ms(copied.busy_ns)}", "text", None, source)


def _receiver(link: PeerLink) -> str:
    return gpu(link.receiver) if link.receiver else "other GPUs"


RULE = declared(judge, thresholds=(RECURRING,), explained_by=("data-parallel", "gpus-run-serially"))
