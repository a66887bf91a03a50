"""What the visible GPUs are, where the profile leaves their names blank."""

from __future__ import annotations

import pytest

from tests.builders import Host, Stats, inputs
from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.hardware.models import certain

V100: Stats = {
    "clock_rate": 1_530_000,
    "core_count": 80,
    "memory_bandwidth": 898_048_000_000,
    "memory_size": 16_914_055_168,
}
GTX: Stats = {
    "clock_rate": 1_770_000,
    "core_count": 24,
    "memory_bandwidth": 288_048_000_000,
    "memory_size": 6_222_839_808,
}
MI300X: Stats = {
    "clock_rate": 2_100_000,
    "core_count": 304,
    "memory_bandwidth": 2_662_400_000_000,
    "memory_size": 206_141_652_992,
}


def device(capability: tuple[int, int], stats: Stats, vendor: str = "Nvidia", model: str = "") -> DeviceInfo:
    host = Host(capability=capability, device=stats, vendor=vendor, model=model)
    (found,) = inputs(host).of(Devices).all
    return found


def test_a_blank_name_is_inferred_and_said_to_be() -> None:
    found = device((7, 0), V100)

    assert (found.name, certain(found.name)) == ("Tesla V100-SXM2-16GB (inferred)", "Tesla V100-SXM2-16GB")


def test_a_recorded_name_stays() -> None:
    assert device((7, 0), V100, model="Tesla V100-DGXS-16GB").name == "Tesla V100-DGXS-16GB"


def test_figures_of_no_known_model_give_no_name() -> None:
    assert device((7, 0), {**V100, "core_count": 40}).name == ""


def test_an_inferred_card_without_tensor_cores_has_no_peaks() -> None:
    found = device((7, 5), GTX)

    assert (found.name, found.peaks) == ("GeForce GTX 1660 Ti (inferred)", None)


def test_an_amd_gpu_has_peaks_and_its_true_bandwidth() -> None:
    found = device((9, 4), MI300X, vendor="AMD")

    assert found.name == "Instinct MI300X (inferred)"
    assert (found.compute_capability, found.architecture, found.has_bfloat16) == (None, "gfx942", True)
    assert found.peaks is not None
    assert (
        found.tflops(found.peaks.bits16)
        == "1307.4 TFLOP/s: 2048 operations per CU and clock × 304 compute units × 2.10 GHz"
    )
    assert found.memory_bandwidth == pytest.approx(5.3e12, rel=0.01)
