"""Matching the collective kernels of several GPUs into calls."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.xspace_writer import Ref
from tests.builders import SEND_RECV, Host, find_communication
from tests.strategies import ADD, ALL_REDUCE, MS, Recording
from tfperf_plugin.analysis.collectives import KINDS, Collectives, find_collectives
from tfperf_plugin.analysis.finding_steps.find import host_steps

_GPUS = 4
# Per call the arrivals of all GPUs after the end of the call before, and the transfer time.
_CALLS = st.lists(
    st.tuples(st.lists(st.integers(1, 500), min_size=_GPUS, max_size=_GPUS), st.integers(1, 300)),
    min_size=1,
    max_size=6,
)
_Calls = list[tuple[list[int], int]]


def _recording(calls: _Calls, skip: tuple[int, int] | None = None) -> tuple[Recording, list[tuple[int, int]]]:
    """A step with these calls, without the kernel ``skip`` = (call, GPU), and each call's (ready, end)."""
    recording, now, truth = Recording(_GPUS), 100, []
    for number, (arrivals, transfer) in enumerate(calls):
        ready = now + max(arrivals)
        end = ready + transfer
        for gpu, arrival in enumerate(arrivals):
            if (number, gpu) != skip:
                recording.run(gpu, ALL_REDUCE, now + arrival, end, "20")
        truth.append((ready, end))
        now = end
    recording.step(0, 0, now + 10)
    return recording, truth


def _of_call(calls: Collectives, end: int) -> list[int]:
    return [i for i, e in enumerate(calls.end_ns.tolist()) if e == end]


def calls_of(host: Host) -> Collectives:
    trace = host.trace()
    return find_collectives(trace, host_steps(trace))


@given(_CALLS)
def test_calls_are_matched_and_the_last_arrival_starts_the_transfer(drawn: _Calls) -> None:
    recording, truth = _recording(drawn)
    calls = recording.analyse().calls

    assert calls.matched.all()
    assert set(calls.participants.tolist()) == {_GPUS}
    for (arrivals, _), (ready, end) in zip(drawn, truth, strict=True):
        rows = _of_call(calls, end)
        assert len({int(calls.call[r]) for r in rows}) == 1
        assert {int(calls.ready_ns[r]) for r in rows} == {ready}
        latest = max(rows, key=lambda r: int(calls.start_ns[r]))
        assert arrivals[int(calls.device[latest])] == max(arrivals)
    waited = sum(max(a) - one for a, _ in drawn for one in a)
    assert sum(calls.of_device(gpu)[1].total_ns for gpu in range(_GPUS)) == waited
    for gpu in range(_GPUS):
        assert calls.of_device(gpu)[0].total_ns == sum(transfer for _, transfer in drawn)


@given(_CALLS, st.data())
def test_a_call_that_a_gpu_lacks_is_matched_among_the_others(drawn: _Calls, data: st.DataObject) -> None:
    drawn = [*drawn, ([1] * _GPUS, 1)]  # so that every GPU takes part in some call
    skip = (data.draw(st.integers(0, len(drawn) - 1)), data.draw(st.integers(0, _GPUS - 1)))
    recording, truth = _recording(drawn, skip)
    calls = recording.analyse().calls

    rows = _of_call(calls, truth[skip[0]][1])
    assert set(calls.participants[rows].tolist()) == {_GPUS - 1}
    assert set(calls.ready_ns[rows].tolist()) == {int(calls.start_ns[rows].max())}
    for call in set(calls.call.tolist()):
        assert len(set(calls.end_ns[calls.call == call].tolist())) == 1


def test_a_call_among_some_gpus_is_matched_among_them() -> None:
    recording = Recording(4)
    recording.step(0, 0, 100 * MS)
    for gpu in range(4):
        recording.run(gpu, ADD, 1 * MS, 2 * MS)
    for gpu, arrival in ((1, 10), (3, 15)):
        recording.run(gpu, ALL_REDUCE, arrival * MS, 25 * MS, "20")
    calls = recording.analyse().calls

    assert calls.matched.tolist() == [True, True]
    assert calls.participants.tolist() == [2, 2]
    assert calls.of_device(1)[1].total_ns == 5 * MS


def test_two_groups_at_the_same_time_are_two_calls() -> None:
    """GPUs 0 and 1 end at 20 ms, GPUs 2 and 3 at 40 ms: nobody waits for the other group."""
    recording = Recording(4)
    recording.step(0, 0, 100 * MS)
    for gpu, (begin, end) in enumerate(((10, 20), (12, 20), (15, 40), (15, 40))):
        recording.run(gpu, ALL_REDUCE, begin * MS, end * MS, "20")
    calls = recording.analyse().calls

    assert calls.participants.tolist() == [2, 2, 2, 2]
    assert calls.call[0] == calls.call[1] != calls.call[2] == calls.call[3]
    assert [calls.of_device(gpu)[1].total_ns for gpu in range(4)] == [2 * MS, 0, 0, 0]


def test_a_hierarchical_reduction_is_three_calls() -> None:
    """All GPUs of the host, then the first GPU with other hosts, then all of the host again."""
    recording = Recording(3)
    recording.step(0, 0, 100 * MS)
    for gpu in range(3):
        recording.run(gpu, ALL_REDUCE, (10 + gpu) * MS, 20 * MS, "20")
        recording.run(gpu, ALL_REDUCE, (20 if gpu else 40) * MS, 45 * MS, "20")
    recording.run(0, ALL_REDUCE, 20 * MS, 40 * MS, "20")
    calls = recording.analyse().calls

    by_end = {end: _of_call(calls, end * MS) for end in (20, 40, 45)}
    assert [set(calls.participants[rows].tolist()) for rows in by_end.values()] == [{3}, {1}, {3}]
    assert [set(calls.ready_ns[rows].tolist()) for rows in by_end.values()] == [
        {12 * MS}, {20 * MS}, {20 * MS, 40 * MS},
    ]  # fmt: skip
    assert calls.matched[by_end[40]].tolist() == [False]


@pytest.mark.parametrize(
    ("first", "second", "matched"),
    [
        # Ends may differ by as much as a ring takes to come round.
        ((10 * MS, 30 * MS), (20 * MS, 30 * MS + 249_999), True),
        ((10 * MS, 30 * MS), (10 * MS, 30 * MS + 250_000), False),
        ((10 * MS, 20 * MS), (20 * MS, 30 * MS), False),  # never at the same time
    ],
)
def test_kernels_of_a_call_overlap_and_end_together(
    first: tuple[int, int], second: tuple[int, int], matched: bool
) -> None:
    recording = Recording(2)
    recording.step(0, 0, 100 * MS)
    recording.run(0, ALL_REDUCE, *first, "20")
    recording.run(1, ALL_REDUCE, *second, "20")
    calls = recording.analyse().calls

    assert calls.matched.tolist() == [matched] * 2
    assert calls.ready_ns.tolist() == ([20 * MS] * 2 if matched else [first[0], second[0]])


def test_calls_of_different_steps_and_kinds_are_told_apart() -> None:
    recording = Recording(2)
    recording.steps(2, 50 * MS)
    for gpu in range(2):
        recording.run(gpu, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", (10 + gpu) * MS, 15 * MS, "20")
        recording.run(gpu, "ncclDevKernel_AllGather_RING_LL", (20 + gpu) * MS, 25 * MS, "20")
        recording.run(gpu, "ncclDevKernel_AllGather_RING_LL", (60 + gpu) * MS, 65 * MS, "20")
    calls = recording.analyse().calls

    assert calls.matched.all()
    assert len(set(calls.call.tolist())) == 3
    assert [KINDS[k] for k in calls.kind[::2]] == ["reduce_scatter", "all_gather", "all_gather"]
    assert calls.step[::2].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_reduce"),
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "all_reduce"),
        ("ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "all_reduce"),
        ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "reduce_scatter"),
        ("ncclDevKernel_AllGather_RING_LL", "all_gather"),
        ("ncclDevKernel_Broadcast_RING_LL", "broadcast"),
        ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "send_recv"),
        ("ncclDevKernel_Reduce_Sum_f32_RING_LL", "reduce"),
        ("rccl_main_kernel", "other"),
    ],
)
def test_the_kind_is_in_the_name(name: str, kind: str) -> None:
    recording = Recording()
    recording.step(0, 0, 100)
    recording.run(0, name, 10, 20)
    calls = recording.analyse().calls

    assert [KINDS[k] for k in calls.kind.tolist()] == [kind]
    assert calls.of_device(0)[0].total_ns == 10


@pytest.mark.parametrize(
    ("recorded", "kind"),
    [("all_reduce", "all_reduce"), ("all_to_all", "send_recv"), ("recv", "send_recv"), ("new", "send_recv")],
)
def test_what_the_framework_recorded_beats_the_name(recorded: str, kind: str) -> None:
    """NCCL runs AllReduce of many GPUs in the kernel of point-to-point transfers."""
    host = Host()
    host.steps(2, 100)
    host.kernel(0, 90)
    host.kernel(90, 95, name=SEND_RECV, stream=9, stats={"collective_type": Ref(recorded)})
    calls = calls_of(host)

    assert [KINDS[k] for k in calls.kind.tolist()] == [kind]


def scattered(ends: list[float], name: str = ALL_REDUCE, number: int = 6) -> Collectives:
    """Two GPUs; the first arrives at 10 ms of each step of 100 ms and ends at 30, the other arrives at 20 and
    ends so many ms later, in turn."""
    host = Host(gpus=2)
    host.steps(number, 100)
    for step in range(number):
        for gpu, (begin, end) in enumerate(((10, 30), (20, 30 + ends[step % len(ends)]))):
            host.kernel(100 * step, 100 * step + begin, gpu)
            host.kernel(100 * step + begin, 100 * step + end, gpu, name, stream=9)
    return calls_of(host)


def test_where_most_of_a_kind_ends_together_the_rest_counts_by_order() -> None:
    assert scattered([0.0, 0.4, -0.4]).matched.all()
    assert not scattered([0.0, 0.4, -0.4, 0.45, -0.3, 0.35]).matched.all()  # one in six: chance
    assert not scattered([0.0, 0.0, 0.6]).matched.all()  # further apart than any real ends


def test_an_all_to_all_has_no_common_end() -> None:
    calls = scattered([0.0, 4.0, -4.0], SEND_RECV)

    assert calls.matched.all()
    assert calls.wait_ns[calls.device == 0].tolist() == [10 * MS] * 6


def test_clocks_of_gpus_that_differ_steadily_are_brought_together() -> None:
    """The other GPU's clock is 0.14 ms ahead; a call transfers for 0.4 ms, so that ends seem to differ."""
    host = Host(gpus=2)
    host.steps(6, 100)
    for step in range(6):
        for gpu, (arrival, ahead) in enumerate(((10, 0), (20, 0.14))):
            at = 100 * step + ahead
            host.kernel(at, at + arrival, gpu)
            host.kernel(at + arrival, at + 20.4, gpu, ALL_REDUCE, stream=9)
    calls = calls_of(host)

    assert calls.matched.all()
    assert calls.wait_ns[calls.device == 0].tolist() == [10 * MS] * 6
    assert calls.wait_ns[calls.device == 1].tolist() == [0] * 6


_SHARDED = (("all-reduce.1", 30, 5, 0), ("all-reduce.2", 40, 9, 100), ("all-reduce.3", 20, 2, -300))
"""Instructions of a compiled program: arrival of GPU 0 and how much later GPU 1 arrives, in ms; how much
later its end was recorded, in µs: by more than what is taken for a common end."""


def _compiled(gpus: tuple[int, ...], extra: int, number: int, at: int, recording: Recording) -> int:
    """A step of a program on these of two GPUs; GPU 0 alone runs another instruction before. When it ends."""
    begun = at
    for _ in range(extra):
        if 0 in gpus:
            recording.run(
                gpus.index(0), ALL_REDUCE, at * MS, (at + 2) * MS, "20",
                hlo_module="jit_step", hlo_op="all-reduce.0",
            )  # fmt: skip
        at += 3
    for op, arrival, later, skew in _SHARDED:
        end = at + arrival + later + 10
        for place, gpu in enumerate(gpus):
            recording.run(
                place, ALL_REDUCE, (at + arrival + gpu * later) * MS, end * MS + gpu * skew * 1000, "20",
                hlo_module="jit_step", hlo_op=op,
            )  # fmt: skip
        at = end
    recording.step(number, begun * MS, at * MS)
    return at + 5


@pytest.mark.parametrize("extra", [0, 1, 2])
@pytest.mark.parametrize("together", [True, False])
def test_calls_of_a_compiled_program_are_matched_by_instruction(extra: int, together: bool) -> None:
    """On GPUs of one process and of two."""
    recordings = [((0, 1), Recording(2))] if together else [((gpu,), Recording()) for gpu in range(2)]
    for gpus, recording in recordings:
        at = 0
        for number in range(6):
            at = _compiled(gpus, extra, number, at, recording)
    hosts = [recording.analyse() for _, recording in recordings]
    found = find_communication([h.host for h in hosts], [h.steps for h in hosts]).hosts
    shared = crc32(b"all-reduce.0")

    for calls in found:
        assert (calls.matched == (calls.instruction != shared)).all()
    first = found[0]
    waits = first.wait_ns[first.matched & (first.device == 0)]
    wanted = np.tile([later * MS for _, _, later, _ in _SHARDED], 6)
    assert np.abs(waits - wanted).max() < 0.1 * MS
