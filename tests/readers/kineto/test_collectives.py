"""Type and size of collectives, as far as PyTorch's versions say them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readers.kineto.traces import Trace, read
from tfperf_plugin.readers.kineto.work import inputs_of
from tfperf_plugin.trace.roles import Role

NCCL = "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"


def collective(trace: Trace) -> tuple[str, int]:
    """Type and bytes of the only collective; "" and −1 where not known."""
    (device,) = read(trace).devices
    (row,) = [row for row, role in enumerate(device.role) if role == Role.COLLECTIVE]
    kind = int(device.collective_type[row])
    assert bool(device.collective_output[row]) == (device.collective_bytes[row] >= 0)
    return (device.collective_types[kind] if kind >= 0 else ""), int(device.collective_bytes[row])


@pytest.mark.parametrize(
    ("name", "data_type", "kind", "size"),
    [
        ("allreduce", "Float", "all_reduce", 4000),
        ("allreduce_coalesced", "BFloat16", "all_reduce", 2000),
        ("_allgather_base", "Half", "all_gather", 2000),
        ("_reduce_scatter_base", "Double", "reduce_scatter", 8000),
        ("all_to_allv", "Long", "all_to_all", 8000),
        ("broadcast", "Byte", "broadcast", 1000),
        ("reduce", "Int", "reduce", 4000),
        ("send", "Float8_e4m3fn", "send", 1000),
        ("barrier", "Float", "", 4000),
        ("allreduce", "Mystery", "all_reduce", -1),
    ],
)
def test_kernels_of_new_versions_state_all(name: str, data_type: str, kind: str, size: int) -> None:
    trace = Trace()
    args: dict[str, Any] = {"Collective_name": name, "dtype": data_type, "Group_size": 16}
    trace.kernel(NCCL, 1, 0, 9, In_msg_nelems=7, Out_msg_nelems=1000, **args)

    assert collective(trace) == (kind, size)
    assert read(trace).collective_ranks == 16


def test_without_an_output_the_input_counts() -> None:
    trace = Trace()
    trace.kernel(NCCL, 1, 0, 9, Collective_name="send", In_msg_nelems=10, dtype="Float")

    assert collective(trace) == ("send", 40)


def test_the_op_around_the_launch_states_what_its_kernel_does_not() -> None:
    trace = Trace()
    trace.op(
        "record_param_comms",
        0,
        10,
        Collective_name="allgather",
        dtype="Half",
        In_msg_nelems=5,
        Out_msg_nelems=20,
    )
    trace.mark("nccl:all_gather", 1, 9)
    trace.launch(1, 2, 3)
    trace.kernel(NCCL, 1, 20, 30)

    kind, size = collective(trace)

    assert (kind, size) == ("all_gather", 40)


def test_a_kernel_of_old_versions_says_its_type_by_its_name_alone() -> None:
    trace = Trace()
    trace.kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", 1, 0, 9)

    assert collective(trace) == ("", -1)


# ------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    "dims", [b"{", b"5", b"[5]", b'["a"]', b"[[1.5]]", b"[" * 5000, b'{"a": [1]}', b"null"]
)
def test_no_shapes(dims: bytes) -> None:
    assert inputs_of(dims, b'["float"]') == []
