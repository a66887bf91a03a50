"""The launches of work: ops of PyTorch, and bursts of calls that closely follow each other on one thread."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.arrays.intervals import EMPTY, Bools, Intervals, Ints, merge, union
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole

# Ops of PyTorch and of libraries for it, without what is around them; XLA's classes are capitalized.
_TORCH_OP: Final = re.compile(r"(?!autograd::|c10d::)[a-z_]\w*::")
# Calls of a driver or runtime that launch kernels, by their names alone.
LAUNCH_CALL: Final = re.compile(r"^(cu(da)?|hip)\w{0,20}Launch\w{0,20}Kernel|^(cu(da)?|hip)GraphLaunch$")
_TORCH_KERNEL: Final = re.compile(r"\bat::native::|^_ZN2at6native")
# Two launches of a thread that follow each other within this time belong to one burst of launches: the
# guide states 20-40 us of launch latency; scheduling an op in between takes about as long again.
# A launch older than this is no longer in flight: its kernel waits for something else.
LAUNCH_BURST_NS = 100_000
# Number of events that are processed together where each takes several temporary columns.
AT_ONCE_COUNT = 1 << 18


def launch_bursts(events: HostEvents, launch: Ints) -> Intervals:
    """The calls that make these launches (ascending rows), and the short pauses between them."""
    found = EMPTY
    for first in range(0, len(launch), AT_ONCE_COUNT):
        rows = launch[first : first + AT_ONCE_COUNT + 1]  # up to the first one of the next
        begin, end, thread = events.start_ns[rows], events.end_ns[rows], events.thread[rows]
        follows = (thread[1:] == thread[:-1]) & (begin[1:] - end[:-1] <= LAUNCH_BURST_NS)
        found = merge(found, union(begin, end), union(end[:-1][follows], begin[1:][follows]))
    return found


@memoized
def launching_ops(events: HostEvents) -> Bools:
    """For each event whether it is an op of PyTorch, which launches its kernels itself."""
    return np.asarray((events.role == HostRole.DISPATCH) & events.named(_TORCH_OP.match))


def has_pytorch_kernels(host: HostTrace) -> bool:
    """Whether GPUs ran kernels of PyTorch itself, as in a recording without its ops."""
    names = {name for device in host.devices for name in device.names}
    return any(map(_TORCH_KERNEL.search, names))
