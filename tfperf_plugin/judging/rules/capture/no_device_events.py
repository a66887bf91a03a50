"""The machine has GPUs, but nothing was recorded on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import AT_WORK_RATIO, DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, gpu, listing
from tfperf_plugin.judging.verdicts import Fix, Link, Snippet, keras, shell

KERNELS = Threshold(
    "kernels recorded on all GPUs",
    1,
    "count",
    "without a kernel there is nothing to judge",
    fixed=True,
    side="<",
)
AT_WORK = Threshold(
    "memory freed as often as on a GPU with kernels",
    AT_WORK_RATIO,
    "ratio",
    "ours: replicas free their memory equally often",
    fixed=True,
)
MESSAGES_COUNT = 5


def judge(devices: Devices, capture: Capture, compute: HostCompute) -> Verdict:
    """Looks for hosts without any kernel, and answers the messages of the collector of GPU events."""
    messages = (*capture.errors, *capture.warnings)
    cupti = [m for m in messages if "cupti" in m.lower() or _answer([m], False)]
    kernels = sum(d.kernels_count for d in devices.all)
    lost = devices.unseen("unrecorded")
    if kernels >= KERNELS.value and not devices.silent_hosts and lost:
        return _some_lost(devices, lost)
    if kernels >= KERNELS.value and not devices.silent_hosts:
        return Passed(
            f"{count(kernels, 'kernel was', 'kernels were')} recorded on {count(len(devices.participating), 'GPU')}."
        )
    if compute.on_cpu:
        return NotApplicable("The model ran on the CPU.")
    if not devices.all and not cupti and not compute.gpu_memory:
        return NotApplicable("The profile declares no GPU.")
    hosts = devices.silent_hosts
    silent = [d for d in devices.all if d.host in hosts]
    where = f" on {listing(hosts)}" if kernels else ""
    seen = (
        f"{count(len(silent), 'GPU is', 'GPUs are')} declared{where or ' in the profile'}, but no kernel was recorded"
        if silent
        else "The profile declares no GPU"
    )
    windows = bool(capture.windows_hosts) and {*hosts} <= {*capture.windows_hosts}
    answer = _answer(cupti, windows)
    if answer:
        cause = answer[0]
    elif cupti:
        cause = "CUPTI, NVIDIA's library that delivers GPU events, reported an error."
    elif compute.gpu_memory and not kernels:
        cause = (
            "The GPU was used, but not recorded: CUPTI, NVIDIA's library that delivers GPU events, is missing or "
            "not permitted."
        )
    else:
        cause = (
            "Either CUPTI, NVIDIA's library that delivers GPU events, is missing or not permitted, or the GPUs ran "
            "nothing while the profile was recorded; the file does not say which."
        )
    used = ", although its memory was allocated" if compute.gpu_memory and not kernels else ""
    return Found(
        title=f"{RULE.title}: {listing(hosts, 2)}" if kernels else None,
        action=answer[2] if answer else "",
        summary=f"{cause} {seen}{used}: what the GPUs did cannot be judged.",
        evidence=(
            Evidence("GPUs declared", len(silent), "count", None, "device planes"),
            Evidence("kernels recorded", 0, "count", int(KERNELS.value), "device planes"),
            *(Evidence("collector", text, "text", None, "errors and warnings of the file") for text in cupti[:MESSAGES_COUNT]),
            *([Evidence("Windows, by its name or recorded paths", listing(capture.windows_hosts), "text")] if windows else []),
        ),
        severity="warning" if kernels else "critical",
        fix=answer[1] if answer else None,
    )  # fmt: skip


def _answer(messages: Sequence[str], windows: bool) -> tuple[str, Fix, str] | None:
    """Cause, fix and action of the first known message, for the operating system of these hosts."""
    for pattern, cause, linux, on_windows, action in _ANSWERS:
        if any(pattern.search(m) for m in messages):
            return cause, on_windows if windows else linux, action
    return None


def _some_lost(devices: Devices, lost: tuple[DeviceInfo, ...]) -> Found:
    """Kernels of some GPUs only were recorded, while the host works for others."""
    recorded, executing = len(devices.participating), sum(devices.executing_count.values())
    names = listing([gpu(d.device) for d in lost], 8) if len({d.host for d in lost}) == 1 else ""
    seen = (
        f"threads of the host launch for {count(executing, 'GPU')}"
        if executing > recorded
        else "their memory is allocated and freed as on GPUs with kernels"
    )
    return Found(
        title=f"Kernels of {len(lost)} of {len(lost) + recorded} GPUs not recorded",
        action="Record again while all GPUs are at work",
        summary=(
            f"The host works for {names or count(len(lost), 'GPU')}: {seen}. But kernels were recorded on "
            f"{count(recorded, 'GPU')} only. What the others did cannot be judged, nor whether GPUs wait for each other."
        ),
        evidence=(
            Evidence("GPUs at work without a recorded kernel", len(lost), "count", None, "threads and memory of the host"),
            Evidence("GPUs with recorded kernels", recorded, "count", None, "device planes"),
            Evidence("GPUs that threads launch for", executing, "count", None, "names of threads"),
        ),
        severity="warning",
        fix=_RECORD_AGAIN,
    )  # fmt: skip


_RECORD_AGAIN = Fix(
    summary="Record again, so that kernels of all GPUs are in the profile.",
    actions=(
        "Start the profiler after the first steps, when all GPUs are at work, and let it run for at least ten.",
        "If the same GPUs stay empty, update the framework and the library that delivers GPU events: CUPTI, or "
        "rocprofiler on AMD.",
        "Let no other profiler use these GPUs at the same time.",
    ),
)


_PERMISSION_LINK = Link(
    "NVIDIA: permission to use performance counters",
    "https://developer.nvidia.com/nvidia-development-tools-solutions-err_nvgpuctrperm-permission-issue-performance-counters",
)
_ISSUES = "https://github.com/tensorflow/tensorflow/issues"

_LOAD_ON_LINUX = Fix(
    summary="Let the training process find CUPTI: put its folder in front of LD_LIBRARY_PATH before Python starts.",
    actions=(
        "Find libcupti.so with the command below: it comes with the CUDA toolkit, in extras/CUPTI/lib64, or with "
        "the package nvidia-cuda-cupti, in nvidia/cuda_cupti/lib of the environment.",
        "Put that folder in front of LD_LIBRARY_PATH, start the training from there, and record again.",
        "If CUPTI is found and the message stays, the training's log says which version it looks for or "
        "which call failed: it must be the version of TensorFlow's CUDA. Inside WSL 2, also permit all "
        "users to use the GPU's counters, in the NVIDIA Control Panel of Windows.",
    ),
    snippets=(
        shell(
            "find / -name 'libcupti.so*' 2>/dev/null\n"
            "export LD_LIBRARY_PATH=/usr/local/cuda/extras/CUPTI/lib64:$LD_LIBRARY_PATH\n"
            "python -c \"import ctypes; ctypes.CDLL('libcupti.so')\"  # no error: it is found"
        ),
    ),
    links=(Link("TensorFlow: WSL 2 does not load libcupti", f"{_ISSUES}/61210"),),
)
_LOAD_ON_WINDOWS = Fix(
    summary=r"Put CUDA's folder extras\CUPTI\lib64 on PATH, so that Windows finds CUPTI's DLL, and record again.",
    actions=(
        r"Add C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\VERSION\extras\CUPTI\lib64 to PATH, with the "
        "version of CUDA that TensorFlow was built for, and start Python anew.",
        "The training's log names the DLL that TensorFlow looks for, such as cupti64_112.dll. CUDA 11 installs it "
        "under another name, such as cupti64_2020.3.0.dll: copy it, in the same folder, to the name in the log.",
        "If the training runs in WSL 2, whose hosts have the names of Windows, put the Linux folder "
        "/usr/local/cuda/extras/CUPTI/lib64 in front of LD_LIBRARY_PATH instead.",
    ),
    snippets=(
        Snippet(
            "PowerShell",
            '$cupti = "$env:CUDA_PATH\\extras\\CUPTI\\lib64"\n'
            'Get-ChildItem "$cupti\\cupti64_*.dll"\n'
            '$env:PATH = "$cupti;$env:PATH"\n'
            "python train.py",
        ),
    ),
    links=(
        Link("TensorFlow: the name of CUPTI's DLL on Windows", f"{_ISSUES}/44697"),
        Link("TensorFlow: cupti64_110.dll not found", f"{_ISSUES}/43030"),
    ),
)
_PERMIT_ON_LINUX = Fix(
    summary="Permit all users to profile the GPU, or run the training as root, then record again.",
    actions=(
        "Load the NVIDIA driver with NVreg_RestrictProfilingToAdminUsers=0 and reboot.",
        "In a container, start it with --cap-add=SYS_ADMIN, or with --privileged=true; on a cluster only its "
        "administrator can do this.",
    ),
    snippets=(
        shell(
            "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' |\n"
            "    sudo tee /etc/modprobe.d/nvidia-profiling.conf\n"
            "sudo update-initramfs -u && sudo reboot\n"
            "# in a container\n"
            "docker run --gpus all --cap-add=SYS_ADMIN IMAGE"
        ),
    ),
    links=(_PERMISSION_LINK,),
)
_PERMIT_ON_WINDOWS = Fix(
    summary="Permit all users to use the GPU's performance counters in the NVIDIA Control Panel, then record again.",
    actions=(
        "NVIDIA Control Panel: Desktop › Enable Developer Settings; then Developer › Manage GPU Performance "
        "Counters › Allow access to the GPU performance counters to all users.",
        "Or start the training as administrator.",
    ),
    links=(_PERMISSION_LINK,),
)
_ALONE = Fix(
    summary="Let one profiler at a time use the GPU: end the other one, then record again.",
    actions=(
        "Run without Nsight Systems, Nsight Compute, nvprof and cuda-gdb, and pause DCGM's profiling: CUPTI serves one program at a time.",
        "In the training itself start one profile only: either the TensorBoard callback with profile_batch, or "
        "tf.profiler.experimental.start; stop each before the next begins.",
        "If an earlier profile of the same process failed to stop, start the process anew.",
    ),
    snippets=(
        keras(
            "tensorboard = tf.keras.callbacks.TensorBoard(logdir, profile_batch=0)  # the other one profiles"
        ),
        shell("dcgmi profmon --pause   # dcgmi profmon --resume afterwards"),
    ),
    links=(Link("CUPTI: limitations", "https://docs.nvidia.com/cupti/r_limitations.html"),),
)
# What TensorFlow's and XLA's collector writes into a file, and CUPTI's own codes.
_ANSWERS: Final = (
    (
        re.compile(r"(?i)insufficient.privilege|NVGPUCTRPERM"),
        "The profiler was not permitted to record the GPU: CUPTI, NVIDIA's library that delivers GPU "
        "events, requires administrator's rights.",
        _PERMIT_ON_LINUX,
        _PERMIT_ON_WINDOWS,
        "Permit profiling of the GPU, then record again",
    ),
    (
        re.compile(r"(?i)another profile(r)?( session)? (is )?(running|active)|MULTIPLE_SUBSCRIBERS|MAX_LIMIT_REACHED"),
        "Another profiler held the GPU: CUPTI, NVIDIA's library that delivers GPU events, serves one at a time.",
        _ALONE,
        _ALONE,
        "Let one profiler at a time use the GPU",
    ),
    (
        re.compile(r"(?i)failed to load libcupti|cupti could not be loaded"),
        "The profiler could not load CUPTI, NVIDIA's library that delivers GPU events.",
        _LOAD_ON_LINUX,
        _LOAD_ON_WINDOWS,
        "Let the training find CUPTI, then record again",
    ),
)  # fmt: skip

RULE = declared(judge, thresholds=(KERNELS, AT_WORK))
