"""GPUs copy tensors other than gradients to each other."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.model_stages import StagePipelines
from tfperf_plugin.analysis.artifacts.communication.peer_copies import (
    RECURRING_RATIO,
    PeerCopies,
    PeerLink,
    PeerOp,
)
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gigabytes, gpu, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras, shell

EXPOSED = Threshold(
    "copies between GPUs that nothing hides", 0.01, "ratio", "lowest severity: 1 % of the step"
)
RECURRING = Threshold(
    "steps in which an op copies",
    RECURRING_RATIO,
    "ratio",
    "half of a GPU's steps at least; once is no part of the step",
    fixed=True,
)

_SHOWN_COUNT = 3


def judge(ledger: Ledger, peers: PeerCopies, stages: StagePipelines) -> Verdict:
    """Compares time in which GPUs only send to, or wait for, each other with the step."""
    if not any(len(host.devices) > 1 for host in ledger.hosts):
        return NotApplicable("Fewer than two GPUs of one host took part.")
    if not peers.links:
        return Passed("No GPU copies to another one in most steps.")
    exposed = sum(peers.exposed_ns.values())
    share = exposed / max(1, ledger.step_ns)
    if share < EXPOSED.value:
        return Passed(
            f"GPUs copy to each other for {ms(peers.busy_ns)} per step; {percent(share)} of the step is not hidden."
        )
    size = f" with {gigabytes(peers.size_bytes)}" if peers.size_bytes else ""
    fix = _fix(peers, stages)
    return Found(
        summary=(
            f"In a step GPUs copy {_often(peers.per_step_count)} to each other{size}. For {ms(exposed)} per "
            f"step a GPU only copies, or waits for such a copy. {_named(peers)} {_purpose(peers, stages)}"
        ),
        evidence=(
            Evidence("copying between GPUs, and waiting for it", exposed, "ns", int(EXPOSED.value * ledger.step_ns), "account D2D copy, idle time until a copy has arrived, and waiting for GPUs that are late by it, per step and GPU"),
            Evidence("share of the step", share, "ratio", EXPOSED.value, "step budget"),
            Evidence("copies between GPUs", round(peers.per_step_count, 1), "per_step", None, "events MemcpyP2P"),
            *_sizes(peers),
            *(_op_evidence(op) for op in peers.ops[:_SHOWN_COUNT] if op.op),
            *(_link_evidence(link, len(ledger.hosts) > 1) for link in peers.links[:_SHOWN_COUNT]),
        ),
        where=peers.where,
        claims=peers.exposed_ns,
        basis="time in which a GPU only copies to another one, is idle until such a copy has arrived, or waits in AllReduce for a GPU that was idle so",
        fix=fix,
        action=_ACTION_OF[fix.summary],
        cause=_cause(peers, exposed),
    )  # fmt: skip


def _often(count: float) -> str:
    return "once" if round(count) == 1 else f"{round(count)} times" if count > 1 else "in some steps"


def _copies(per_step: float) -> str:
    return f"{per_step:.3g} {'copy' if per_step == 1 else 'copies'} per step"


def _named(peers: PeerCopies) -> str:
    ops = [_op_text(op) for op in peers.ops if op.op]
    return (
        f"Most time goes to {listing(ops, _SHOWN_COUNT)}."
        if ops
        else "The profile does not name the ops that cause them."
    )


def _cause(peers: PeerCopies, exposed: int) -> str:
    """What the copies cost, and the op with most of them, else the GPUs."""
    link, op = peers.links[0], next((op for op in peers.ops if op.op), None)
    receiver = gpu(link.receiver) if link.receiver else "other GPUs"
    longest = f"for {_op_text(op)}" if op else f"from {gpu(link.sender, link.host)} to {receiver}"
    return f"For {ms(exposed)} per step GPUs only copy to each other or wait for it, longest {longest}."


def _op_text(op: PeerOp) -> str:
    return f"what follows {op.op}" if op.follows else op.op


def _purpose(peers: PeerCopies, stages: StagePipelines) -> str:
    if stages.pipelines:
        return "So the stages of a model hand tensors to each other."
    if peers.collectives:
        return "Gradients are exchanged by collectives, not by these copies."
    return "No collective kernel was recorded, so these copies may well be the exchange of gradients."


def _sizes(peers: PeerCopies) -> tuple[Evidence, ...]:
    if peers.bandwidth_gbps is None:
        return ()
    return (
        Evidence("bytes between GPUs", peers.size_bytes, "bytes", None, "events MemcpyP2P, per step"),
        Evidence("achieved", round(peers.bandwidth_gbps, 1), "GB/s", None, "bytes / time of the copies, GB = 10^9 bytes"),
    )  # fmt: skip


def _op_evidence(op: PeerOp) -> Evidence:
    source = "op of the kernel before the copy" if op.follows else "op of the copy"
    size = f", {gigabytes(op.size_bytes)}" if op.size_bytes else ""
    return Evidence(_op_text(op), f"{_copies(op.per_step_count)}{size}", "text", None, source)


def _link_evidence(link: PeerLink, several_hosts: bool) -> Evidence:
    sender = gpu(link.sender, link.host if several_hosts else "")
    receiver = f" to {gpu(link.receiver)}" if link.receiver else " to other GPUs"
    size = f", {gigabytes(link.size_bytes)}" if link.size_bytes else ""
    return Evidence(
        f"{sender}{receiver}",
        f"{_copies(link.per_step_count)}{size}, {ms(link.busy_ns)}",
        "text",
        None,
        "events MemcpyP2P" + ("" if link.receiver else "; the receiver is not recorded"),
    )


_ACTIONS = (
    "Keep each tensor on the GPU that uses it: compute it there, or place its op there with tf.device.",
    "Create variables under strategy.scope(), so that each GPU has its own copy and none reads another's.",
    "Check that GPUs can access each other's memory directly: nvidia-smi topo -p2p r must say OK, and topo "
    "-m must show NVLink (NV#) if the machine has it; otherwise copies go through the host.",
)
_NCCL = "Let NCCL exchange gradients: cross_device_ops=tf.distribute.NcclAllReduce() instead of copying to one GPU."
_SNIPPETS = (
    keras(
        "strategy = tf.distribute.MirroredStrategy()  # instead of tf.device blocks around layers\n"
        "with strategy.scope():\n    model = build_model()"
    ),
    custom_loop(
        "strategy = tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.NcclAllReduce())\n"
        "with strategy.scope():\n    model, optimizer = build()"
    ),
    shell("nvidia-smi topo -m\nnvidia-smi topo -p2p r"),
)
_FIX = Fix(
    summary="Let each GPU compute with what it holds, instead of fetching tensors from its siblings.",
    actions=_ACTIONS,
    snippets=_SNIPPETS,
    links=(Link("Distributed training", "https://www.tensorflow.org/guide/distributed_training"),),
)
_FIX_WITHOUT_COLLECTIVES = Fix(
    summary="Exchange gradients with NCCL, and let each GPU compute with what it holds.",
    actions=(_NCCL, *_ACTIONS),
    snippets=_SNIPPETS,
    links=_FIX.links,
)


_FIX_OF_STAGES = Fix(
    summary="Let stages hand over less data, or hand it over while they compute.",
    actions=(
        "Split the model where the tensors between layers are smallest, and hand them over in 16 bit.",
        "Use micro-batches, so that one is copied while the next one is computed.",
        _ACTIONS[-1],
    ),
    snippets=(
        keras("keras.mixed_precision.set_global_policy('mixed_bfloat16')  # half the bytes"),
        custom_loop("hidden = tf.cast(first_half(part), tf.bfloat16)  # half the bytes"),
        _SNIPPETS[-1],
    ),
)


_ACTION_OF = {
    _FIX.summary: "",
    _FIX_WITHOUT_COLLECTIVES.summary: "Avoid copies between GPUs, or use collectives for them",
    _FIX_OF_STAGES.summary: "Hand over less data between stages, or while they compute",
}


def _fix(peers: PeerCopies, stages: StagePipelines) -> Fix:
    if stages.pipelines:
        return _FIX_OF_STAGES
    return _FIX if peers.collectives else _FIX_WITHOUT_COLLECTIVES


RULE = declared(judge, thresholds=(EXPOSED, RECURRING), explained_by=("gpus-run-serially",))
