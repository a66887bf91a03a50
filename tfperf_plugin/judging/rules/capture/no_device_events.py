"""The machine has GPUs, but nothing was recorded on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.by_host import RunFacts, longest_first
from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import AT_WORK_RATIO, DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import severity_at, severity_of
from tfperf_plugin.judging.engine.words import count, gpu, listing, ms, say, together, whole
from tfperf_plugin.trace.roles import fills_tensor

KERNELS = Threshold(
    "kernels recorded on all GPUs", 1, "count", "without a kernel there is nothing to judge", fixed=True, side="<"
)  # fmt: skip
AT_WORK = Threshold(
    "memory freed as often as on a GPU with kernels", AT_WORK_RATIO, "ratio", "ours: replicas free their memory equally often", fixed=True
)  # fmt: skip
MESSAGES_COUNT: Final = 5
# The most CUDA calls that are named, each with more than this share of the recording.
CALLS_COUNT: Final = 3
CALL_RATIO: Final = 0.1
# Where the host neither works nor waits for input in this share of a step, it mostly waits for the GPU.
REST_RATIO: Final = 0.5

ON_HOSTS = "No GPU events recorded: {hosts}"
RECORDED = "{kernels:kernel was|kernels were} recorded on {gpus:GPUs}."
ALL_FAILED = "Every launch failed, so no kernel ran."
ON_CPU = "The model ran on the CPU."
WOULD_MISS = "GPU events would be missing"
MEND_FIRST = (
    "This model ran on the CPU. Before it runs on the GPU, put CUPTI's folder in front of LD_LIBRARY_PATH, on Windows of PATH: "
    "without it, kernels are not recorded."
)
NO_GPU = "The profile declares no GPU."
OTHERS = "The profile is of other accelerators: {kinds}."
NOT_PERMITTED = (
    "The profiler was not permitted to record the GPU: CUPTI, NVIDIA's library that delivers GPU events, requires "
    "administrator's rights."
)
NOT_ALONE = (
    "Another profiler held the GPU: CUPTI, NVIDIA's library that delivers GPU events, serves one at a time."
)
NOT_TRACED = (
    "Nsight Systems was not asked to trace CUDA: the file holds neither its calls nor the work of GPUs."
)
NOT_LOADED = "The profiler could not load CUPTI, NVIDIA's library that delivers GPU events."
ERROR = "CUPTI, NVIDIA's library that delivers GPU events, reported an error."
USED = "The GPU was used, but not recorded: CUPTI, NVIDIA's library that delivers GPU events, is missing or not permitted."
LAUNCHED = (
    "The program launched {n:kernel|kernels}, but none was recorded: the recording ended before the GPU had run them, or CUPTI, "
    "NVIDIA's library that delivers GPU events, handed none over."
)
AWAITED = (
    "The program launched {n:kernel|kernels} and waited for the GPU, but none was recorded: CUPTI, NVIDIA's library that "
    "delivers GPU events, handed none over, as where another profiler holds the GPU, or in WSL."
)
LOST_IN_FILE = "The file is damaged: {loss}"
NOT_ASKED = (
    "The GPU was used, but not recorded: the profiler was not asked for GPU events, or CUPTI, NVIDIA's library that delivers "
    "them, is missing or not permitted."
)
TIMED = (
    "PyTorch's profiler before Kineto wrote this file: it measured how long each op took on the GPU and recorded no kernels. "
    "{op} takes {ns:ms} of {every:ms}."
)
ON_HOST = "Of {whole}, the host spends {times}, computing or waiting for the GPU."
COMPUTES = "Of {whole}, the CPU computes for {times}, without calling a GPU."
CALLS = "The program spends {times}, of {whole}."
WAITS = (
    "Of {whole}, TensorFlow's executor works for {running:ms}, and the step waits for input for {waiting:ms}. For the other "
    "{rest:ms} the host waits for the GPU, or Python runs."
)
FILLS = "Tensors that are made with device='cuda' are filled by the GPU instead."
USED_ON_MAC = (
    "The GPU was used, but not recorded: Apple's plugin for TensorFlow hands over no events of the GPU."
)
USED_ON_MPS = "The GPU was used, but not recorded: PyTorch's profiler records no events of a Mac's GPU (MPS)."
NOT_LAUNCHED = (
    "The program called CUDA's runtime or driver {n:times|times}, but launched nothing: no GPU had work while the profile was "
    "recorded."
)
ONLY_COPIED = (
    "The program launched no kernel: {n:copy or memset is|copies or memsets are} all that ran on {gpus:GPU|GPUs}, for up to "
    "{busy:percent} of the time."
)
PINNED = "If copies are what you measure, copy to and from pinned memory."
EITHER = (
    "Either CUPTI, NVIDIA's library that delivers GPU events, is missing or not permitted, or the GPUs ran nothing while the "
    "profile was recorded; the file does not say which."
)
EITHER_NOT_ASKED = (
    "The profiler was not asked for GPU events, CUPTI, NVIDIA's library that delivers them, is missing or not permitted, or the "
    "GPUs ran nothing while the profile was recorded; the file does not say which."
)
DECLARED = "The profile declares {n:GPU|GPUs}, but holds no kernel: what GPUs did cannot be judged."
DECLARED_ON = "On {hosts}, the profile declares {n:GPU|GPUs}, but holds no kernel: what GPUs did there cannot be judged."
NONE_DECLARED = "The profile declares no GPU: what one did cannot be judged."
NONE_DECLARED_USED = (
    "The profile declares no GPU, although its memory was allocated: what it did cannot be judged."
)
NONE_DECLARED_OPS = (
    "The profile declares no GPU, although ops ran as they do only with one: what it did cannot be judged."
)
LOST_BY_THREADS = "The host works for {gpus}: its threads launch for {executing:GPUs}."
LOST_BY_MEMORY = "The host works for {gpus}: their memory is allocated and freed as on GPUs with kernels."
LOST = "But kernels were recorded on {recorded:GPUs} only. What the others did cannot be judged, nor whether GPUs wait for each other."
# What TensorFlow's and XLA's collector writes into a file, and CUPTI's own codes: the cause, and the advice.
ANSWERS: Final = (
    (
        re.compile(r"(?i)insufficient.privilege|NVGPUCTRPERM"),
        NOT_PERMITTED,
        "profiling is not permitted",
        "profiling is not permitted on Windows",
    ),
    (
        re.compile(
            r"(?i)another profile(r)?( session)? (is )?(running|active)|MULTIPLE_SUBSCRIBERS|MAX_LIMIT_REACHED"
        ),
        NOT_ALONE,
        "another profiler holds the GPU",
        "another profiler holds the GPU",
    ),
    (
        re.compile(r"(?i)failed to load libcupti|cupti could not be loaded"),
        NOT_LOADED,
        "CUPTI was not loaded",
        "CUPTI was not loaded on Windows",
    ),
    # What our reader of Nsight Systems says.
    (
        re.compile(r"holds no work of GPUs: record with nsys"),
        NOT_TRACED,
        "CUDA was not traced",
        "CUDA was not traced",
    ),
)


def judge(
    devices: Devices, capture: Capture, compute: HostCompute, late: LateInput, run: RunFacts
) -> Verdict:
    """Looks for hosts without any kernel, and answers the messages of the collector of GPU events."""
    messages = (*capture.errors, *capture.warnings)
    cupti = [m for m in messages if "cupti" in m.lower() or _answer([m], False)]
    kernels = sum(d.kernels_count for d in devices.all)
    lost = devices.unseen("unrecorded")
    if kernels >= KERNELS.value and not devices.silent_hosts and lost:
        return _some_lost(devices, lost)
    if kernels >= KERNELS.value and not devices.silent_hosts:
        return Passed(say(RECORDED, kernels=kernels, gpus=len(devices.participating)))
    hosts = devices.silent_hosts
    windows = bool(capture.windows_hosts) and {*hosts} <= {*capture.windows_hosts}
    if capture.failed and not kernels and not capture.launches_count:
        return NotApplicable(ALL_FAILED)
    answer = _answer(cupti, windows)
    if compute.on_cpu:
        if not devices.all or not answer or answer[0] != NOT_LOADED:
            return NotApplicable(ON_CPU)
        return Found(
            title=WOULD_MISS,
            summary=together(NOT_LOADED, MEND_FIRST),
            advice=answer[1],
            evidence=_quoted(cupti),
            severity="info",
        )
    if devices.accelerators and not devices.all:
        return NotApplicable(say(OTHERS, kinds=listing(sorted(devices.accelerators))))
    if not devices.all and not cupti and not compute.used_gpu:
        return NotApplicable(NO_GPU)
    silent = [d for d in devices.all if d.host in hosts]
    used = compute.used_gpu and not kernels
    unsaid = (
        (say(LOST_IN_FILE, loss=run.losses[0]), "the file is damaged")
        if run.losses
        else _unsaid(compute, used, silent)
    )
    cause, case = answer or ((ERROR, "") if cupti else unsaid)
    if silent:
        seen = say(DECLARED_ON if kernels else DECLARED, n=len(silent), hosts=listing(hosts))
    elif compute.timed_ns:
        seen = ""
    else:
        seen = NONE_DECLARED_USED if compute.gpu_memory else NONE_DECLARED_OPS if used else NONE_DECLARED
    return Found(
        title=say(ON_HOSTS, hosts=listing(hosts, 2)) if kernels else "",
        summary=together(cause, seen, _on_host(compute), _waits(compute, late) if used and silent else ""),
        advice=case,
        evidence=(
            Evidence("GPUs declared", len(silent), "count", None, "device planes"),
            Evidence("kernels recorded", 0, "count", int(KERNELS.value), "device planes"),
            *_quoted(cupti),
            *([Evidence("Windows, by names of threads or the host, or by paths", listing(capture.windows_hosts), "text")] if windows else []),
        ),
        severity="warning" if kernels else "critical",
    )  # fmt: skip


def _quoted(messages: Sequence[str]) -> tuple[Evidence, ...]:
    source = "errors and warnings of the file"
    return tuple(Evidence("collector", text, "text", None, source) for text in messages[:MESSAGES_COUNT])


def _waits(compute: HostCompute, late: LateInput) -> str:
    """What the host of a step of TensorFlow does, if it mostly waits."""
    running, waiting = compute.running_ns, late.lost_ns
    rest = compute.step_ns - running - waiting
    if not compute.steps_count or not running or rest < REST_RATIO * compute.step_ns:
        return ""
    step = whole(compute.step_ns, compute.steps_count)
    return say(WAITS, whole=step, running=running, waiting=waiting, rest=rest)


def _on_host(compute: HostCompute) -> str:
    """The ops of PyTorch that take most of the host's time, only those that compute if that can be told, and
    the calls of GPUs that take much of it."""
    kinds = longest_first(compute.alone_ns) if compute.calls_count else compute.kinds
    most = [row for row in kinds[:2] if severity_of(row[1], compute.step_ns) == "critical"]
    calls = [row for row in longest_first(compute.ns_by_call) if row[1] > CALL_RATIO * compute.step_ns]
    fills = compute.calls_count and any(fills_tensor(f"aten::{kind}") for kind, _ in most)
    told = {"whole": whole(compute.step_ns, compute.steps_count)}
    ops = say(
        COMPUTES if compute.calls_count else ON_HOST, FILLS if fills else "", times=_times(most), **told
    )
    return together(
        ops if compute.torch and most else "",
        say(CALLS, times=_times(calls[:CALLS_COUNT]), **told) if calls else "",
    )


def _times(rows: Sequence[tuple[str, int]]) -> str:
    return listing([f"{ms(ns)} in {name}" for name, ns in rows])


def _unsaid(compute: HostCompute, used: bool, silent: Sequence[DeviceInfo]) -> tuple[str, str]:
    """Cause and case where the collector reported nothing."""
    copying = [d for d in silent if d.events_count]
    if copying and compute.calls_count and not compute.launched_count:
        busiest, number = max(d.busy_ratio for d in copying), sum(d.events_count for d in copying)
        pinned = PINNED if severity_at(busiest) and not all(d.pinned for d in copying) else ""
        return say(ONLY_COPIED, pinned, n=number, gpus=len(copying), busy=busiest), "only copies ran"
    if used and compute.awaited:
        return say(AWAITED, n=compute.launched_count), ""
    if used and compute.launched_count:
        return say(LAUNCHED, n=compute.launched_count), "kernels were launched"
    if compute.calls_count and not used and not compute.launched_count:
        return say(NOT_LAUNCHED, n=compute.calls_count), "nothing was launched"
    if compute.timed_ns:
        op, ns = longest_first(compute.timed_ns)[0]
        return say(TIMED, op=op, ns=ns, every=sum(compute.timed_ns.values())), "an old profiler recorded"
    if used and compute.mac:
        return USED_ON_MPS if compute.torch else USED_ON_MAC, "macOS"
    if compute.torch:
        return NOT_ASKED if used else EITHER_NOT_ASKED, "GPU events were not asked for"
    return USED if used else EITHER, ""


def _answer(messages: Sequence[str], windows: bool) -> tuple[str, str] | None:
    """Cause and case of the first known message, for the operating system of these hosts."""
    for pattern, cause, linux, on_windows in ANSWERS:
        if any(pattern.search(m) for m in messages):
            return cause, on_windows if windows else linux
    return None


def _some_lost(devices: Devices, lost: tuple[DeviceInfo, ...]) -> Found:
    """Kernels of some GPUs only were recorded, while the host works for others."""
    recorded, executing = len(devices.participating), sum(devices.executing_count.values())
    names = listing([gpu(d.device) for d in lost], 8) if len({d.host for d in lost}) == 1 else ""
    gpus = names or count(len(lost), "GPU")
    return Found(
        advice="some GPUs were lost",
        values={"lost": len(lost), "all": len(lost) + recorded},
        summary=together(
            say(LOST_BY_THREADS, gpus=gpus, executing=executing)
            if executing > recorded
            else say(LOST_BY_MEMORY, gpus=gpus),
            say(LOST, recorded=recorded),
        ),
        evidence=(
            Evidence("GPUs at work without a recorded kernel", len(lost), "count", None, "threads and memory of the host"),
            Evidence("GPUs with recorded kernels", recorded, "count", None, "device planes"),
            Evidence("GPUs that threads launch for", executing, "count", None, "names of threads"),
        ),
        severity="warning",
    )  # fmt: skip


RULE = declared(judge, thresholds=(KERNELS, AT_WORK))
