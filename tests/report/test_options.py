"""What users type: numbers with units, and links by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfperf_plugin.hardware.links import PRESETS
from tfperf_plugin.report.options import (
    BANDWIDTH_FORMS,
    PARAMETERS_FORMS,
    BadOptionError,
    Options,
    doubts,
    parse_options,
)

HALVED = "as given, both directions halved"


def gbps(text: str) -> float:
    found = parse_options(None, text).bandwidth_gbps
    assert found is not None
    return found


def refusal(parameters: str | None, bandwidth: str | None) -> str:
    with pytest.raises(BadOptionError) as info:
        parse_options(parameters, bandwidth)
    return str(info.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25600000", 25_600_000),
        ("25,600,000", 25_600_000),
        ("25.6e6", 25_600_000),
        ("25.6M", 25_600_000),
        ("25.6 M", 25_600_000),
        (" 25.6m ", 25_600_000),
        ("25.6M parameters", 25_600_000),
        ("334 million", 334_000_000),
        ("1.3B", 1_300_000_000),
        ("1.3 bn", 1_300_000_000),
        ("1.3 Billion", 1_300_000_000),
        ("1,300 million", 1_300_000_000),
        ("0.5T", 500_000_000_000),
        ("2 trillion", 2_000_000_000_000),
        ("110k", 110_000),
        ("110 thousand", 110_000),
        (".5k", 500),
        ("1.", 1),
    ],
)
def test_parameters(text: str, expected: int) -> None:
    assert parse_options(text, None) == Options(parameters=expected)


def test_steps_of_an_epoch_are_a_whole_number() -> None:
    assert parse_options(None, None, (), " 296 ") == Options(steps_per_epoch=296)
    for text in ("0", "1.5", "x", "9" * 13):
        with pytest.raises(BadOptionError, match="whole number"):
            parse_options(None, None, (), text)


@pytest.mark.parametrize("text", ["1.5", "0.0012k", "1e0001.5"])
def test_parts_of_a_parameter(text: str) -> None:
    assert "must be a" in refusal(text, None)
    assert "whole number" in refusal("1.5", None)


@pytest.mark.parametrize(
    ("text", "expected", "basis"),
    [
        ("230", 230, "as given"),
        ("2.3e2", 230, "as given"),
        ("230 GB/s", 230, "as given"),
        ("600GB/s", 600, "as given"),
        ("600 GBps", 600, "as given"),
        ("600 Gbytes/s", 600, "as given"),
        ("1,200 GB/s", 1200, "as given"),
        ("300 GB/s per direction", 300, "as given"),
        ("300GB/s per direction", 300, "as given"),
        ("300 GB/s/direction", 300, "as given"),
        ("300 GB/s one way", 300, "as given"),
        ("300 GB/s, unidirectional", 300, "as given"),
        ("600 GB/s bidirectional", 300, HALVED),
        ("600 GB/s Bi-directional", 300, HALVED),
        ("600 GB/s (both directions)", 300, HALVED),
        ("600 GB/s total", 300, HALVED),
        ("600 in total", 300, HALVED),
        ("600 full duplex", 300, HALVED),
        ("4800 Gbit/s", 600, "as given"),
        ("4800 Gbits/s", 600, "as given"),
        ("4800 Gbps", 600, "as given"),
        ("4800gbps", 600, "as given"),
        ("4800 Gbit/s bidirectional", 300, HALVED),
        ("1.2 TB/s", 1200, "as given"),
        ("500 MB/s", 0.5, "as given"),
        ("100 GiB/s", 107.3741824, "as given"),
        ("1 TiB/s", 1099.511627776, "as given"),
    ],
)
def test_bandwidth(text: str, expected: float, basis: str) -> None:
    found = parse_options(None, text)
    assert found.bandwidth_gbps == pytest.approx(expected, rel=1e-12)
    assert found.bandwidth_basis == basis
    assert found.parameters is None


@pytest.mark.parametrize(
    ("text", "expected", "name"),
    [
        ("NVLink 2", 150, "NVLink 2"),
        ("NVLink3", 300, "NVLink 3"),
        ("nvlink_4", 450, "NVLink 4"),
        ("NVLINK 5.0", 900, "NVLink 5"),
        ("PCIe 3 x16", 15.75, "PCIe 3 x16"),
        ("PCIe4", 31.5, "PCIe 4 x16"),
        ("pcie gen4 x16", 31.5, "PCIe 4 x16"),
        ("PCIe 4.0 x8", 15.75, "PCIe 4 x8"),
        ("PCIe 5 x16", 63, "PCIe 5 x16"),
        ("pcie-6", 121, "PCIe 6 x16"),
        ("InfiniBand HDR", 25, "InfiniBand HDR"),
        ("IB NDR", 50, "InfiniBand NDR"),
    ],
)
def test_links_by_name(text: str, expected: float, name: str) -> None:
    assert parse_options(None, text) == Options(None, expected, f"{name} line rate, one direction")


def test_every_preset_can_be_typed_as_it_is_called() -> None:
    for preset in PRESETS.values():
        assert gbps(preset.name) == preset.line_rate_gbps


@pytest.mark.parametrize("text", ["NVLink 9", "PCIe 4 x4", "PCIe 1", "InfiniBand QDR"])
def test_links_that_are_not_known_name_those_that_are(text: str) -> None:
    assert "NVLink 4" in refusal(None, text)


@pytest.mark.parametrize(
    "text",
    ["0", "-1", "nan", "inf", "1e99", "1e-9", "x", "1,5", "0x10", "1" * 400, "600 GB", "600 GB/h", "600 KB/s",
     "600 GB/s twice", "per direction", "600 GB/s bidirectional bidirectional"],
)  # fmt: skip
def test_what_is_no_bandwidth(text: str) -> None:
    message = refusal(None, text)
    assert "must be a number from 0.001 to 1,000,000 in GB/s" in message
    assert BANDWIDTH_FORMS in message
    assert len(message) < 250 and "\n" not in message


@pytest.mark.parametrize("text", ["600 Gb/s", "600 gb/s", "600 Gib/s"])
def test_a_small_b_may_mean_either(text: str) -> None:
    assert "GB/s for bytes or Gbit/s for bits" in refusal(None, text)


def test_the_forms_that_errors_show_are_accepted() -> None:
    for form in PARAMETERS_FORMS.replace(" or ", ", ").split(", "):
        assert parse_options(form, None).parameters
    for form in BANDWIDTH_FORMS.replace(" or ", ", ").split(", "):
        assert gbps(form)


@given(st.text(max_size=200))
def test_no_text_does_harm(text: str) -> None:
    for parameters, bandwidth in ((text, None), (None, text)):
        try:
            found = parse_options(parameters, bandwidth)
        except BadOptionError:
            continue
        assert found.parameters is None or 1 <= found.parameters <= 10**15
        assert found.bandwidth_gbps is None or 1e-3 <= found.bandwidth_gbps <= 1e6


@given(
    st.from_regex(r"\A[0-9.,]{1,12} ?[kmgtbGMTB]?i?(B/s|bit/s|bps|illion)? ?(both directions|one way)?\Z"),
)
def test_nor_does_what_looks_like_a_number(text: str) -> None:
    test_no_text_does_harm.hypothesis.inner_test(text)  # type: ignore[attr-defined]


@given(st.integers(1, 10**15))
def test_numbers_of_parameters_come_back(count: int) -> None:
    for text in (str(count), f"{count:,}", f"{count} parameters"):
        assert parse_options(text, None).parameters == count


@given(st.integers(1, 10**9), st.sampled_from([("k", 10**3), ("M", 10**6)]))
def test_units_of_parameters_are_exact(thousandths: int, unit: tuple[str, int]) -> None:
    name, factor = unit
    text = f"{thousandths // 1000}.{thousandths % 1000:03d}{name}"
    assert parse_options(text, None).parameters == thousandths * factor // 1000


@given(st.floats(1e-3, 1e6))
def test_bandwidths_come_back(value: float) -> None:
    assert gbps(repr(value)) == value
    assert gbps(f"{value!r} GB/s") == value
    if value >= 2e-3:
        assert gbps(f"{value!r} GB/s bidirectional") == value / 2


def test_a_bandwidth_of_both_directions_is_doubted() -> None:
    assert doubts(600, 300) == (
        "600 GB/s is more than the links of one GPU carry in one direction (300 GB/s). Makers often state "
        "both directions together; if this figure does, use 300 GB/s."
    )


@pytest.mark.parametrize(("stated", "line_rate"), [(300, 300), (230, 300), (480, 450), (600, None)])
def test_what_is_not_doubted(stated: float, line_rate: float | None) -> None:
    """NVLink SHARP reaches 480 GB/s of bus bandwidth over links of 450 GB/s."""
    assert doubts(stated, line_rate) == ""
