"""PyTorch's DataParallel drives all GPUs from one process."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.peer_copies import PeerCopies
from tfperf_plugin.analysis.artifacts.communication.wrappers import Wrappers
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say

USED = Threshold(
    "steps that call DataParallel", 0.5, "ratio", "half of the steps at least; else it is no part of training"
)

ONE_GPU = "Fewer than two GPUs of one process took part."
UNUSED = "No step calls DataParallel."
SELDOM = "DataParallel is called in {share:percent} of the steps."
USES = (
    "DataParallel drives {gpus} GPUs from one process. In each step it copies the model to all of them, and collects "
    "outputs and gradients on one. For {spent:ms} per step a GPU only exchanges such data, or waits for it."
)
BASIS = (
    "time in which a GPU only copies to another one, exchanges, or waits for either; DistributedDataParallel sends "
    "gradients only, under the backward pass"
)


def judge(ledger: Ledger, wrappers: Wrappers, peers: PeerCopies) -> Verdict:
    """Looks for calls of DataParallel, and adds up what its exchange costs."""
    gpus = max((len(host.devices) for host in ledger.hosts), default=0)
    if gpus < 2:
        return NotApplicable(ONE_GPU)
    ratio = wrappers.calling_ratio
    if not ratio:
        return NotApplicable(UNUSED)
    if ratio < USED.value:
        return Passed(say(SELDOM, share=ratio))
    average = ledger.average()
    exchanging = {account: average[account] for account in ("communication.transfer", "communication.wait")}
    claims = {account: ns for account, ns in {**peers.exposed_ns, **exchanging}.items() if ns}
    spent = sum(claims.values())
    return Found(
        summary=say(USES, gpus=gpus, spent=spent),
        evidence=(
            Evidence("steps that call DataParallel", ratio, "ratio", USED.value, "events DataParallel.forward"),
            Evidence("exchanging between GPUs, and waiting for it", spent, "ns", None, "accounts D2D copy, Exposed transfer and Straggler wait, and idle time until a copy has arrived, per step and GPU"),
            Evidence("copies between GPUs", round(peers.every.count, 1), "per_step", None, "events Memcpy PtoP"),
        ),
        where=wrappers.calls.all(),
        claims=claims,
        basis=BASIS,
        confidence="medium",
    )  # fmt: skip


RULE = declared(judge, thresholds=(USED,))
