"""GPUs of one host start the same step one after another."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.artifacts.devices import Devices
from tfperf_plugin.artifacts.starts import HostStarts, Starts
from tfperf_plugin.engine.outcome import Evidence, Fix, Place, Snippet
from tfperf_plugin.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import gpu, ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.ledger import Ledger

SPREAD = Threshold(
    "spread of first kernels", 0.02, "ratio", "2 % of the step: below it launch jitter is normal"
)
EXPLAINED = Threshold(
    "share that late launches must explain", 0.80, "ratio", "a cause that covers less is not named"
)

_ORDER = {"fixed": "always in the same order", "rotating": "in rotating order", "none": "in no fixed order"}


def judge(starts: Starts, ledger: Ledger, devices: Devices) -> Verdict:
    """Compares the spread of first kernels with the step, and asks whether launches are spread as much."""
    if not starts.hosts:
        return NotApplicable("Fewer than two GPUs of one host ran the same step.")
    host = max(starts.hosts, key=lambda h: (float(np.median(h.spread_ns)), h.host))
    spread, step_ns = int(np.median(host.spread_ns)), max(1, int(np.median(host.step_ns)))
    limit = int(SPREAD.value * step_ns)
    if spread < limit:
        return Passed(
            f"First kernels of a step lie {ms(spread)} apart, {percent(spread / step_ns)} of the step."
        )
    private = devices.private_threads.get(host.host, False)
    launch = host.launch_spread_ns
    launched_late = launch is not None and int(np.median(launch)) >= EXPLAINED.value * spread
    order = [gpu(name) for name in host.start_order]
    steps = len(host.step)
    summary = f"{order[-1]} starts its first kernel {ms(spread)} after {order[0]}"
    summary += f", {_ORDER[host.order]} ({', '.join(order)})." if steps > 1 else f" ({', '.join(order)})."
    if launched_late:
        summary += " The host launches them that far apart."
    elif launch is not None:
        summary += " The host's launches are not that far apart; the cause is not recorded."
    if private:
        summary += " Each GPU already has its own launch threads (TF_GPU_THREAD_MODE=gpu_private)."
    evidence = [
        Evidence("start spread, median", spread, "ns", limit, "first kernel of each GPU and step"),
        Evidence("steps compared", steps, "count", None, "steps in which all GPUs took part"),
    ]
    if launch is not None:
        evidence.append(
            Evidence(
                "launch spread, median",
                int(np.median(launch)),
                "ns",
                int(EXPLAINED.value * spread),
                "first launch for each GPU and step, through correlation ids",
            )
        )
    evidence.append(
        Evidence(
            "idle while a sibling is in the step",
            host.cost_ns,
            "ns",
            None,
            "ledger, idle.stagger, per step and GPU",
        )
    )
    evidence.append(
        Evidence(
            "waiting in AllReduce for late GPUs",
            host.wait_ns,
            "ns",
            None,
            "ledger, communication.wait, per step and GPU",
        )
    )
    evidence.append(
        Evidence(
            "launch threads private to a GPU",
            "yes" if private else "no",
            "text",
            None,
            "thread names tf_gpu_private_*",
        )
    )
    return Found(
        summary=summary,
        evidence=tuple(evidence),
        where=_places(host),
        claims=_claims(starts, ledger),
        basis="time in which a GPU is idle, or waits in AllReduce, only because GPUs started the step apart",
        confidence="high" if launched_late and steps > 1 else "medium",
        fix=_fix(private),
    )


def _claims(starts: Starts, ledger: Ledger) -> dict[str, int]:
    average = ledger.average()
    hosts = max(1, len(ledger.hosts))
    return {
        "idle.stagger": min(average["idle.stagger"], sum(h.cost_ns for h in starts.hosts) // hosts),
        "communication.wait": min(
            average["communication.wait"], sum(h.wait_ns for h in starts.hosts) // hosts
        ),
    }


def _places(host: HostStarts) -> tuple[Place, ...]:
    spread = host.spread_ns
    worst = np.argsort(-spread, kind="stable")[:5].tolist()
    last = host.first_ns.argmax(axis=0)
    return tuple(
        Place(
            host.host, int(host.first_ns[:, k].min()) / 1e6, int(host.first_ns[:, k].max()) / 1e6,
            f"{gpu(host.names[int(last[k])])} has not started yet", host.names[int(last[k])], None, int(host.number[k]),
        )
        for k in worst
    )  # fmt: skip


_SNIPPETS = (
    Snippet("shell", "TF_GPU_THREAD_MODE=gpu_private python train.py"),
    Snippet(
        "Keras",
        "import os\nos.environ['TF_GPU_THREAD_MODE'] = 'gpu_private'  # before TensorFlow is imported\nimport tensorflow as tf",
    ),
    Snippet(
        "custom loop",
        "os.environ['TF_GPU_THREAD_MODE'] = 'gpu_private'  # before TensorFlow is imported\nos.environ['TF_GPU_THREAD_COUNT'] = '2'",
    ),
)
_SHARED_THREADS = Fix(
    summary="Give each GPU its own launch threads, so that one GPU's launches do not queue behind another's.",
    actions=(
        "Set TF_GPU_THREAD_MODE=gpu_private before TensorFlow starts.",
        "If the spread stays, set TF_GPU_THREAD_COUNT=4 and profile again.",
        "Keep tf.data from taking all cores: options.threading.private_threadpool_size.",
    ),
    snippets=_SNIPPETS,
)
_PRIVATE_THREADS = Fix(
    summary="Launch threads are private already; look at what the host does before it launches for the late GPU.",
    actions=(
        "Open the place in the trace and see which host events lie before the late GPU's first launch.",
        "Look for work that is done once per GPU one after another: function instantiation, iterator calls, copies of constants.",
        "Record ten or more steps after a warm-up: in the first step GPUs are set up one after another.",
    ),
    snippets=(
        Snippet("Keras", "tf.keras.callbacks.TensorBoard(log_dir, profile_batch=(10, 20))"),
        Snippet(
            "custom loop",
            "if step == 10: tf.profiler.experimental.start(log_dir)\nwith tf.profiler.experimental.Trace('train', step_num=step, _r=1):\n    train_step(next(iterator))\nif step == 20: tf.profiler.experimental.stop()",
        ),
    ),
)


def _fix(private: bool) -> Fix:
    return _PRIVATE_THREADS if private else _SHARED_THREADS


RULE = Rule(
    id="gpu-stagger",
    topic="Start of the GPUs",
    title="GPUs start the step one after another",
    group="several_gpus",
    why=(
        "If one thread launches for several GPUs in turn, the last GPU starts late and all others wait for "
        "it in AllReduce. The step becomes longer by the whole spread."
    ),
    guide=sections.CONTENTION,
    judge=judge,
    thresholds=(SPREAD, EXPLAINED),
    explained_by=("gpus-run-serially",),
    fix=_SHARED_THREADS,
)
