"""What a product keeps of its time in 16 bit on Tensor Cores (AMD: matrix cores)."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import OpBound
from tfperf_plugin.hardware.peaks import Peaks
from tfperf_plugin.hardware.speeds import USUAL_MEMORY

# Half the bits are half the bytes: memory-bound kernels gain no more.
BYTES_RATIO: Final = 2
# Ours: what takes so many times as long as usual is limited by something else alone; half as many, by both.
LIMITED_TIMES: Final = 4
NO_CORES: Final = "No participating GPU is known to have Tensor Cores, or AMD's matrix cores."


def gains_least(devices: Devices) -> tuple[DeviceInfo, Peaks] | None:
    """The participating GPU to which 16 bit brings least, with its peaks; ``None`` if none has Tensor Cores."""
    able = [(d, p) for d in devices.participating if (p := d.peaks)]
    return min(able, key=lambda a: a[1].bits16 / a[1].fp32, default=None)


def kept_ratio(
    op: OpBound | None, device: DeviceInfo, rates: Peaks, rate: int, bytes_ratio: int, already: bool = False
) -> float:
    """The share of its time that a product keeps that ran on units with this rate.

    If its work is known, only the time that usual layers need for it on these units becomes what they need in
    16 bit; what it takes above that (too few channels for a tile, too few blocks, its start) stays. If that
    is more than half of its time, it hides the rest, wholly from three quarters on: a product at 2 % of its
    peak keeps all of its time. Without its work, the peak rates alone tell.

    Args:
        op: the product, if known.
        device: the GPU.
        rates: its peaks.
        rate: of the units, per multiprocessor and clock.
        bytes_ratio: how many times fewer bytes it moves in 16 bit.
        already: these are the Tensor Cores, in TF32.
    """
    speeds = device.speeds
    peak = speeds and speeds.peak("fp16")
    if not op or op.not_judged or not op.total_ns or not speeds or not peak:
        return rates.kept(rate, already)
    # Of FFT and Winograd convolutions, what they really multiply.
    flops = op.flops if op.indirect_ns else op.matrix_flops
    computing = flops / (peak * speeds.usual("fp16")) * 1e9
    moving = op.bytes / (speeds.bytes_per_s * USUAL_MEMORY) * 1e9
    now = max(computing / rates.kept(rate, already), moving)
    saved = max(0.0, min(op.total_ns, now) - max(computing, moving / bytes_ratio))
    counted = max(0.0, min(1.0, LIMITED_TIMES * now / op.total_ns - 1))
    return 1 - saved / op.total_ns * counted
