"""What PyTorch's allocators did."""

from __future__ import annotations

from tests.readers.kineto.traces import OF_2021, Trace, read


def test_old_versions_say_only_how_much_was_allocated() -> None:
    trace = Trace(OF_2021)
    trace.op("aten::empty", 0, 50)
    trace.memory(10, 512)

    host = read(trace)

    assert not len(host.memory.time_ns)
    assert "memory" in host.lacks
