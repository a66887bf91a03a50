"""Files of countless small parts: as many times the parts take as many times as long, with either decoder."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.pace import calm_s
from tests.readers.xspace.raw import content, event, line, number, plane
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.formats import XSPACE

PARTS = 10_000
_EVENT = content(4, b"\x08\x01")


def _empty_lines(count: int) -> bytes:
    return plane(content(3) * count)


def _lines_of_one_event(count: int) -> bytes:
    return plane(*(content(3, number(3, at), _EVENT) for at in range(count)))


def _events_and_other_fields(count: int) -> bytes:
    return plane(content(3, (_EVENT + content(2)) * count))


def _planes_of_one_gpu(count: int) -> bytes:
    return plane(line(event(duration_ps=5000)), name="/device:GPU:0") * (count // 80)


FILES = [_empty_lines, _lines_of_one_event, _events_and_other_fields, _planes_of_one_gpu]


def cpu_s(data: bytes) -> float:
    return calm_s(lambda: XSPACE.trace("host", XSPACE.decode(data, Anomalies()), Anomalies()))


@pytest.mark.parametrize("make", FILES)
def test_eight_times_the_parts_take_no_more_than_sixteen_times_as_long(make: Callable[[int], bytes]) -> None:
    assert cpu_s(make(8 * PARTS)) < 16 * cpu_s(make(PARTS))
