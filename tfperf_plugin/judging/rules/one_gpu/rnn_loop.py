"""A recurrent layer runs as a loop, op by op, instead of as one op of cuDNN."""

from __future__ import annotations

import re
from typing import Final

from tfperf_plugin.analysis.artifacts.compute.loops import Loops
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.host.overlap import overlap
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, cost
from tfperf_plugin.judging.engine.words import gpus, listing, say, together, with_name

SHOWN_COUNT: Final = 3
GATED: Final = re.compile(r"(?i)lstm|gru")

NONE = "No recurrent layer (LSTM, GRU, RNN) runs as a while loop."
LOOPS = "While loops compute {names} in a total of {iterations} iterations: they take {share:percent} of a step of {step:ms}."
LOOPS_ON_GPU = (
    "While loops compute {names} in a total of {iterations} iterations: they take {share:percent} of a step of {step:ms}, "
    "launch {kernels} kernels, {mean:ms} long on average, and the {gpus} idle for {waiting:ms} between them."
)
ACTIVATION = (
    "They run {activation}: with activation='tanh', Keras can let cuDNN run each layer as one op on a GPU."
)
NOT_RECORDED = "How long a GPU waits meanwhile was not recorded."
BASIS = "all time in which a GPU is idle while the loops run; cuDNN launches few kernels for a whole layer"


def judge(loops: Loops, compute: HostCompute, ledger: Ledger | None) -> Verdict:
    """Compares the time in which a GPU waits during the loops with the step; without kernels, the time of the
    loops without their long ops."""
    if not loops.rows:
        return NotApplicable(NONE)
    lost = overlap(loops.on_gpu, ledger) if ledger else None
    share = loops.loops_ns / max(1, loops.step_ns)
    waiting = lost.total_ns if lost else loops.loops_ns - loops.long_ns
    names = listing([row.layer for row in loops.rows[:SHOWN_COUNT]])
    iterations = sum(row.iterations for row in loops.rows)
    on_cpu = compute.on_cpu and not ledger
    kernels, kernels_ns = (sum(getattr(r, x) for r in loops.rows) for x in ("kernels_count", "kernels_ns"))
    others = [row.activation for row in loops.rows if row.activation and GATED.search(row.layer)]
    told = {
        "names": names, "iterations": f"{iterations:,.0f}", "share": share, "step": loops.step_ns,
        "kernels": f"{kernels:,.0f}", "mean": kernels_ns / max(1, kernels), "waiting": waiting,
        "activation": " and ".join(sorted(set(others))), "gpus": gpus(ledger.gpus_count) if ledger else "",
    }  # fmt: skip
    cause = say(LOOPS_ON_GPU if lost else LOOPS, **told)
    gated = all(GATED.search(row.layer) for row in loops.rows)
    return Found(
        summary=together(cause, say(ACTIVATION, **told) if others else "", "" if lost or on_cpu else NOT_RECORDED),
        cause=cause,
        evidence=(
            *cost("loops of recurrent layers", loops.loops_ns, loops.step_ns, "ops named while/body: kernels, else events or allocations of the host", by="the same"),
            *([Evidence("GPU idle during the loops", waiting, "ns", int(LEAST.value * ledger.step_ns), "accounts Launch wait, Op dispatch and Unattributed idle")] if ledger else []),
            *([Evidence("of the loops in ops longer than 50 µs", loops.long_ns, "ns", None, "host events")] if loops.long_ns else []),
            Evidence("recorded ops of the loops", round(loops.events_count), "per_step", None, "the same"),
            Evidence("iterations", round(iterations), "per_step", None, "how often an op of the body ran"),
        ),
        where=lost.where.all("GPU idle during a loop") if lost else loops.where.all(),
        claims={account: ns for account, ns in lost.ns.items() if ns} if lost else {},
        basis=BASIS,
        impact_ratio=0.0 if lost else waiting / max(1, loops.step_ns),
        confidence="medium",
        action=with_name("Unroll the loop of {}", names) if on_cpu else with_name("Let cuDNN run {} as one op", names),
        advice="on the CPU" if on_cpu else "" if gated else "cuDNN has no kernel for it",
    )  # fmt: skip


RULE = declared(judge, needs=("clocks",))
