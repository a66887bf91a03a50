"""What PyTorch's allocators did."""

from __future__ import annotations

import pytest

from tests.readers.kineto.traces import OF_2021, WITH_GPUS, Dialect, Trace, read


@pytest.mark.parametrize("dialect", WITH_GPUS.values(), ids=WITH_GPUS)
def test_each_event_has_what_is_allocated_then(dialect: Dialect) -> None:
    trace = Trace(dialect, deviceProperties=[{"id": 0, "name": "NVIDIA A100", "totalGlobalMem": 10_000}])
    trace.op("aten::empty", 0, 50)
    trace.op("aten::empty_strided", 5, 12)
    trace.memory(20, -512, Addr=77, Total_Allocated=500, Total_Reserved=2048)
    trace.memory(10, 512, Addr=77, Total_Allocated=1012, Total_Reserved=2048)
    trace.memory(15, 64, device=-1, Addr=5, Total_Allocated=64, Total_Reserved=0)

    memory = read(trace).memory

    assert memory.allocators == ("GPU_0_torch",)
    assert memory.time_ns.tolist() == [10_000, 20_000]
    assert memory.is_allocation.tolist() == [True, False]
    assert memory.size_bytes.tolist() == [512, 512]
    assert memory.allocated_bytes.tolist() == [1012, 500]
    assert memory.available_bytes.tolist() == [8988, 9500]
    assert memory.address.tolist() == [77, 77]
    assert [memory.ops[code] for code in memory.op] == ["aten::empty", "aten::empty"]  # the outermost


def test_old_versions_say_only_how_much_was_allocated() -> None:
    trace = Trace(OF_2021)
    trace.op("aten::empty", 0, 50)
    trace.memory(10, 512)

    host = read(trace)

    assert not len(host.memory.time_ns)
    assert "memory" in host.lacks
