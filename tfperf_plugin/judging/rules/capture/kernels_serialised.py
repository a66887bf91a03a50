"""No two kernels of a GPU overlap although several streams run them."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import BUSY_KERNELS_COUNT, BUSY_RATIO, Capture, Streams
from tfperf_plugin.analysis.artifacts.communication.wrappers import Wrappers
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, gpu, listing, say

KERNELS = Threshold(
    "kernels on each of two streams", BUSY_KERNELS_COUNT, "count", "fewer may never meet by chance", fixed=True
)  # fmt: skip
SHARE = Threshold(
    "share of the GPU's kernels on each of two streams", BUSY_RATIO, "ratio", "fewer may never meet by chance", fixed=True
)  # fmt: skip
SHOWN_COUNT: Final = 5

ONE_STREAM = "No GPU runs a substantial share of its kernels on a second stream."
IN_TURNS = "DataParallel exchanges only while nothing is computed, so no overlap is expected."
OVERLAP = "Kernels of different streams overlap, by {overlap:ms} in all."
APART = (
    "On {names}, kernels run on several streams, but no two of them ever overlap. Older profilers run kernels one at a time "
    "while they record, so communication that normally hides under compute may look exposed here."
)


def judge(capture: Capture, wrappers: Wrappers) -> Verdict:
    """Looks for GPUs with two busy streams and no overlap, unless a sibling shows that overlap is recorded."""
    if wrappers.calling_count:
        return NotApplicable(IN_TURNS)
    several = [s for s in capture.streams if s.busy_count > 1]
    if not several:
        return NotApplicable(ONE_STREAM)
    overlapping = {s.host for s in capture.streams if s.overlap_ns}
    apart = [s for s in several if s.host not in overlapping]
    if not apart:
        overlap = sum(s.overlap_ns for s in capture.streams)
        return Passed(say(OVERLAP, overlap=overlap))
    names = listing([_name(s, capture.hosts_count) for s in apart])
    return Found(
        summary=say(APART, names=names),
        evidence=tuple(
            Evidence(
                f"{_name(s, capture.hosts_count)}: time in which two kernels overlap", s.overlap_ns, "ns", 1,
                f"{count(s.kernels_count, 'kernel')}, {count(s.busy_count, 'busy stream')}",
            )
            for s in apart[:SHOWN_COUNT]
        ),
        severity="info",
        confidence="medium",
    )  # fmt: skip


def _name(streams: Streams, hosts_count: int) -> str:
    return gpu(streams.device) if hosts_count == 1 else f"{gpu(streams.device)} of {streams.host}"


RULE = declared(judge, thresholds=(KERNELS, SHARE), doubts=("communication.transfer", "communication.wait"))
