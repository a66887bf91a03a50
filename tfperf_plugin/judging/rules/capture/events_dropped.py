"""The collector dropped events, or says something else about the recording."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.capture import CLOCKS_DIFFER_NS, KEPT_RATIO, Capture
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, listing, percent, say, together

MESSAGES = Threshold("errors and warnings of the collector", 1, "count", "each may say what is missing")
HOLES = Threshold(
    "launches without a kernel",
    0.01,
    "ratio",
    "ours: of 97 real recordings that are whole, none lacks one",
    fixed=True,
)
APART = Threshold(
    "clocks of host and GPU apart",
    CLOCKS_DIFFER_NS,
    "ns",
    "ours: of 95 GPUs of real recordings, the clocks of all agree to 0.15 ms",
    fixed=True,
)
THINNED = Threshold(
    "share of numbered ops in the file",
    KEPT_RATIO,
    "ratio",
    "ours: each of 14 real recordings of PyTorch that are whole holds all",
    fixed=True,
)
FAILED = Threshold("launches that failed", 1, "count", "CUDA runs nothing for such a call", fixed=True)
SHOWN_COUNT: Final = 5
QUOTED_COUNT: Final = 2
_COMMAND: Final = re.compile(r": record with (nsys profile( --[a-z-]+=[a-z,]+)+)\.$")
"""What our reader of Nsight Systems says of a recording that cannot show what is needed."""

# CUDA's code of an error → its name, what it means, and the usual remedy.
_REMEDIES: Final = {
    1: ("cudaErrorInvalidValue", "an argument is out of range", "Check the launch's sizes, shared memory and arguments"),
    2: ("cudaErrorMemoryAllocation", "the GPU's memory is full", "Use less of the GPU's memory"),
    9: ("cudaErrorInvalidConfiguration", "the GPU cannot run such a grid or block", "Launch at most 1,024 threads per block, and no empty grid"),
    98: ("cudaErrorInvalidDeviceFunction", "the program was not built for this GPU", "Build for this GPU: nvcc -arch=native"),
    209: ("cudaErrorNoKernelImageForDevice", "the program was not built for this GPU", "Build for this GPU: nvcc -arch=native"),
    222: ("cudaErrorUnsupportedPtxVersion", "the driver is older than the compiler", "Build with nvcc -arch=native, or update the driver"),
    700: ("cudaErrorIllegalAddress", "a kernel went beyond its memory", "Run the program in compute-sanitizer"),
    701: ("cudaErrorLaunchOutOfResources", "a block needs more registers than there are", "Use smaller blocks, or __launch_bounds__"),
    719: ("cudaErrorLaunchFailure", "a kernel crashed", "Run the program in compute-sanitizer"),
}  # fmt: skip
_CHECK: Final = "Check what each launch returns: cudaGetLastError"

WHOLE = "Of {launches:recorded launches} none lacks its kernel."
LOST = (
    "Of {lost} of {launches:launches} no kernel was recorded, in {holed:steps}: there a GPU seems idle that worked. Such a step "
    "is judged only if no step is whole."
)
LOST_OUTSIDE = "Of {lost} of {launches:launches} no kernel was recorded. There a GPU seems idle that worked."
FEW = (
    "PyTorch numbered at least {numbered:ops} while it recorded, and the file holds {kept} of them ({ratio}): the others were dropped or "
    "filtered out, and their kernels with them. What seems idle, or exposed communication, may have been compute."
)
CLOCKS = (
    "The clock of {moved} of {gpus:GPUs} is at least {apart:ms} apart from the host's: work begins before the call that "
    "launched it, or goes on after a call that waited for it. It was moved by that, but what the host does while a GPU is "
    "idle cannot be told."
)
FAILS = "{failed} of {launches:launches} failed: {errors}."
ALL_FAIL = "All {launches:launches} failed: {errors}. The GPU computed nothing."
UNSOUND = "What the program computes rests on work that never ran."
NONE = "The collector reported no errors and no warnings."
ABOUT_GPUS = "The collector reported only that it could not record GPUs. The model ran on the CPU, so nothing is missing."
REPORTED = "The collector reported {kinds}."
DROPPED = "Dropped events look like idle time."
SAYS = "The collector reported {kinds}: {texts}"
MORE = "The other messages stand below."


def judge(capture: Capture, compute: HostCompute) -> Verdict:
    """Quotes the collector's messages in the profile."""
    if sum(number for _, number in capture.failed) >= FAILED.value:
        return _failed(capture)
    messages = [("error", text) for text in capture.errors] + [("warning", text) for text in capture.warnings]
    lost = _lost(capture) if capture.lost_count > HOLES.value * capture.launches_count else None
    if capture.thinned:
        return _thinned(capture)
    if lost and not (capture.dropped and len(messages) >= MESSAGES.value):
        return (
            replace(lost, summary=together(lost.summary, _apart(capture).summary))
            if capture.moved_count
            else lost
        )
    if capture.moved_ns >= APART.value:
        return _apart(capture)
    if len(messages) < MESSAGES.value:
        whole = capture.launches_count and not capture.lost_count
        return Passed(together(NONE, say(WHOLE, launches=capture.launches_count) if whole else ""))
    if compute.on_cpu and all("cupti" in text.lower() for _, text in messages):
        return Passed(ABOUT_GPUS)
    kinds = [
        count(len(texts), kind)
        for texts, kind in ((capture.errors, "error"), (capture.warnings, "warning"))
        if texts
    ]
    reported = " and ".join(kinds)
    evidence = (
        Evidence("errors and warnings", len(messages), "count", int(MESSAGES.value), "the file"),
        *(Evidence(kind, text, "text", None, "the file, word for word") for kind, text in messages[:SHOWN_COUNT]),
    )  # fmt: skip
    if capture.dropped:
        summary = together(say(REPORTED, kinds=reported), lost.summary if lost else DROPPED)
        evidence = (*evidence, *(lost.evidence if lost else ()))
        return Found(advice="events were dropped", summary=summary, evidence=evidence, severity="warning")
    commands = [(command[1], text) for _, text in messages if (command := _COMMAND.search(text))]
    if commands:
        return Found(
            advice="not all was asked for",
            values={"command": commands[0][0]},
            summary=together(*(text for _, text in commands[:QUOTED_COUNT])),
            evidence=evidence,
            severity="warning",
        )
    texts = " ".join(f"“{text}”" for _, text in messages[:QUOTED_COUNT])
    more = MORE if len(messages) > QUOTED_COUNT else ""
    return Found(
        advice="other messages",
        summary=together(say(SAYS, kinds=reported, texts=texts), more),
        evidence=evidence,
        severity="info",
    )


def _failed(capture: Capture) -> Found:
    """Launches returned an error, and the program went on."""
    of_error: Counter[int] = Counter()
    for code, number in capture.failed:
        of_error[code] += number
    failed = of_error.total()
    launches = capture.launches_count + failed
    errors = [
        f"error {code}" + (f", {known[0]} ({known[1]})" if (known := _REMEDIES.get(code)) else "")
        for code, _ in of_error.most_common(QUOTED_COUNT)
    ]
    most = _REMEDIES.get(of_error.most_common(1)[0][0])
    remedy = most[2] if most else _CHECK
    told = {"launches": launches, "failed": f"{failed:,}", "errors": listing(errors)}
    return Found(
        advice="launches failed",
        action=remedy,
        values={"remedy": remedy},
        summary=say(ALL_FAIL, **told) if failed == launches else say(FAILS, UNSOUND, **told),
        evidence=(
            Evidence(FAILED.name, failed, "count", int(FAILED.value), "what CUDA's calls returned"),
            Evidence("launches", launches, "count", None, "calls of CUDA"),
        ),
        severity="critical",
        independent=True,
    )


def _apart(capture: Capture) -> Found:
    """Host and GPU are not on one clock."""
    told = {"moved": capture.moved_count, "gpus": capture.gpus_count, "apart": capture.moved_ns}
    return Found(
        advice="clocks differ",
        summary=say(CLOCKS, **told),
        evidence=(
            Evidence(APART.name, capture.moved_ns, "ns", int(APART.value), "times of work and of the calls that launch it or wait for it"),
            Evidence("GPUs on another clock", capture.moved_count, "count", None, "as above"),
        ),
        severity="warning",
    )  # fmt: skip


def _thinned(capture: Capture) -> Found:
    """Only some events of the recording are in the file."""
    kept_ratio = capture.kept_count / capture.numbered_count
    told = {
        "numbered": capture.numbered_count,
        "kept": f"{capture.kept_count:,}",
        "ratio": percent(kept_ratio),
    }
    return Found(
        advice="ops are missing",
        summary=say(FEW, **told),
        evidence=(
            Evidence(THINNED.name, kept_ratio, "ratio", KEPT_RATIO, "External id of ops and marks"),
            Evidence("ops that PyTorch numbered", capture.numbered_count, "count", None, "as above"),
        ),
        severity="critical",
    )


def _lost(capture: Capture) -> Found:
    """Kernels are missing without a message."""
    values = {"lost": capture.lost_count, "launches": capture.launches_count, "holed": capture.holed_count}
    return Found(
        advice="kernels are missing",
        summary=say(LOST if capture.holed_count else LOST_OUTSIDE, **values),
        evidence=(
            Evidence("launches without a kernel", capture.lost_count, "count",
                     int(HOLES.value * capture.launches_count), "calls that launch kernels, by correlation id"),
            Evidence("launches", capture.launches_count, "count", None, "calls that launch kernels"),
        ),
        where=capture.holes.all(),
        severity="warning",
    )  # fmt: skip


RULE = declared(
    judge,
    thresholds=(FAILED, MESSAGES, HOLES, APART, THINNED),
    explained_by=("no-device-events",),
    needs=("dropped events",),
)
