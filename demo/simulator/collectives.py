"""Collectives: what the library calls their kernels, how long a transfer takes, who waits for whom."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from demo.simulator.clock import Clock, Process, Signal

Kind = Literal["all_reduce", "reduce_scatter", "all_gather", "reduce", "broadcast", "all_to_all", "send_recv"]
GradientType = Literal["f32", "f16", "bf16"]
Library = Literal["nccl", "nccl_2_8", "nccl_old", "rccl"]
"""NCCL from 2.19 on, 2.8 to 2.18, older ones, and AMD's."""

GRADIENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
TITLES = {
    "all_reduce": "AllReduce",
    "reduce_scatter": "ReduceScatter",
    "all_gather": "AllGather",
    "reduce": "Reduce",
    "broadcast": "Broadcast",
    "all_to_all": "SendRecv",
    "send_recv": "SendRecv",
}
_SUMS = ("all_reduce", "reduce_scatter", "reduce")
_C_TYPES = {"f32": "float", "f16": "half", "bf16": "__nv_bfloat16"}


@dataclass(frozen=True)
class Link:
    """What joins the participants: bus bandwidth in 10^9 bytes/s, the cost of a call, and of a hop."""

    bus_gbps: float
    call_ns: int = 0
    hop_ns: int = 0


@dataclass(frozen=True)
class Ends:
    """How the ends of one call's kernels differ between GPUs, drawn from ``seed``.

    ``scatter_ns``: how much later than the transfer a kernel ends, on average, but no more than a quarter of
    a short transfer; most are quicker, a few take several times as long. ``all_to_all_ns``: an all-to-all
    ends on a GPU when its own peers are through, mostly at once, seldom up to this much later.
    """

    scatter_ns: int = 0
    all_to_all_ns: int = 0
    seed: str = ""

    def lag_ns(self, kind: Kind, step: int, call: str, host: str, gpu: int, transfer_ns: int) -> int:
        """How much later than the transfer the kernel of one GPU ends."""
        random = Random(f"{self.seed}/{kind}/{step}/{call}/{host}/{gpu}")
        scatter_ns = min(self.scatter_ns, transfer_ns // 4)
        lag = random.expovariate(1 / scatter_ns) if scatter_ns else 0.0
        return round(lag + (self.all_to_all_ns * random.random() ** 16 if kind == "all_to_all" else 0.0))


def ring_ns(kind: Kind, participants: int, payload_bytes: int, link: Link) -> int:
    """Time of one call by ring from the moment on that all participants are there.

    ``payload_bytes`` is the whole array. To reduce and to gather are n − 1 steps each; in a step every GPU
    sends one n-th of the array, but all of it passes every GPU where one GPU has or gets everything. In an
    all-to-all each GPU sends one n-th of its array to each other one; by send and receive one gets it all.
    """
    rounds = 2 if kind == "all_reduce" else 1
    hops = rounds * (participants - 1)
    share = 1.0 if kind in ("reduce", "broadcast", "send_recv") else hops / participants
    return link.call_ns + hops * link.hop_ns + round(share * payload_bytes / link.bus_gbps)


def buffer_bytes(kind: Kind, participants: int, payload_bytes: int) -> int:
    """What TensorFlow records as ``buffer_size``: the bytes of the call's output on one GPU."""
    return payload_bytes // participants if kind == "reduce_scatter" else payload_bytes


def kernel_name(library: Library, kind: Kind, dtype: GradientType) -> str:
    """The kernel of a call, as it is seen on the GPU."""
    title, sums = TITLES[kind], kind in _SUMS
    if kind in ("all_to_all", "send_recv") and library != "rccl":
        return "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
    if library == "rccl":
        return "void rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)"
    if kind == "all_to_all" and library == "nccl":
        return "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
    if library == "nccl_old":
        ring = "" if kind == "all_to_all" else "RingLL"
        return f"nccl{title}{ring}Kernel_{f'sum_{dtype}' if sums else 'copy_i8'}(ncclColl)"
    if library == "nccl_2_8":
        c_type = _C_TYPES[dtype] if sums else "int8_t"
        return f"ncclKernel_{title}_RING_LL_Sum_{c_type}(ncclDevComm*, unsigned long, ncclWork*)"
    operation = f"_Sum_{dtype}" if sums else ""
    return f"ncclDevKernel_{title}{operation}_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


class Collective:
    """One call: each participant spins from its arrival on, the transfer starts with the last."""

    def __init__(
        self,
        clock: Clock,
        step: int,
        kind: Kind,
        participants: int,
        payload_bytes: int,
        link: Link,
        ends: Ends = Ends(),
        call: str = "",
    ) -> None:
        self.step = step
        self.kind: Kind = kind
        self.participants = participants
        self.payload_bytes = payload_bytes
        self.transfer_ns = ring_ns(kind, participants, payload_bytes, link)
        self.arrivals_ns: dict[tuple[str, int], int] = {}
        self.end_ns = 0
        self._ends = ends
        self._call = call
        self._clock = clock
        self._complete = Signal(clock)

    def join(self, host: str, gpu: int) -> Process[None]:
        self.arrivals_ns[host, gpu] = self._clock.now_ns
        if len(self.arrivals_ns) == self.participants:
            self._complete.fire()
        yield self._complete
        yield self.transfer_ns
        self.end_ns = self._clock.now_ns
        lag_ns = self._ends.lag_ns(self.kind, self.step, self._call, host, gpu, self.transfer_ns)
        if lag_ns:
            yield lag_ns
