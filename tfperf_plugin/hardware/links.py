"""Line rates of links between GPUs and the bus bandwidth of AllReduce over them, with sources.

Bus bandwidth by nccl-tests' definition: bytes × 2(n−1)/n / time, GB/s per GPU, GB = 10^9 bytes. It is below
the line rate of a link, except where switches add up the gradients (NVLink SHARP).
The table lists only boards whose name implies a link; for any other GPU the link is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from tfperf_plugin.records import Record

SIZE_BUCKETS: Final = (64_000, 1_000_000, 16_000_000, 128_000_000)
"""Upper ends, in bytes, of the buckets in which calls are judged; larger calls are the last bucket."""


class LinkRate(Record, frozen=True):
    """Rates of a link in practice and on paper."""

    #: Bus bandwidth that AllReduce reaches, GB/s per GPU.
    busbw_gbps: float
    #: The link's rate in one direction, ``None`` if not known.
    line_rate_gbps: float | None
    #: Source of ``busbw_gbps``.
    source: str


class Preset(Record, frozen=True):
    """A link that users can name."""

    name: str
    #: GB/s per GPU and direction.
    line_rate_gbps: float
    source: str


_NVLINK: Final = "https://github.com/stas00/ml-engineering/tree/master/network#nvlink"
_INFINIBAND: Final = "https://github.com/stas00/ml-engineering/tree/master/network#infiniband"
_PCIE: Final = "PCI-SIG: transfers per second × 16 lanes, less the coding (128b/130b; 6: FLIT)"

# PCI Express by generation, 16 lanes.
_PCIE_GBPS: Final = {3: 15.75, 4: 31.5, 5: 63.0, 6: 121.0}

PRESETS: Final[Mapping[str, Preset]] = {
    "nvlink2": Preset("NVLink 2", 150, _NVLINK),
    "nvlink3": Preset("NVLink 3", 300, _NVLINK),
    "nvlink4": Preset("NVLink 4", 450, _NVLINK),
    "nvlink5": Preset("NVLink 5", 900, _NVLINK),
    **{
        f"pcie{generation}x{lanes}": Preset(f"PCIe {generation} x{lanes}", rate * lanes / 16, _PCIE)
        for generation, rate in _PCIE_GBPS.items()
        for lanes in (16, 8)
    },
    "infinibandedr": Preset("InfiniBand EDR", 12.5, _INFINIBAND),
    "infinibandhdr": Preset("InfiniBand HDR", 25, _INFINIBAND),
    "infinibandndr": Preset("InfiniBand NDR", 50, _INFINIBAND),
    "infinibandxdr": Preset("InfiniBand XDR", 100, _INFINIBAND),
}
"""Links by their name in small letters without spaces. NVLink: all links of one GPU; InfiniBand: one port
(four lanes) a GPU."""


# AllReduce in the switches (NVLink SHARP) exceeds the line rate: 483 of 450 GB/s, measured below.
_ABOVE_LINE_RATE: Final = 1.1


def link_carrying(bytes_per_s: float) -> Preset | None:
    """The slowest link inside a host that carries a measured bus bandwidth; ``None`` if none does.

    A bound: GPUs that reach this rate have this link or a faster one. A low rate says nothing about the link.
    """
    carrying = [
        preset
        for key, preset in PRESETS.items()
        if key.startswith(("pcie", "nvlink"))
        and preset.line_rate_gbps * _ABOVE_LINE_RATE * 1e9 >= bytes_per_s
    ]
    return min(carrying, key=lambda preset: preset.line_rate_gbps, default=None)


class _Sweep(Record, frozen=True):
    """Bus bandwidths that one run of nccl-tests or a similar program measured: at ``2**exponent`` bytes and
    each doubling of that size."""

    exponent: int
    busbw_gbps: tuple[float, ...]
    source: str

    def at(self, size_bytes: int) -> float | None:
        """Bus bandwidth at a size: the time grows evenly between two measured sizes; ``None`` outside."""
        sizes = 2.0 ** np.arange(self.exponent, self.exponent + len(self.busbw_gbps))
        if not sizes[0] <= size_bytes <= sizes[-1]:
            return None
        return float(size_bytes / np.interp(size_bytes, sizes, sizes / np.array(self.busbw_gbps)))


class _Board(Record, frozen=True):
    """A board whose name implies its link."""

    #: Pattern of the names of GPUs on such a board.
    name: re.Pattern[str]
    link: str
    #: GB/s per GPU and direction.
    line_rate_gbps: float
    #: NVLinks of one GPU, 0 for other links.
    nvlinks_count: int
    #: Participants → bus bandwidth at large sizes and its source.
    large: Mapping[int, tuple[float, str]]
    #: Participants → bus bandwidth by size.
    sweeps: Mapping[int, _Sweep]


_ISSUES: Final = "https://github.com/NVIDIA"
_H100_LARGE: Final = f"measured: {_ISSUES}/nccl/issues/1455"
_A100_LARGE: Final = f"as the makers of NCCL state it: {_ISSUES}/nccl-tests/issues/149"
_V100_DERIVED: Final = "derived: 150 GB/s line rate less 20 % for the protocol"
_XGMI: Final = "measured: https://github.com/stas00/ml-engineering/tree/master/network#peer-to-peer-bandwidth"

_BOARDS: Final = (
    _Board(
        re.compile(r"V100-SXM"),
        "NVLink 2",
        150,
        6,
        {
            **dict.fromkeys((4, 5, 6, 7), (120.0, _V100_DERIVED)),
            8: (
                135.0,
                "measured at 1 GiB: https://github.com/oracle-japan/ocitutorials/blob/main/tutorials/_hpc/"
                "spinup-ml-instance-cntnd.md",
            ),
        },
        {
            8: _Sweep(
                14,
                (0.57, 1.12, 2.17, 4.06, 7.61, 14.92, 20.56, 30.68, 49.79, 72.03, 90.59, 106.62, 118.3,
                 129.14),
                "measured: https://github.com/konnase/konnase.github.io/blob/17cd9dfb/source/_posts/"
                "deep_learning/NCCL.md",
            )
        },
    ),
    _Board(
        re.compile(r"A100-SXM"),
        "NVLink 3",
        300,
        12,
        dict.fromkeys(range(2, 9), (230.0, _A100_LARGE)),
        {
            8: _Sweep(
                20,
                (23.29, 33.73, 55.97, 80.04, 99.99, 141.27, 178.69, 186.91, 200.85, 202.0, 230.84),
                "measured: https://github.com/AFDWang/Hetu-Galvatron/blob/6f77a6cb/tests/profiler/"
                "test_hardware_profile.py",
            )
        },
    ),
    _Board(
        re.compile(r"H100(-SXM| 80GB HBM3)"),
        "NVLink 4",
        450,
        18,
        {
            **dict.fromkeys((2, 3, 4), (370.0, _H100_LARGE)),
            5: (420.0, _H100_LARGE),
            6: (440.0, _H100_LARGE),
            7: (460.0, _H100_LARGE),
            8: (480.0, _H100_LARGE),
        },
        {
            4: _Sweep(
                14,
                (1.03, 2.01, 4.0, 7.98, 14.67, 29.49, 56.05, 98.15, 139.65, 193.03, 241.03, 287.78, 308.21,
                 327.51, 339.81, 347.88, 355.89),
                "measured: https://dudeperf3ct.github.io/posts/distributed_communication_part1/",
            ),
            8: _Sweep(
                14,
                (1.64, 3.05, 6.01, 11.84, 22.64, 43.35, 64.24, 84.47, 132.41, 174.16, 236.82, 295.63, 359.54,
                 396.19, 418.91, 433.9, 441.81, 444.02, 475.97, 480.43, 483.05),
                "measured: https://github.com/aws-samples/awsome-distributed-training/blob/main/"
                "micro-benchmarks/nccl-tests/aws-batch/README.md",
            ),
        },
    ),
    _Board(
        re.compile(r"(?<!G)H200(?! NVL)"),
        "NVLink 4",
        450,
        18,
        {
            8: (
                475.0,
                "measured at 4 to 8 GiB: https://github.com/stas00/ml-engineering/blob/master/network/"
                "benchmarks/results/all-reduce-8xH200.md",
            )
        },
        {
            8: _Sweep(
                15,
                (1.44, 2.93, 5.73, 11.74, 23.94, 39.93, 64.53, 107.16, 155.53, 219.89, 275.84, 346.51, 401.93,
                 436.15, 450.29, 463.58, 469.17, 473.1, 477.45, 482.26),
                "measured: https://github.com/stas00/ml-engineering/blob/master/network/benchmarks/results/"
                "all-reduce-8xH200.md",
            )
        },
    ),
    _Board(
        re.compile(r"H800(?! PCIe)"),
        "NVLink 4",
        200,
        8,
        {8: (215.0, f"measured: {_ISSUES}/nccl/issues/1374")},
        {},
    ),
    _Board(re.compile(r"\bG?B200\b"), "NVLink 5", 900, 18, {}, {}),
    _Board(
        re.compile(r"MI300X"),
        "Infinity Fabric",
        448,
        0,
        {2: (48.0, _XGMI), 8: (313.0, _XGMI)},
        {
            8: _Sweep(
                14,
                (1.85, 4.11, 8.05, 15.71, 26.28, 33.6, 64.64, 100.05, 138.6, 173.16, 195.85, 238.45, 271.51,
                 293.5, 304.96, 310.37, 313.66, 314.75, 315.26, 315.69),
                "measured: https://github.com/hisohara/ai-scripts/tree/main/training/01_rccl-smoketest",
            )
        },
    ),
)  # fmt: skip

# Bus bandwidth of pairs of PCIe cards with a bridge, and of such cards over PCIe.
_PAIRS: Final = (
    (
        re.compile(r"A100.{0,99}PCIe", re.IGNORECASE),
        208.0,
        f"NVLink bridges, measured: {_ISSUES}/nccl-tests/issues/178",
    ),
    (re.compile(r"H100 PCIe"), 115.0, f"NVLink bridges, measured: {_ISSUES}/nccl-tests/issues/194"),
)
_CROSSING: Final = (
    (
        re.compile(r"A100.{0,99}PCIe", re.IGNORECASE),
        20.0,
        f"PCIe 4, measured: {_ISSUES}/nccl-tests/issues/178",
    ),
)
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
    """The rate of AllReduce between ``participants`` GPUs named ``device_name`` on one host; ``None`` if not
    known.

    ``size_bytes``: size of the array that one call reduces, ``None`` for a large one; ``link``: as recorded
    between the worst connected pair of participants and named by ``nvidia-smi topo -m``: ``NV12`` (number of
    NVLinks between them), ``PIX``, ``PXB``, ``PHB``, ``NODE`` or ``SYS`` (PCI Express, near to far); ``None``
    for the link that the GPUs' name implies.
    """
    board = _board(device_name)
    if link is None:
        if board is None or (board.nvlinks_count and participants < _LEAST_NAMED):
            return None
        return _board_rate(board, participants, size_bytes)
    nvlinks = _NVLINKS.match(link)
    if nvlinks and board is not None:
        # If each pair has all links, there is a switch, as on the boards of the table.
        whole = int(nvlinks[1]) == board.nvlinks_count
        return _board_rate(board, participants, size_bytes) if whole else None
    if not _is_large(size_bytes):
        return None
    measured = _PAIRS if nvlinks and participants == 2 else _CROSSING if link in PCIE_WAYS else ()
    return next(
        (LinkRate(busbw, None, source) for name, busbw, source in measured if name.search(device_name)), None
    )


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
    found = next(((g, faster) for name, g, faster in _SLOWEST if name.search(device_name)), None)
    if found is None:
        return None
    generation, faster = found
    return SlowestLink(f"PCIe {generation} x16", _PCIE_GBPS[generation] * _PCIE_REACHED, faster)


def line_rate(device_name: str) -> float | None:
    """The rate of all links of one GPU in one direction, GB/s, if its name implies the link."""
    board = _board(device_name)
    return None if board is None else board.line_rate_gbps


def _board(device_name: str) -> _Board | None:
    return next((b for b in _BOARDS if b.name.search(device_name)), None)


def _is_large(size_bytes: int | None) -> bool:
    return size_bytes is None or size_bytes > SIZE_BUCKETS[-1]


def _board_rate(board: _Board, participants: int, size_bytes: int | None) -> LinkRate | None:
    sweep = board.sweeps.get(participants)
    if sweep is not None and size_bytes is not None and (busbw := sweep.at(size_bytes)) is not None:
        return LinkRate(busbw, board.line_rate_gbps, f"{board.link}, {sweep.source}")
    if not _is_large(size_bytes) or participants not in board.large:
        return None
    busbw, source = board.large[participants]
    return LinkRate(busbw, board.line_rate_gbps, f"{board.link}, {source}")
