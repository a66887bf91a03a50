"""Peaks and memory rates against the makers' data sheets, from what the profile records of a GPU."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import Host
from tfperf_plugin.analysis.artifacts.capture.devices import figures
from tfperf_plugin.hardware.models import certain
from tfperf_plugin.hardware.speeds import MEMORY_REACHED, Speeds, speeds

FORMATS = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8")
# Name, capability (AMD: version), multiprocessors, highest clock in MHz, recorded GB/s of memory; of the data
# sheet TFLOP/s in FORMATS, dense, with sums in float32, and GB/s. "-": no unit has it, "?": not stated. (AMD
# rounds the 8.192 TB/s of an MI355X, 8192 bits at 8 Gbit/s, to 8.)
SHEETS = """
Tesla P100-SXM2-16GB       | 6.0  56 1480  732 |  5.3  10.6    - 21.2    -    -    - |  732
Tesla V100-SXM2-16GB       | 7.0  80 1530  898 |  7.8  15.7    -  125    -    -    - |  900
Tesla V100-PCIE-16GB       | 7.0  80 1380  898 |    7    14    -  112    -    -    - |  900
Tesla T4                   | 7.5  40 1590  320 |    ?   8.1    -   65    -    -  130 |  320
NVIDIA GeForce RTX 2080 Ti | 7.5  68 1545  616 |    ? 13.45    - 53.8    -    -  215 |  616
NVIDIA GeForce RTX 3090    | 8.6  82 1695  936 |    ?  35.6 35.6   71   71    -  284 |  936
NVIDIA A10                 | 8.6  72 1695  600 |    ?  31.2 62.5  125  125    -  250 |  600
NVIDIA A10G                | 8.6  80 1710  600 |    ?    35   35   70   70    -  140 |  600
NVIDIA A100-SXM4-40GB      | 8.0 108 1410 1555 | 19.5  19.5  156  312  312    -  624 | 1555
NVIDIA A100-SXM4-80GB      | 8.0 108 1410 2039 | 19.5  19.5  156  312  312    -  624 | 2039
NVIDIA A100 80GB PCIe      | 8.0 108 1410 1935 | 19.5  19.5  156  312  312    -  624 | 1935
NVIDIA L4                  | 8.9  58 2040  300 |    ?  30.3 60.5  121  121  242  242 |  300
NVIDIA L20                 | 8.9  92 2520  864 |    ?  59.8 59.8  119.5 119.5 239 239 | 864
NVIDIA L40S                | 8.9 142 2520  864 |    ?  91.6  183  366  366  733  733 |  864
NVIDIA GeForce RTX 4090    | 8.9 128 2520 1008 |  1.3  82.6 82.6  165  165  330  661 | 1008
NVIDIA GeForce RTX 5090    | 12.0 170 2407 1792 | 1.64 104.8 104.8 209.5 209.5 419 838 | 1792
NVIDIA H100 80GB HBM3      | 9.0 132 1980 3352 |   67    67  495  989  989 1979 1979 | 3350
NVIDIA H100 PCIe           | 9.0 114 1755 2000 |   51    51  378  756  756 1513 1513 | 2000
NVIDIA H200                | 9.0 132 1980 4800 |   67    67  495  989  989 1979 1979 | 4800
NVIDIA H20                 | 9.0  78 1980 4000 |    ?     ?   74  148  148  296  296 | 4000
NVIDIA B200                | 10.0 148 1965 8000 |  37    75 1125 2250 2250 4500 4500 | 8000
NVIDIA B300 SXM6 AC        | 10.3 148 1965 8000 |   ?    75 1125 2250 2250 4500  150 | 8000
AMD Instinct MI210         | 9.0 104 1700 1638 | 45.3  45.3    -  181  181    -  181 | 1638
AMD Instinct MI250X        | 9.0 110 1700 1638 | 47.9  47.9    -  191.5 191.5 - 191.5 | 1638
AMD Instinct MI300X        | 9.4 304 2100 2662 | 163.4 163.4 653.7 1307.4 1307.4 2614.9 2614.9 | 5300
AMD Instinct MI325X        | 9.4 304 2100 3000 | 163.4 163.4 653.7 1307.4 1307.4 2614.9 2614.9 | 6000
AMD Instinct MI355X        | 9.5 256 2400 4096 | 78.6 157.3    - 2516.6 2516.6 5033.2 5033.2 | 8192
""".strip().splitlines()


def recorded(name: str, version: str, units: int, mhz: int, gbps: int) -> Speeds | None:
    """The rates of a GPU of which a profile records this."""
    major, minor = map(int, version.split("."))
    stats = {
        "core_count": units, "clock_rate": mhz * 1000, "memory_bandwidth": gbps * 10**9,
        "memory_size": 16 << 30,
    }  # fmt: skip
    host = Host(
        capability=(major, minor), vendor="AMD" if "AMD" in name else "Nvidia", model=name, device={**stats}
    )
    host.kernel(0, 1)
    (device,) = host.trace().devices
    return figures(device).speeds


@pytest.mark.parametrize("row", SHEETS, ids=lambda row: row.partition("|")[0].strip())
def test_peaks_are_those_of_the_data_sheet(row: str) -> None:
    name, gpu, stated, gbps = (part.strip() for part in row.split("|"))
    version, units, mhz, recorded_gbps = gpu.split()

    found = recorded(name, version, int(units), int(mhz), int(recorded_gbps))

    assert found is not None
    for format, peak in zip(FORMATS, stated.split(), strict=True):
        if peak == "-":
            assert (format, found.peak(format), found.ceiling(format)) == (format, None, None)
        elif peak != "?":
            assert (found.peak(format) or 0) / 1e12 == pytest.approx(float(peak), rel=0.01), format
            assert (found.ceiling(format) or 0) >= (found.peak(format) or 0)
    assert found.bytes_per_s / 1e9 == pytest.approx(float(gbps), rel=0.01)


def test_nothing_exceeds_the_highest_clock() -> None:
    """An H100 at 1980 MHz can exceed the 989 TFLOP/s for which its data sheet counts 1830."""
    found = recorded("NVIDIA H100 80GB HBM3", "9.0", 132, 1980, 3352)

    assert found is not None
    assert found.ceiling("bf16") == 132 * 4096 * 1_980_000_000
    assert found.ceiling("fp32") == found.peak("fp32") == 132 * 256 * 1_980_000_000
    # The data sheet of a P100 PCIe counts 1303 MHz: 9.3.
    assert (slow := recorded("Tesla P100-PCIE-16GB", "6.0", 56, 1328, 732)) is not None
    assert slow.peak("fp32") == slow.ceiling("fp32") == 2 * (slow.peak("fp64") or 0) == 56 * 128 * 1.328e9


@pytest.mark.parametrize(
    ("name", "version", "format", "reached"),
    [
        ("NVIDIA A100-SXM4-40GB", "8.0", "bf16", 0.87),
        ("NVIDIA A100-SXM4-40GB", "8.0", "tf32", 0.87),
        ("NVIDIA A100-SXM4-40GB", "8.0", "fp32", 0.91),
        ("NVIDIA A100 80GB PCIe", "8.0", "bf16", 0.81),
        ("NVIDIA H100 80GB HBM3", "9.0", "bf16", 0.80),
        ("NVIDIA H100 80GB HBM3", "9.0", "fp8", 0.72),
        ("NVIDIA B200", "10.0", "bf16", 0.78),
        ("AMD Instinct MI300X", "9.4", "bf16", 0.70),
        ("AMD Instinct MI325X", "9.4", "bf16", 0.60),
        ("AMD Instinct MI355X", "9.5", "fp8", 0.62),
        # Nobody has measured these: a usual share. The ordinary units of a P100 multiply in 16 bit.
        ("Tesla T4", "7.5", "fp16", 0.80),
        ("NVIDIA of the future", "9.0", "bf16", 0.80),
        ("Tesla P100-PCIE-16GB", "6.0", "fp16", 0.91),
        ("Tesla V100-SXM2-16GB", "7.0", "fp32", 0.91),
    ],
)
def test_shares_that_libraries_reach(name: str, version: str, format: str, reached: float) -> None:
    found = recorded(name, version, 100, 1500, 1000)

    assert found is not None
    assert found.reached(format) == reached
    assert 0.5 < MEMORY_REACHED < 1


def test_without_a_name_it_is_the_model_with_these_figures() -> None:
    found = recorded("", "7.0", 80, 1530, 898)

    assert found == recorded("Tesla V100-SXM2-16GB", "7.0", 80, 1530, 898)
    # Of 8.6, a GeForce card or the faster of its kind: the slower one counts.
    for version, rate in (("8.6", 512), ("8.0", 2048)):
        assert (nameless := recorded("", version, 99, 1600, 500)) is not None
        assert nameless.peak("bf16") == rate * 99 * 1.6e9


@pytest.mark.parametrize("name", ["Tesla T4", "NVIDIA T4"])
def test_a_name_tells_the_figures_that_a_profile_lacks(name: str) -> None:
    assert recorded(name, "7.5", 40, 0, 0) == recorded("Tesla T4", "7.5", 40, 1590, 320)
    assert recorded(name, "7.5", 20, 0, 0) is None  # another GPU of that name


@pytest.mark.parametrize(
    ("name", "version", "units", "mhz", "gbps"),
    [
        ("Tesla V100-DGXS-32GB", "7.0", 80, 1530, 898),
        ("NVIDIA A100-PG509-200", "8.0", 108, 1410, 1555),
        ("NVIDIA GeForce RTX 2080 Ti", "7.5", 68, 1545, 616),
        ("Quadro GP100", "6.0", 56, 1442, 717),
        ("NVIDIA B300 SXM6 AC", "10.3", 148, 1965, 8000),
    ],
)
def test_boards_known_by_name(name: str, version: str, units: int, mhz: int, gbps: int) -> None:
    found = recorded(name, version, units, 0, 0)

    assert found is not None
    assert found == recorded(name, version, units, mhz, gbps)


def test_a_laptop_is_not_the_card_of_its_name() -> None:
    assert recorded("NVIDIA GeForce RTX 3070", "8.6", 46, 0, 0) is not None
    assert recorded("NVIDIA GeForce RTX 3070 Ti Laptop GPU", "8.6", 46, 0, 0) is None
    assert recorded("GeForce RTX 2070 with Max-Q Design", "7.5", 36, 0, 0) is None


@pytest.mark.parametrize(
    ("kernel", "name", "bfloat16", "ratio"),
    [
        ("ampere_sgemm_128x64_nn", "Ampere or newer (inferred)", True, 2),
        ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64>", "Ampere or newer (inferred)", True, 2),
        ("sm90_xmma_gemm_f16f16", "Hopper or newer (inferred)", True, 2),
        ("volta_sgemm_128x64_nn", "Volta or newer (inferred)", False, None),  # a GTX 16 runs it, too
        ("evolta_kernel", "", False, None),
    ],
)
def test_names_of_kernels_tell_the_least_architecture(
    kernel: str, name: str, bfloat16: bool, ratio: float | None
) -> None:
    host = Host()
    host.kernel(0, 1, name=kernel)
    (device,) = host.trace().devices
    found = figures(replace(device, stats={}))

    assert (found.name, found.has_bfloat16, certain(found.name)) == (name, bfloat16, "")
    assert (found.peaks and found.peaks.bits16 / found.peaks.fp32) == ratio
    assert figures(device).least_capability is None  # recorded


def test_unknown_gpus_have_no_rates() -> None:
    assert recorded("AMD Radeon RX 7900 XTX", "11.0", 96, 2500, 960) is None
    assert recorded("Tesla M60", "5.2", 16, 1178, 160) is None
    assert recorded("Quadro T9", "7.5", 40, 1590, 0) is None
    assert speeds("Tesla T4", None, None, 40, 1_590_000, 320 * 10**9) is None
    for missing in range(3):
        known: list[int | None] = [40, 1_590_000, 320 * 10**9]
        known[missing] = None
        assert speeds("Tesla P100", None, (6, 0), *known) is None
