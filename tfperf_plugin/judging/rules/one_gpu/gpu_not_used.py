"""The model ran on the CPU."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.host.host_compute import LONG_NS, OPTIMIZER, XLA_PROGRAMS, HostCompute
from tfperf_plugin.analysis.artifacts.input.host_input import HostInput
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rank import severity_of
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, gpus, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras, shell

LONG = Threshold(
    "a product on a thread of the host",
    LONG_NS,
    "ns",
    "ours: a thread launches an op in less, in each of 40 Keras trainings on GPUs",
    fixed=True,
    side=">",
)
LAUNCH = Threshold(
    "launching an op for a GPU", 20_000, "ns", "guide: a launch takes the host 20 to 40 µs", side=""
)

# Parts of the step below this share are not listed.
WORTH_SAYING: Final = 0.01


def judge(compute: HostCompute, waits: HostInput, devices: Devices) -> Verdict:
    """Compares the time of ops on threads with what launching them for a GPU would take the host."""
    if any(d.events_count for d in devices.all):
        return Passed(f"{count(len(devices.participating) or 1, 'GPU')} worked.")
    if not compute.on_cpu:
        return NotApplicable(
            "Memory of a GPU was in use: see the notes on the recording."
            if compute.gpu_memory
            else "No op that a GPU would compute ran on threads of the host, as far as was recorded."
        )
    if not compute.steps_count:
        return Found(
            summary=f"{_who(devices)}: products of the model ran on the CPU's threads.",
            evidence=(Evidence("GPUs declared", len(devices.all), "count", None, "device planes"),),
            severity="warning",
            fix=_fix(compute, devices),
            action=_action(devices),
        )
    launching = round(compute.ops_per_step * LAUNCH.value)
    gain = max(0, compute.ops_ns - launching)
    share = compute.ops_ns / max(1, compute.step_ns)
    severity = severity_of(gain, compute.step_ns) or "info"
    # The second kind is named if it counts.
    most = listing(
        [kind for i, (kind, ns) in enumerate(compute.kinds[:2]) if not i or ns >= compute.ops_ns / 10]
    )
    cause = (
        f"{_who(devices)}: {most} ran on the CPU's threads; ops take {percent(share)} of a step of "
        f"{ms(compute.step_ns)}."
    )
    doubt = (
        ""
        if severity != "info"
        else f" Launching its {compute.ops_per_step:,.0f} ops for a GPU would take about as long ({ms(launching)}), "
        "so a GPU would gain little."
    )
    return Found(
        summary=cause + doubt,
        cause=cause,
        evidence=(
            Evidence("ops on the CPU", compute.ops_ns, "ns", None, "host events, per step"),
            *(Evidence(f"of it {kind}", ns, "ns", None, "host events, per step") for kind, ns in compute.kinds[:4]),
            *_rest(compute, waits),
            Evidence("ops that run at the same time", compute.sum_ns / max(1, compute.ops_ns), "times", None, "their times in sum, divided by the time with any"),
            Evidence("threads that run ops", compute.threads_count, "count", None, "host events"),
            Evidence("launching as many ops for a GPU", launching, "ns", None, LAUNCH.source),
            Evidence("GPUs declared", len(devices.all), "count", None, "device planes"),
            Evidence("allocations of a GPU's memory, transfers between devices", 0, "count", None, "host events"),
        ),
        where=compute.where,
        severity=severity,
        impact_ratio=gain / max(1, compute.step_ns),
        fix=_fix(compute, devices),
        action=_action(devices),
    )  # fmt: skip


def _rest(compute: HostCompute, waits: HostInput) -> tuple[Evidence, ...]:
    """Where the rest of the step goes."""
    between = max(0, compute.running_ns - compute.ops_ns - waits.wait_ns)
    outside = max(0, compute.step_ns - max(compute.running_ns, compute.ops_ns) - waits.wait_ns)
    rows = (
        (
            "executor between recorded ops, and short ops",
            between,
            "TensorFlow's executor, without recorded ops",
        ),
        ("waiting for input", waits.wait_ns, "requests for a batch"),
        ("the rest: Python, callbacks", outside, "the step without all of these"),
    )
    return tuple(
        Evidence(label, ns, "ns", None, source)
        for label, ns, source in rows
        if ns >= WORTH_SAYING * compute.step_ns
    )


def _on_purpose(compute: HostCompute) -> tuple[str, ...]:
    """What makes the step faster if it is to run on the CPU."""
    if not compute.kinds:
        return ()
    kind, ns = compute.kinds[0]
    how = {
        OPTIMIZER: "it updates each row of an embedding, used or not. Smaller tables shorten it, or an optimizer without "
        "moments (SGD)",
        XLA_PROGRAMS: "compare the step without jit_compile=True: on CPUs, XLA's convolutions and poolings are often "
        "slower than oneDNN's",
    }.get(kind, "narrower layers, smaller images or fewer examples shorten it")
    onednn = (
        ""
        if compute.onednn or compute.mac or kind == XLA_PROGRAMS
        else " No op of oneDNN, Intel's library for CPUs, was recorded: on x86 set TF_ENABLE_ONEDNN_OPTS=1 before the "
        "start, or update TensorFlow (default from 2.9 on)."
    )
    return (
        f"If the machine has no GPU, or the CPU is meant: start with {kind}, {ms(ns)} of a step: {how}.{onednn}",
    )


def _who(devices: Devices) -> str:
    if not devices.all:
        return "No GPU was used"
    return f"The {gpus(len(devices.all)).split(' ')[0]} of this machine {'was' if len(devices.all) == 1 else 'were'} not used"


def _action(devices: Devices) -> str:
    return "Let the program use the GPU" if devices.all else "Find out why the program uses no GPU"


def _fix(compute: HostCompute, devices: Devices) -> Fix:
    """The fix for this machine."""
    fix = _PLACED if devices.all else _ON_MAC if compute.mac else RULE.fix
    return replace(fix, actions=(*fix.actions, *_on_purpose(compute)))


_CHECK = (
    'python -c "import tensorflow as tf; '
    "print(tf.config.list_physical_devices('GPU'), tf.test.is_built_with_cuda())\""
)
_DO_CHECK = f"Check which GPUs TensorFlow sees, and whether it was built with CUDA: {_CHECK}"
_SNIPPETS = (
    shell(_CHECK),
    keras("assert tf.config.list_physical_devices('GPU')  # before model.fit"),
    custom_loop("tf.debugging.set_log_device_placement(True)  # first statement: names each op's device"),
)
_LINKS = (Link("TensorFlow: install with pip", "https://www.tensorflow.org/install/pip"),)
_PLACED = Fix(
    summary="The profiler saw the GPU, but the model's ops ran on the CPU: let TensorFlow place them on the GPU.",
    actions=(
        _DO_CHECK,
        "If the list is empty, the log of the start names the library that could "
        'not be loaded ("Cannot dlopen some GPU libraries"): install CUDA\'s libraries in the version that this '
        "TensorFlow needs, with pip install 'tensorflow[and-cuda]'.",
        "If it prints False, this TensorFlow was built without CUDA: uninstall tensorflow-cpu, and tensorflow from "
        "a channel without CUDA.",
        "If it lists the GPU, look in the program for tf.device('/CPU:0') and "
        "tf.config.set_visible_devices([], 'GPU').",
        "CUDA_VISIBLE_DEVICES must be unset or name GPUs: empty or -1 hides all of them.",
    ),
    snippets=_SNIPPETS,
    links=_LINKS,
)
_ON_MAC = Fix(
    summary="TensorFlow has no CUDA on macOS. Apple's GPU needs the package tensorflow-metal; else train elsewhere.",
    actions=(
        "On a Mac with Apple silicon: pip install tensorflow-metal. Small models may be faster without it: compare "
        "both.",
        _DO_CHECK,
        "For larger models, train on a machine with an NVIDIA GPU.",
    ),
    snippets=(shell("pip install tensorflow-metal\n" + _CHECK), *_SNIPPETS[1:]),
    links=(Link("Apple: TensorFlow with Metal", "https://developer.apple.com/metal/tensorflow-plugin/"),),
)

RULE = declared(judge, thresholds=(LONG, LAUNCH))
