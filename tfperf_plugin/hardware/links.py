"""Line rates of links between GPUs and the bus bandwidth of AllReduce over them.

Bus bandwidth by nccl-tests' definition: bytes × 2(n−1)/n / time, GB/s per GPU, GB = 10^9 bytes. It is below
the line rate of a link, except where switches add up the gradients (NVLink SHARP). ``links.json`` holds what
was measured, each with its source: of boards whose name implies a link, and of cards whose link is recorded.
For any other GPU the link is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from tfperf_plugin.records import Record

SIZE_BUCKETS: Final = (64_000, 1_000_000, 16_000_000, 128_000_000)
"""Upper ends, in bytes, of the buckets in which calls are judged; larger calls are the last bucket."""


class Preset(Record, frozen=True):
    """A link that users can name."""

    name: str
    #: GB/s per GPU and direction.
    line_rate_gbps: float

    def carries(self, gbps: float) -> bool:
        """Whether AllReduce can reach this bus bandwidth over it."""
        return gbps <= _ABOVE_LINE_RATE * self.line_rate_gbps


# AllReduce in the switches (NVLink SHARP) exceeds the line rate: 483 of 450 GB/s (links.json).
_ABOVE_LINE_RATE: Final = 1.1
# PCI Express by generation, 16 lanes. PCI-SIG: transfers per second × 16 lanes, less the coding (128b/130b;
# generation 6: FLIT).
_PCIE_GBPS: Final = {3: 15.75, 4: 31.5, 5: 63.0, 6: 121.0}
# Generation by compute capability, from NVIDIA's data sheets. Others may have NVLink to the host, as V100 on
# POWER9 and Grace Hopper.
_GENERATION: Final = {(6, 1): 3, (7, 5): 3, (8, 0): 4, (8, 6): 4, (8, 9): 4, (12, 0): 5}

PRESETS: Final[Mapping[str, Preset]] = {
    "nvlink2": Preset("NVLink 2", 150),
    "nvlink3": Preset("NVLink 3", 300),
    "nvlink4": Preset("NVLink 4", 450),
    "nvlink5": Preset("NVLink 5", 900),
    **{
        f"pcie{generation}x{lanes}": Preset(f"PCIe {generation} x{lanes}", rate * lanes / 16)
        for generation, rate in _PCIE_GBPS.items()
        for lanes in (16, 8)
    },
    "infinibandedr": Preset("InfiniBand EDR", 12.5),
    "infinibandhdr": Preset("InfiniBand HDR", 25),
    "infinibandndr": Preset("InfiniBand NDR", 50),
    "infinibandxdr": Preset("InfiniBand XDR", 100),
}
"""Links by their name in small letters without spaces. NVLink: all links of one GPU; InfiniBand: one port
(four lanes) a GPU. Source of both: https://github.com/stas00/ml-engineering/tree/master/network."""


def host_line_rate(capability: tuple[int, int] | None) -> float:
    """The line rate of a GPU's link to its host, GB/s; where it is not known, of the fastest PCI Express."""
    return _PCIE_GBPS[_GENERATION.get(capability or (0, 0), max(_PCIE_GBPS))]


def link_carrying(bytes_per_s: float) -> Preset | None:
    """The slowest link inside a host that carries a measured bus bandwidth; ``None`` if none does.

    A bound: GPUs that reach this rate have this link or a faster one. A low rate says nothing about the link.
    """
    carrying = [
        preset
        for key, preset in PRESETS.items()
        if key.startswith(("pcie", "nvlink")) and preset.carries(bytes_per_s / 1e9)
    ]
    return min(carrying, key=lambda preset: preset.line_rate_gbps, default=None)


class LinkRate(Record, frozen=True):
    """The bus bandwidth that AllReduce reaches, GB/s per GPU."""

    busbw_gbps: float
    source: str


class _Measured(Record, frozen=True):
    """Bus bandwidths that nccl-tests or a similar program measured."""

    #: How many GPUs took part; several numbers if their bandwidths are equal.
    participants: tuple[int, ...]
    #: At ``from_bytes`` and each doubling of that size; without ``from_bytes``, at large sizes.
    busbw_gbps: tuple[float, ...]
    source: str
    from_bytes: int | None = None

    def at(self, size_bytes: int | None) -> float | None:
        """Bus bandwidth at a size: the time grows evenly between two measured sizes; ``None`` outside."""
        if self.from_bytes is None:
            return self.busbw_gbps[0] if _is_large(size_bytes) else None
        sizes = self.from_bytes * 2.0 ** np.arange(len(self.busbw_gbps))
        if size_bytes is None or not sizes[0] <= size_bytes <= sizes[-1]:
            return None
        return float(size_bytes / np.interp(size_bytes, sizes, sizes / np.array(self.busbw_gbps)))


class _Board(Record, frozen=True):
    """A board whose name implies its link."""

    #: Pattern of the names of GPUs on such a board.
    name: str
    link: str
    #: GB/s per GPU and direction.
    line_rate_gbps: float
    #: NVLinks of one GPU, 0 for other links.
    nvlinks_count: int
    #: The first one that knows a size counts.
    measured: tuple[_Measured, ...]

    def rate(self, participants: int, size_bytes: int | None) -> LinkRate | None:
        for measured in self.measured:
            if participants in measured.participants and (busbw := measured.at(size_bytes)) is not None:
                return LinkRate(busbw, f"{self.link}, {measured.source}")
        return None


class _Card(Record, frozen=True):
    """A PCIe card, whose bandwidth was measured at large sizes."""

    #: Pattern of the names of such GPUs.
    name: str
    #: Whether two cards were joined by a bridge; otherwise they used PCI Express.
    nvlink: bool
    busbw_gbps: float
    source: str


class _Known(Record, frozen=True):
    boards: tuple[_Board, ...]
    cards: tuple[_Card, ...]


_KNOWN: Final = msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=_Known)

# The slowest link between GPUs of one host: PCI Express of the oldest slots in which such boards run, by its
# generation; and whether the board may have a faster link as well. The first pattern that matches counts.
_SLOWEST: Final = (
    (re.compile(r"\b(H100|H200|H800|G?B[23]00)\b(?!.{0,99}(PCIe|NVL))"), 5, True),
    (re.compile(r"\b(H100|H200|H800)\b|\b(A100|A800)-SXM"), 4, True),
    (re.compile(r"\b(T4|P4|P40|M40|M60|K80)\b|P100-PCIE|V100S?-PCIE|GTX 16\d\d"), 3, False),
    (re.compile(r"Tesla|NVIDIA|GeForce|Quadro|TITAN|\b[VAL]\d{2,3}S?\b"), 3, True),
)
_PCIE_REACHED: Final = 0.8  # of the line rate, less the protocol
PCIE_WAYS: Final = ("PIX", "PXB", "PHB", "NODE", "SYS")
"""nvidia-smi's names of paths through PCI Express, near to far."""
_NVLINKS = re.compile(r"^NV(\d{1,3})$")
# Between two or three GPUs, boards without a switch use only some of a GPU's links, which the name does not
# tell.
_LEAST_NAMED = 4


def link_rate(
    device_name: str, participants: int, size_bytes: int | None = None, link: str | None = None
) -> LinkRate | None:
    """The rate of AllReduce between GPUs named ``device_name`` on one host; ``None`` if not known.

    Args:
        participants: the number of GPUs.
        size_bytes: size of the array that one call reduces, ``None`` for a large one.
        link: as recorded between the worst connected pair of participants and named by ``nvidia-smi topo
            -m``: ``NV12`` (number of NVLinks between them) or one of ``PCIE_WAYS``; ``None`` for the link
            that the GPUs' name implies.
    """
    board = _board(device_name)
    if link is None:
        if board is None or (board.nvlinks_count and participants < _LEAST_NAMED):
            return None
        return board.rate(participants, size_bytes)
    nvlinks = _NVLINKS.match(link)
    if nvlinks and board is not None:
        # If each pair has all links, there is a switch, as on the boards of the table.
        return board.rate(participants, size_bytes) if int(nvlinks[1]) == board.nvlinks_count else None
    if not _is_large(size_bytes) or not ((nvlinks and participants == 2) or link in PCIE_WAYS):
        return None
    for card in _KNOWN.cards:
        if card.nvlink == bool(nvlinks) and re.search(card.name, device_name):
            return LinkRate(card.busbw_gbps, card.source)
    return None


class SlowestLink(Record, frozen=True):
    """The slowest link that GPUs of one host can have."""

    name: str
    #: Bus bandwidth that AllReduce reaches over the link, GB/s.
    busbw_gbps: float
    #: Whether boards with such GPUs may have a faster link.
    faster: bool


def slowest_link(device_name: str) -> SlowestLink | None:
    """The slowest link that GPUs named ``device_name`` can have on one host; ``None`` if the name does not
    imply one."""
    for pattern, generation, faster in _SLOWEST:
        if pattern.search(device_name):
            return SlowestLink(f"PCIe {generation} x16", _PCIE_GBPS[generation] * _PCIE_REACHED, faster)
    return None


def line_rate(device_name: str) -> float | None:
    """The rate of all links of one GPU in one direction, GB/s, if its name implies the link."""
    board = _board(device_name)
    return None if board is None else board.line_rate_gbps


def implied_link(device_name: str) -> Preset | None:
    """The link that the name of a GPU implies, as users type it; ``None`` if it implies none."""
    board = _board(device_name)
    if board is None:
        return None
    alike = (p for p in PRESETS.values() if (p.name, p.line_rate_gbps) == (board.link, board.line_rate_gbps))
    return next(alike, Preset(f"{board.line_rate_gbps:g} GB/s", board.line_rate_gbps))


def _board(device_name: str) -> _Board | None:
    return next((board for board in _KNOWN.boards if re.search(board.name, device_name)), None)


def _is_large(size_bytes: int | None) -> bool:
    return size_bytes is None or size_bytes > SIZE_BUCKETS[-1]
