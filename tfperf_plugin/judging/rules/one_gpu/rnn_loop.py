"""A recurrent layer runs as a loop, op by op, instead of as one op of cuDNN."""

from __future__ import annotations

import re
from typing import Final

from tfperf_plugin.analysis.artifacts.compute.loops import Loops
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.host.overlap import overlap
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rank import severity_of
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gpus, listing, ms, percent, with_name
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras

LOOP = Threshold("loops of recurrent layers", 0.01, "ratio", "lowest severity: 1 % of the step")
WAIT = Threshold("waiting for ops of the loops", 0.01, "ratio", "lowest severity: 1 % of the step")
SHOWN_COUNT: Final = 3
_GATED: Final = re.compile(r"(?i)lstm|gru")


def judge(loops: Loops, compute: HostCompute, ledger: Ledger | None) -> Verdict:
    """Compares the time in which a GPU waits during the loops with the step; without kernels, the time of the
    loops without their long ops."""
    if not loops.rows:
        return NotApplicable("No recurrent layer (LSTM, GRU, RNN) runs as a while loop.")
    lost = overlap(loops.on_gpu, ledger, "GPU idle during a loop") if ledger else None
    share = loops.loops_ns / max(1, loops.step_ns)
    waiting = lost.total_ns if lost else loops.loops_ns - loops.long_ns
    if ledger and waiting < WAIT.value * ledger.step_ns:
        return Passed(
            f"GPUs wait for ops in loops of recurrent layers during {percent(waiting / max(1, ledger.step_ns))} of the step."
        )
    if share < LOOP.value or not severity_of(waiting, loops.step_ns):
        return Passed(
            f"Recurrent layers loop during {percent(share)} of the step, {percent((share * loops.step_ns - loops.long_ns) / max(1, loops.step_ns))} without long ops."
        )
    names = listing([row.layer for row in loops.rows[:SHOWN_COUNT]])
    several = len(loops.rows) > 1
    iterations = sum(row.iterations for row in loops.rows)
    cause = (
        f"{names} {'run' if several else 'runs'} as a while loop of {iterations:,.0f} iterations, forward and "
        f"backward, for {percent(share)} of a step of {ms(loops.step_ns)}"
    )
    kernels, kernels_ns = (sum(getattr(r, x) for r in loops.rows) for x in ("kernels_count", "kernels_ns"))
    if ledger and lost:
        effect = (
            f": {kernels:,.0f} kernels, {ms(kernels_ns / max(1, kernels))} long on average, and the "
            f"{gpus(ledger.gpus_count)} idle for {ms(waiting)} between them."
        )
    elif compute.on_cpu:
        effect = "."
    else:
        effect = ". How long a GPU waits meanwhile was not recorded."
    gated = all(_GATED.search(row.layer) for row in loops.rows)
    on_cpu = compute.on_cpu and not ledger
    return Found(
        summary=cause + effect,
        cause=cause + (effect if ledger else "."),
        evidence=(
            Evidence("loops of recurrent layers", loops.loops_ns, "ns", int(LOOP.value * loops.step_ns),
                     "ops named while/body: kernels, else events or allocations of the host"),
            Evidence("share of the step", share, "ratio", LOOP.value, "the same"),
            *([Evidence("GPU idle during the loops", waiting, "ns", int(WAIT.value * ledger.step_ns), "accounts Launch wait, Op dispatch and Unattributed idle")] if ledger else []),
            *([Evidence("of the loops in ops longer than 50 µs", loops.long_ns, "ns", None, "host events")] if loops.long_ns else []),
            Evidence("recorded ops of the loops", round(loops.events_count), "per_step", None, "the same"),
            Evidence("iterations", round(iterations), "per_step", None, "how often an op of the body ran"),
        ),
        where=lost.where if lost else loops.where.all(),
        claims={account: ns for account, ns in lost.ns.items() if ns} if lost else {},
        basis="all time in which a GPU is idle while the loops run; cuDNN launches few kernels for a whole layer",
        severity=None if lost else severity_of(waiting, loops.step_ns),
        impact_ratio=0.0 if lost else waiting / max(1, loops.step_ns),
        confidence="medium",
        action=with_name("Unroll the loop of {}", names) if on_cpu else with_name("Let cuDNN run {} as one op", names),
        fix=_ON_CPU if on_cpu else None if gated else _NO_CUDNN,
    )  # fmt: skip


_LINK = Link(
    "Keras: recurrent layers and their cuDNN kernels",
    "https://www.tensorflow.org/guide/keras/working_with_rnns",
)
_CONDITIONS = (
    "Keep the arguments that cuDNN's kernel needs: activation='tanh', recurrent_activation='sigmoid', "
    "recurrent_dropout=0, unroll=False, use_bias=True, and reset_after=True for GRU. Any other value takes the loop."
)
_ON_CPU = Fix(
    summary="A CPU has no fused kernel for the layer: let each iteration start fewer ops, or have fewer iterations.",
    actions=(
        "For sequences of a known length of up to about 100: unroll=True lets TensorFlow run the iterations without "
        "the loop. It needs more memory and takes longer to trace.",
        "Use larger batches: as long as its ops are short, an iteration of a larger batch takes hardly longer.",
        "Cut sequences into shorter ones, or put a strided convolution in front of the layer.",
        "On a GPU, cuDNN runs the whole layer as one op.",
    ),
    snippets=(
        keras("keras.layers.LSTM(128, unroll=True)"),
        custom_loop("layer = tf.keras.layers.LSTM(128, unroll=True)  # inside @tf.function"),
    ),
    links=(_LINK,),
)
_NO_CUDNN = Fix(
    summary="Use a layer that cuDNN runs as one op, LSTM or GRU, or take steps out of the loop.",
    actions=(
        "Use keras.layers.LSTM or GRU instead of RNN(cell) and SimpleRNN: only these two have a kernel of cuDNN.",
        _CONDITIONS,
        "If the cell must stay: compile the step with jit_compile=True, or unroll short sequences with unroll=True.",
    ),
    snippets=(
        keras("x = keras.layers.LSTM(128)(x)  # not keras.layers.RNN(keras.layers.LSTMCell(128))"),
        custom_loop("layer = tf.keras.layers.LSTM(128)  # inside @tf.function"),
    ),
    links=(_LINK,),
)

RULE = declared(judge, thresholds=(LOOP, WAIT))
