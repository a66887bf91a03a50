"""GPUs that can be simulated: what CUDA reports about them and how fast they are.

Peaks are the dense figures of NVIDIA's data sheets (V100, T4, A100, H100); ``memory_bandwidth`` is
2 x memory clock x bus width / 8 as the collector computes it. ``bus_gbps`` is the AllReduce bus
bandwidth that nccl-tests reaches on the usual board with that GPU, well below the line rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Precision = Literal["fp32", "tf32", "fp16", "bf16"]
# Of a multiprocessor.
REGISTERS = 65_536


@dataclass(frozen=True)
class Device:
    """One GPU model. ``*_tflops`` in 10^12 FLOP/s, ``*_gbps`` in 10^9 bytes/s.

    ``threads`` and ``shared_bytes``: what a multiprocessor holds (CUDA programming guide, "Technical
    Specifications per Compute Capability").
    """

    name: str
    compute_capability: tuple[int, int]
    clock_khz: int
    multiprocessors: int
    threads: int
    shared_bytes: int
    memory_bandwidth: int
    memory_bytes: int
    fp32_tflops: float
    tf32_tflops: float
    half_tflops: float
    bus_gbps: float
    pinned_gbps: float
    pageable_gbps: float

    def peak_flops(self, precision: Precision) -> float:
        """Peak of matrix products in FLOP/s."""
        tflops = {"fp32": self.fp32_tflops, "tf32": self.tf32_tflops}.get(precision, self.half_tflops)
        return tflops * 1e12

    def occupancy(self, block: int, registers: int, shared_bytes: int) -> float:
        """Share of a multiprocessor's threads that run at once, in blocks of so many, by what each needs."""
        each = -(-registers // 8) * 8 * block
        fitting = (
            self.threads // block,
            REGISTERS // max(1, each),
            self.shared_bytes // max(1, shared_bytes),
        )
        return max(1, min(fitting)) * block / self.threads


# Bus bandwidth of NVLink 2 is derived: 80 % of the 150 GB/s line rate. PCIe 3 x16 moves 12 GB/s pinned.
V100 = Device(
    name="Tesla V100-SXM2-16GB",
    compute_capability=(7, 0),
    clock_khz=1_530_000,
    multiprocessors=80,
    threads=2_048,
    shared_bytes=96 * 1_024,
    memory_bandwidth=898_048_000_000,
    memory_bytes=16_945_512_448,
    fp32_tflops=15.7,
    tf32_tflops=15.7,
    half_tflops=125.0,
    bus_gbps=120.0,
    pinned_gbps=12.0,
    pageable_gbps=4.0,
)
# T4s talk over PCIe 3.
T4 = Device(
    name="Tesla T4",
    compute_capability=(7, 5),
    clock_khz=1_590_000,
    multiprocessors=40,
    threads=1_024,
    shared_bytes=64 * 1_024,
    memory_bandwidth=320_064_000_000,
    memory_bytes=15_843_721_216,
    fp32_tflops=8.1,
    tf32_tflops=8.1,
    half_tflops=65.0,
    bus_gbps=10.0,
    pinned_gbps=12.0,
    pageable_gbps=4.0,
)
A100 = Device(
    name="NVIDIA A100-SXM4-40GB",
    compute_capability=(8, 0),
    clock_khz=1_410_000,
    multiprocessors=108,
    threads=2_048,
    shared_bytes=164 * 1_024,
    memory_bandwidth=1_555_200_000_000,
    memory_bytes=42_505_273_344,
    fp32_tflops=19.5,
    tf32_tflops=156.0,
    half_tflops=312.0,
    bus_gbps=232.0,
    pinned_gbps=24.0,
    pageable_gbps=6.0,
)
H100 = Device(
    name="NVIDIA H100 80GB HBM3",
    compute_capability=(9, 0),
    clock_khz=1_980_000,
    multiprocessors=132,
    threads=2_048,
    shared_bytes=228 * 1_024,
    memory_bandwidth=3_352_320_000_000,
    memory_bytes=85_520_809_984,
    fp32_tflops=66.9,
    tf32_tflops=494.0,
    half_tflops=989.0,
    bus_gbps=365.0,
    pinned_gbps=50.0,
    pageable_gbps=9.0,
)
