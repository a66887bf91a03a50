"""GPUs of one host start the same step one after another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.framework import Framework
from tfperf_plugin.analysis.artifacts.communication.starts import HostStarts, Starts
from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gpu, ms, percent, with_name
from tfperf_plugin.judging.verdicts import Fix, custom_loop, keras, shell
from tfperf_plugin.recording.record import TrainingFacts

SPREAD = Threshold(
    "spread of first kernels", 0.02, "ratio", "2 % of the step: below it launch jitter is normal"
)
EXPLAINED = Threshold(
    "share that late launches must explain", 0.80, "ratio", "a cause that covers less is not named"
)

COST = Threshold("time lost by it", 0.01, "ratio", "lowest severity: 1 % of the step")

_ORDER = {"fixed": "always in the same order", "rotating": "in rotating order", "none": "in no fixed order"}


def judge(
    starts: Starts, ledger: Ledger, devices: Devices, framework: Framework, facts: TrainingFacts | None
) -> Verdict:
    """Compares the spread of first kernels with the step, and with the spread of launches."""
    if not starts.hosts:
        return NotApplicable("Fewer than two GPUs of one host ran the same step.")
    if devices.unseen("starting"):
        return NotApplicable(
            "The recording ends while GPUs are still being started: it does not show how far apart they begin a usual step."
        )
    host = max(
        starts.hosts, key=lambda h: (_median(h.spread_ns - h.input_spread_ns - h.busy_spread_ns), h.host)
    )
    spread, step_ns = _median(host.spread_ns), max(1, _median(host.step_ns))
    limit = int(SPREAD.value * step_ns)
    apart = f"First kernels of a step lie {ms(spread)} apart, {percent(spread / step_ns)} of the step"
    if spread < limit:
        return Passed(f"{apart}.")
    by_input = _median(host.input_spread_ns)
    if by_input >= EXPLAINED.value * spread:
        return Passed(
            f"{apart}, because the last GPU waits {ms(by_input)} of that for its input: input-bound judges this."
        )
    by_work = _median(host.busy_spread_ns)
    if by_input + by_work >= EXPLAINED.value * spread:
        return Passed(f"{apart}, because the last GPU has other work for {ms(by_work)} of that.")
    claims = _claims(starts, ledger)
    cost = sum(claims.values())
    if cost < COST.value * ledger.step_ns:
        return Passed(f"{apart}, but GPUs have other work meanwhile: {ms(cost)} per step are lost.")
    where = f"On {host.host}, " if len(ledger.hosts) > 1 else ""
    named = devices.private_threads.get(host.host, False)
    private = named or bool(facts and facts.private_threads)
    launch = None if host.launch_spread_ns is None else _median(host.launch_spread_ns)
    launched_late = launch is not None and launch >= EXPLAINED.value * spread
    evidence = [
        Evidence("Launch skew, median", spread, "ns", limit, "first kernel of each GPU and step"),
        Evidence("steps compared", len(host.step), "count", None, "steps in which all GPUs took part"),
    ]
    if launch is not None:
        evidence.append(
            Evidence(
                "between launches, median",
                launch,
                "ns",
                int(EXPLAINED.value * spread),
                "first launch for each GPU and step, through correlation ids",
            )
        )
    if host.one_thread is not None:
        evidence.append(
            Evidence(
                "host threads that launch first",
                _threads(host),
                "text",
                None,
                "first launch for each GPU, through correlation ids",
            )
        )
    if by_input:
        evidence.append(
            Evidence(
                "of the skew, waiting for input",
                by_input,
                "ns",
                int(EXPLAINED.value * spread),
                "account Input wait of the last GPU, median",
            )
        )
    evidence += [
        Evidence(
            "idle while a sibling is in the step",
            host.cost_ns,
            "ns",
            None,
            "account Launch skew, per step and GPU",
        ),
        Evidence(
            "waiting in AllReduce for late GPUs",
            host.wait_ns,
            "ns",
            None,
            "account Straggler wait, per step and GPU",
        ),
        Evidence(
            "launch threads private to a GPU",
            "yes" if private else "no",
            "text",
            None,
            "TF_GPU_THREAD_MODE, recorded by the training"
            if private and not named
            else "thread names tf_gpu_private_*",
        ),
    ]
    return Found(
        title=f"Launch skew: {gpu(host.start_order[-1])}" if _one_late(host) else None,
        summary=f"{where}{_start_sentence(host, spread)} {_cause_sentence(host, launch, launched_late, private)}",
        evidence=tuple(evidence),
        where=_places(host),
        claims=claims,
        basis="time in which a GPU is idle, or waits in AllReduce, only because the GPUs did not start the step together",
        confidence="high" if launched_late and len(host.step) > 1 else "medium",
        fix=_fix(private, launched_late and bool(host.one_thread), facts) if launched_late else _NOT_LAUNCHES,
        action=_action(host, framework, private, launched_late),
        cause=_one_thread_cause(host, spread, where) if launched_late and host.one_thread else "",
    )


def _median(values: npt.NDArray[np.int64]) -> int:
    return int(np.median(values))


def _one_late(host: HostStarts) -> bool:
    """Whether the same GPU comes last in most steps, and all others start together."""
    late = host.first_ns - host.first_ns.min(axis=0)
    last = int(np.median(late, axis=1).argmax())
    others = np.delete(late, last, axis=0).max(axis=0)
    often = float((late.argmax(axis=0) == last).mean()) >= EXPLAINED.value
    return len(host.names) > 2 and often and _median(others) < SPREAD.value * _median(host.step_ns)


def _start_sentence(host: HostStarts, spread: int) -> str:
    order = [gpu(name) for name in host.start_order]
    if _one_late(host):
        return f"{order[-1]} starts its first kernel {ms(spread)} after the others, which start together."
    text = f"{order[-1]} starts its first kernel {ms(spread)} after {order[0]}"
    return text + (
        f", {_ORDER[host.order]} ({', '.join(order)})." if len(host.step) > 1 else f" ({', '.join(order)})."
    )


def _cause_sentence(host: HostStarts, launch: int | None, launched_late: bool, private: bool) -> str:
    """Why GPUs start late, as far as launches tell."""
    if private and launched_late and not host.one_thread:
        return (
            "Each GPU already has launch threads of its own (TF_GPU_THREAD_MODE=gpu_private), but those of the late "
            "GPUs begin to launch that much later."
        )
    if launch is None:
        cause = "Launches are not recorded, so the cause is unknown."
    elif not launched_late:
        cause = f"The host's launches lie only {ms(launch)} apart; what delays the late GPUs is not recorded."
    elif host.one_thread:
        cause = "One host thread launches for all of them, one GPU after another."
    else:
        cause = "Several host threads launch for them and begin that far apart."
    return cause + (
        " Each GPU already has launch threads of its own (TF_GPU_THREAD_MODE=gpu_private)." if private else ""
    )


def _one_thread_cause(host: HostStarts, spread: int, where: str) -> str:
    """One sentence with the thread, the GPUs and their distance."""
    first, last = gpu(host.start_order[0]), gpu(host.start_order[-1])
    if host.order != "fixed":
        first, last = "the first one", "the last GPU"
    gpus = "both GPUs" if len(host.names) == 2 else f"all {len(host.names)} GPUs"
    return (
        f"{where}{'one' if where else 'One'} host thread launches for {gpus}, so {last} starts "
        f"{ms(spread)} after {first} in the median step."
    )


def _threads(host: HostStarts) -> str:
    """The thread that launches first for most steps of each GPU, in the GPUs' order of start."""
    codes = {name: int(np.bincount(host.thread[i]).argmax()) for i, name in enumerate(host.names)}
    if len(set(codes.values())) == 1:
        return f"{host.threads[codes[host.names[0]]]} for all"
    return ", ".join(f"{gpu(name)}: {host.threads[codes[name]]}" for name in host.start_order)


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


_THREAD_COUNT = "TF_GPU_THREAD_COUNT"
_SNIPPETS = (
    shell("TF_GPU_THREAD_MODE=gpu_private python train.py"),
    keras(
        "import os\nos.environ['TF_GPU_THREAD_MODE'] = 'gpu_private'  # before TensorFlow is imported\nimport tensorflow as tf"
    ),
    custom_loop(
        "import os\nos.environ['TF_GPU_THREAD_MODE'] = 'gpu_private'  # before TensorFlow is imported\n"
        "os.environ['TF_GPU_THREAD_COUNT'] = '4'  # if Launch skew stays; 2 is the default\nimport tensorflow as tf"
    ),
)
_SHARED_THREADS = Fix(
    summary="Give each GPU its own launch threads, so that one GPU's launches do not queue behind another's.",
    actions=(
        "Set TF_GPU_THREAD_MODE=gpu_private before TensorFlow starts.",
        f"If Launch skew stays, set {_THREAD_COUNT}=4 and profile again.",
        "Keep tf.data from taking all cores: options.threading.private_threadpool_size.",
    ),
    snippets=_SNIPPETS,
)
_TEN_STEPS = (
    keras("tf.keras.callbacks.TensorBoard(log_dir, profile_batch=(10, 20))"),
    custom_loop(
        "if step == 10: tf.profiler.experimental.start(log_dir)\nwith tf.profiler.experimental.Trace('train', step_num=step, _r=1):\n    train_step(next(iterator))\nif step == 20: tf.profiler.experimental.stop()"
    ),
)
_PRIVATE_THREADS = Fix(
    summary="Launch threads are private already; find out what the host does before it launches for the late GPU.",
    actions=(
        "In the trace, see which host events precede the late GPU's first launch.",
        "Look for work that the host does for one GPU after another: function instantiation, iterator calls, copies of constants.",
        "Keep tf.data from taking all cores: options.threading.private_threadpool_size.",
    ),
    snippets=_TEN_STEPS,
)
_NOT_LAUNCHES = Fix(
    summary="Find out what delays the late GPUs: their launches do not explain it, as far as they were recorded.",
    actions=(
        "In the trace, see what the late GPU waits for between its first launch and its first kernel.",
        "Look for copies to this GPU, and for other programs on it.",
        "Record about ten steps, so that launches and kernels of whole steps are in the profile.",
    ),
    snippets=_TEN_STEPS,
)
_ONE_THREAD_LAUNCHES = Fix(
    summary="Launch for all GPUs at the same time: one host thread now launches for one GPU after another.",
    actions=(
        "Use tf.distribute.MirroredStrategy inside a tf.function instead of a Python loop over the GPUs.",
        "Let the host launch less: jit_compile=True, larger batches per GPU.",
        "Do not wait for the loss in each step, so that the host runs ahead of the GPUs.",
    ),
    snippets=(
        keras(
            "with tf.distribute.MirroredStrategy().scope():\n    model = build_model()\n    model.compile(optimizer, loss, jit_compile=True)"
        ),
        custom_loop("@tf.function\ndef step(batch):\n    return strategy.run(replica_step, args=(batch,))"),
    ),
)


def _action(host: HostStarts, framework: Framework, private: bool, launched_late: bool) -> str:
    """What to do about this cause; only TensorFlow's launch threads can be given to GPUs."""
    if not launched_late or (private and not host.one_thread):
        late = gpu(host.start_order[-1]) if _one_late(host) else "the late GPUs"
        return with_name("Find out what delays {}", late)
    other = private or framework.name in ("JAX", "PyTorch")
    return "Launch for all GPUs at the same time" if other else ""


def _fix(private: bool, one_thread: bool, facts: TrainingFacts | None) -> Fix:
    """The fix for this cause; it never advises threads that are set already."""
    fix = _SHARED_THREADS if not private else _ONE_THREAD_LAUNCHES if one_thread else _PRIVATE_THREADS
    if not private and facts and facts.thread_count is not None:
        kept = tuple(action for action in fix.actions if _THREAD_COUNT not in action)
        return replace(fix, actions=kept, snippets=_SNIPPETS[:2])
    # "": the training recorded its environment, and the variable was not set.
    if fix is _PRIVATE_THREADS and facts and facts.variable(_THREAD_COUNT) == "":
        return replace(
            fix, actions=(*fix.actions, f"Each GPU has the usual two launch threads; try {_THREAD_COUNT}=4.")
        )
    return fix


RULE = declared(
    judge,
    thresholds=(SPREAD, EXPLAINED, COST),
    explained_by=("gpus-run-serially", "pipeline-bubble"),
    yields_to=("pipeline-bubble",),
)
