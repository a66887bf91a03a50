"""GPUs are there, but nothing was recorded on them."""

from __future__ import annotations

from tfperf_plugin.artifacts.capture import Capture
from tfperf_plugin.artifacts.devices import AT_WORK_RATIO, DeviceInfo, Devices
from tfperf_plugin.engine.outcome import Evidence, Fix, Link, Snippet
from tfperf_plugin.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import count, gpu, listing
from tfperf_plugin.guide import sections

KERNELS = Threshold(
    "kernels recorded on all GPUs", 1, "count", "without a kernel there is nothing to judge", fixed=True
)
AT_WORK = Threshold(
    "memory freed as often as on a GPU with kernels",
    AT_WORK_RATIO,
    "ratio",
    "ours: replicas free their memory equally often",
    fixed=True,
)
MESSAGES_COUNT = 5


def judge(devices: Devices, capture: Capture) -> Verdict:
    """Looks for hosts without any kernel, and for what CUPTI, the source of GPU events, said."""
    cupti = [m for m in (*capture.errors, *capture.warnings) if "cupti" in m.lower()]
    kernels = sum(d.kernels_count for d in devices.all)
    lost = devices.unseen("unrecorded")
    if kernels >= KERNELS.value and not devices.silent_hosts and lost:
        return _some_lost(devices, lost)
    if kernels >= KERNELS.value and not devices.silent_hosts:
        return Passed(f"{count(kernels, 'kernel was', 'kernels were')} recorded on {_gpus(devices)}.")
    if not devices.all and not cupti:
        return NotApplicable("The profile declares no GPU.")
    silent = [d for d in devices.all if d.host in devices.silent_hosts]
    where = f" on {listing(devices.silent_hosts)}" if kernels else ""
    seen = (
        f"{count(len(silent), 'GPU is', 'GPUs are')} declared{where or ' in the profile'}, but no kernel was recorded."
        if silent
        else "The profile declares no GPU."
    )
    cause = (
        " CUPTI, NVIDIA's interface that delivers GPU events, reported an error."
        if cupti
        else " Either CUPTI, NVIDIA's interface that delivers GPU events, is missing or not permitted, or the "
        "GPUs ran nothing while the profile was recorded."
    )
    return Found(
        title=f"Nothing was recorded on the GPUs of {listing(devices.silent_hosts)}" if kernels else None,
        summary=seen + cause + " What these GPUs did cannot be judged.",
        evidence=(
            Evidence("GPUs declared", len(silent), "count", None, "device planes"),
            Evidence("kernels recorded", 0, "count", int(KERNELS.value), "device planes"),
            *(Evidence("collector", text, "text", None, "errors and warnings of the file") for text in cupti[:MESSAGES_COUNT]),
        ),
        severity="warning" if kernels else "critical",
    )  # fmt: skip


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
        title=f"Kernels of {len(lost)} of {len(lost) + recorded} GPUs were not recorded",
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


def _gpus(devices: Devices) -> str:
    return count(len(devices.participating), "GPU")


RULE = Rule(
    id="no-device-events",
    topic="Events of the GPUs",
    title="Nothing was recorded on the GPUs",
    group="capture",
    why="Everything said about a step rests on what ran on its GPUs. Without CUPTI, or without the permission "
    "to use it, TensorFlow trains as usual but records no kernel and no copy.",
    measured="Kernels are counted on every GPU that the profile declares, host by host; a host is named if its GPUs ran none at all. So are GPUs without kernels that the host works for: threads of their own launch for them, or their memory is allocated and freed. What the collector wrote about CUPTI is quoted.",
    limits=(
        "GPUs that did nothing while the profile was recorded look the same as GPUs that could not be recorded, unless CUPTI reported an error.",
        "A profile that declares no GPU and holds no message of CUPTI is taken for one of a machine without GPUs.",
        "Where some GPUs of a host were recorded, others count as unrecorded only if threads launch for them, or if their memory is freed at least half as often as that of GPUs with kernels; else as unused.",
    ),
    guide=sections.INSTALL,
    judge=judge,
    thresholds=(KERNELS, AT_WORK),
    trust=True,
    fix=Fix(
        summary="Let the training process load CUPTI and use the GPU's performance counters, then record again.",
        actions=(
            "See whether CUPTI is found: the ldconfig command below must name libcupti. If it does not, put the "
            "CUPTI folder of the CUDA toolkit in front of LD_LIBRARY_PATH before Python starts.",
            "If the log says CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, permit profiling to all users: load the NVIDIA "
            "driver with NVreg_RestrictProfilingToAdminUsers=0 and reboot.",
            "In a container, start it with --privileged=true, or with --cap-add=SYS_ADMIN, which is enough.",
            "Let no other profiler (Nsight Systems, Nsight Compute, DCGM) use the GPU at the same time: CUPTI "
            "serves one at a time.",
            "Check that the profiled steps run on the GPU at all: tf.config.list_physical_devices('GPU').",
        ),
        snippets=(
            Snippet(
                "shell",
                "# 1. CUPTI missing\n"
                "/sbin/ldconfig -N -v $(sed 's/:/ /g' <<< $LD_LIBRARY_PATH) | grep libcupti\n"
                "export LD_LIBRARY_PATH=/usr/local/cuda/extras/CUPTI/lib64:$LD_LIBRARY_PATH\n"
                "# 2. CUPTI not permitted\n"
                "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' |\n"
                "    sudo tee /etc/modprobe.d/nvidia-profiling.conf\n"
                "sudo update-initramfs -u && sudo reboot\n"
                "# 3. in a container\n"
                "docker run --gpus all --cap-add=SYS_ADMIN IMAGE",
            ),
            Snippet(
                "Keras",
                "assert tf.config.list_physical_devices('GPU')\n"
                "tensorboard = tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))\n"
                "model.fit(ds, callbacks=[tensorboard])",
            ),
            Snippet(
                "custom loop",
                "assert tf.config.list_physical_devices('GPU')\n"
                "options = tf.profiler.experimental.ProfilerOptions(device_tracer_level=1)\n"
                "tf.profiler.experimental.start(logdir, options=options)",
            ),
        ),
        links=(
            Link(
                "NVIDIA: permission to use performance counters",
                "https://developer.nvidia.com/nvidia-development-tools-solutions-err_nvgpuctrperm-permission-issue-performance-counters",
            ),
        ),
    ),
)
