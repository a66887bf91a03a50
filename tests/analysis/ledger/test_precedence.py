"""Who owns an instant that several causes claim: ``ACCOUNTS``, read from top to bottom."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from tests.strategies import ADD, ALL_REDUCE, GEMM, INPUT_WAIT, MS, Analysis, Recording
from tfperf_plugin.analysis.ledger import ACCOUNTS


def _between(recording: Recording, begin: int, end: int) -> None:
    """The first marker ends at ``begin`` and the second begins at ``end``."""
    recording.events = [e for e in recording.events if "step_num" not in e.stats]
    recording.step(0, 0, begin)
    recording.step(1, end, 200 * MS)


def _stagger(recording: Recording, begin: int, end: int) -> None:
    """GPU 1 begins the step 10 ms after GPU 0 and so works on alone at the end, from ``begin`` to ``end``."""
    recording.run(1, ADD, 10 * MS, end)
    assert end - begin == 10 * MS


def _launch(recording: Recording, begin: int, end: int) -> None:
    """A driver call of the thread that marks steps, which takes long; it launches a copy far behind."""
    recording.launch(0, "MemcpyD2H", (begin, end), 80 * MS, 81 * MS)


def _copy_of_the_batch(recording: Recording, begin: int, end: int) -> None:
    """A kernel starts as soon as the copy ends."""
    recording.run(0, "MemcpyH2D", begin, end, "14")
    recording.run(0, ADD, end, end + MS // 100)


WAIT, TRANSFER, INPUT, BETWEEN = (
    "communication.wait", "communication.transfer", "idle.input", "idle.between_steps",
)  # fmt: skip
CAUSES: dict[str, Callable[[Recording, int, int], None]] = {
    "compute": lambda r, b, e: r.run(0, GEMM, b, e),
    "communication.transfer": lambda r, b, e: r.run(0, ALL_REDUCE, b, e, "20"),
    "copy.h2d": _copy_of_the_batch,
    "copy.d2h": lambda r, b, e: r.run(0, "MemcpyD2H", b, e, "15"),
    "copy.d2d": lambda r, b, e: r.run(0, "MemcpyD2D", b, e, "16"),
    "idle.compile": lambda r, b, e: r.host("XlaCompile", b, e),
    "idle.startup": lambda r, b, e: r.host("cuModuleLoadData", b, e),
    "idle.stagger": _stagger,
    "idle.input": lambda r, b, e: r.host(INPUT_WAIT, b, e, "tf_Compute/1"),
    "idle.between_steps": _between,
    "idle.sync": lambda r, b, e: r.host("cuStreamSynchronize", b, e, "python3"),
    "idle.launch": _launch,
    "idle.host_op": lambda r, b, e: r.host("model/cond:Where", b, e, "tf_Compute/2"),
    "idle.dispatch": lambda r, b, e: r.host("ExecutorState::Process", b, e, "tf_Compute/3", id=1),
}


def _step() -> Recording:
    """Two GPUs; step 0 runs from 0 to 100 ms, GPU 0 computes during its first 5 ms."""
    recording = Recording(2)
    recording.steps(2, 100 * MS)
    recording.run(0, ADD, 0, 5 * MS)
    recording.run(0, ADD, 150 * MS, 160 * MS)
    return recording


def test_the_causes_below_stand_in_the_order_of_the_table() -> None:
    """Waiting inside a collective needs a partner and has its own tests; unknown is the absence of causes."""
    own_tests = {"communication.wait", "idle.unknown"}

    assert list(CAUSES) == [a for a in ACCOUNTS if a not in own_tests]


@pytest.mark.parametrize("account", CAUSES)
def test_each_cause_alone_owns_its_time(account: str) -> None:
    recording = _step()
    CAUSES[account](recording, 10 * MS, 20 * MS)
    analysis = recording.analyse()

    assert analysis.owner_at(7 * MS) == "idle.unknown"
    assert analysis.owner_at(10 * MS) == account
    assert analysis.owner_at(20 * MS - 1) == account
    assert analysis.accounts(0)[account] >= 10 * MS


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(CAUSES, 2)))
def test_of_two_causes_the_first_in_the_table_owns_the_overlap(first: str, second: str) -> None:
    recording = _step()
    for account, begin in sorted(((first, 10), (second, 15)), key=lambda c: c[0] != "idle.between_steps"):
        CAUSES[account](recording, begin * MS, (begin + 10) * MS)
    analysis = recording.analyse()

    assert analysis.owner_at(12 * MS) == first
    assert analysis.owner_at(17 * MS) == first
    assert analysis.owner_at(22 * MS) == second


def _collective() -> Recording:
    """GPU 0 enters an AllReduce at 10 ms, GPU 1 at 20 ms, both leave at 30 ms."""
    recording = Recording(2)
    recording.steps(2, 100 * MS)
    for gpu, arrival in ((0, 10), (1, 20)):
        recording.run(gpu, ADD, 0, 5 * MS)
        recording.run(gpu, ADD, 110 * MS, 111 * MS)
        recording.run(gpu, ALL_REDUCE, arrival * MS, 30 * MS, "20")
    return recording


def _owners(analysis: Analysis, *times_ms: int) -> list[str]:
    return [analysis.owner_at(t * MS) for t in times_ms]


def test_a_collective_waits_until_the_last_gpu_arrives() -> None:
    analysis = _collective().analyse()

    assert _owners(analysis, 12, 22) == [WAIT, TRANSFER]
    assert analysis.accounts(0, gpu=1)["communication.transfer"] == 10 * MS
    assert "communication.wait" not in analysis.accounts(0, gpu=1)


def test_compute_hides_waiting_and_transfer() -> None:
    recording = _collective()
    recording.run(0, GEMM, 12 * MS, 24 * MS)

    assert _owners(recording.analyse(), 11, 15, 22, 25) == [WAIT, "compute", "compute", TRANSFER]


def test_waiting_in_a_collective_comes_before_copies_and_idleness() -> None:
    recording = _collective()
    recording.run(0, "MemcpyH2D", 12 * MS, 24 * MS, "14")
    recording.host(INPUT_WAIT, 8 * MS, 24 * MS, "tf_Compute/1")

    assert _owners(recording.analyse(), 9, 15, 22) == [INPUT, WAIT, TRANSFER]


def test_a_transfer_that_another_gpu_computes_under_is_waiting_for_that_gpu() -> None:
    """GPU 1 computes during 6 of 10 ms of the transfer: the step waits for that, not for the transfer."""
    recording = _collective()
    recording.run(1, GEMM, 18 * MS, 26 * MS)
    analysis = recording.analyse()

    assert _owners(analysis, 12, 22, 27) == [WAIT, WAIT, TRANSFER]
    assert analysis.accounts(0)["communication.transfer"] == 4 * MS
    assert analysis.accounts(0, gpu=1)["communication.transfer"] == 4 * MS


def test_a_transfer_that_both_compute_under_is_exposed_as_far_as_both_see_it() -> None:
    recording = _collective()
    recording.run(0, GEMM, 21 * MS, 24 * MS)
    recording.run(1, GEMM, 20 * MS, 28 * MS)
    analysis = recording.analyse()

    assert _owners(analysis, 20, 22, 25, 27, 29) == [WAIT, "compute", WAIT, WAIT, TRANSFER]
    assert analysis.accounts(0)["communication.transfer"] == 2 * MS


def test_a_copy_that_no_kernel_waits_for_owns_what_nothing_else_explains() -> None:
    recording = _step()
    recording.run(0, "MemcpyH2D", 10 * MS, 30 * MS, "14")
    recording.host("cuStreamSynchronize", 15 * MS, 20 * MS, "python3")

    assert _owners(recording.analyse(), 12, 17, 25) == ["copy.h2d", "idle.sync", "copy.h2d"]


def test_what_the_host_does_delays_no_kernel_that_is_launched() -> None:
    """The GPU is idle from 5 to 10 ms; at 7 ms its next kernel is launched."""
    recording = Recording()
    recording.step(0, 0, 6 * MS)
    recording.step(1, 100 * MS, 200 * MS)
    recording.launch(0, ADD, (0, 1000), 2000, 5 * MS)
    recording.launch(0, ADD, (7 * MS - 1000, 7 * MS), 10 * MS, 20 * MS)
    recording.host("cuStreamSynchronize", 7 * MS, 30 * MS, "python3")
    recording.run(0, ADD, 150 * MS, 160 * MS)

    assert _owners(recording.analyse(), 6, 9, 25) == [BETWEEN, "idle.unknown", BETWEEN]


def test_the_copy_of_a_batch_that_a_step_still_waits_for_is_waiting_for_input() -> None:
    """The batch is late, and its copy with it; a kernel is launched as soon as both are over."""
    recording = Recording()
    recording.steps(2, 100 * MS)
    recording.launch(0, ADD, (0, MS // 100), MS // 100, 5 * MS)
    recording.host(INPUT_WAIT, 2 * MS, 20 * MS, "tf_Compute/1")
    recording.launch(0, "MemcpyH2D", (12 * MS, 12 * MS + 1000), 13 * MS, 19 * MS, thread="tf_data_x/1")
    recording.launch(0, ADD, (20 * MS, 20 * MS + 1000), 20 * MS + 2000, 30 * MS)
    recording.run(0, ADD, 150 * MS, 160 * MS)

    assert _owners(recording.analyse(), 3, 10, 15, 19) == ["compute", INPUT, INPUT, INPUT]


def test_a_transfer_of_one_collective_comes_before_the_wait_in_another() -> None:
    recording = _collective()
    recording.run(0, "ncclDevKernel_Broadcast_RING_LL", 14 * MS, 18 * MS, "21")

    assert _owners(recording.analyse(), 12, 15, 19) == [WAIT, TRANSFER, WAIT]


def test_of_overlapping_kernels_the_tensor_core_matmul_owns_the_time() -> None:
    recording = Recording()
    recording.step(0, 0, 50 * MS)
    recording.run(0, GEMM, 10 * MS, 20 * MS)
    recording.run(0, "Memset", 15 * MS, 30 * MS, "8")
    classes = recording.analyse().device().class_sums_ns[0].tolist()

    assert (classes[0], classes[-1]) == (10 * MS, 10 * MS)
    assert sum(classes) == 20 * MS


def test_a_thread_that_launches_after_the_marker_still_runs_the_step() -> None:
    recording = Recording()
    recording.step(0, 0, 1 * MS)
    recording.step(1, 100 * MS, 101 * MS)
    for number in range(4):
        begin = (10 + 10 * number) * MS
        recording.launch(0, ADD, (begin, begin + 9 * MS), begin + 9 * MS, begin + 10 * MS, thread="launcher")
    recording.launch(
        0, "MemcpyH2D", (70 * MS, 79 * MS), 79 * MS, 80 * MS, thread="tf_data_private_threadpool/1"
    )
    recording.run(0, ADD, 150 * MS, 160 * MS)

    assert _owners(recording.analyse(), 5, 15, 45, 60, 75) == [
        BETWEEN,
        "idle.launch",
        "idle.launch",
        BETWEEN,
        BETWEEN,
    ]


def test_ops_of_the_input_pipeline_are_no_ops_of_the_step() -> None:
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7, _r=1)
    for thread, id, begin in (("tf_Compute/1", 7, 10), ("tf_Compute/2", 900, 30)):
        recording.host("ExecutorState::Process", begin * MS, (begin + 11) * MS, thread, id=id)
        recording.host("images/DecodeJpeg:DecodeJpeg", begin * MS, (begin + 10) * MS, thread)

    assert _owners(recording.analyse(), 15, 35) == ["idle.host_op", "idle.unknown"]


@pytest.mark.parametrize("hidden", [False, True])
def test_a_copy_under_compute_ties_no_other_copy_to_a_kernel(hidden: bool) -> None:
    """A batch for a later step is copied long before the next kernel begins, whatever lies between."""
    recording = Recording()
    recording.steps(2, 100 * MS)
    recording.run(0, ADD, 0, 5 * MS)
    recording.run(0, "MemcpyH2D", 10 * MS, 20 * MS, "14")
    recording.run(0, ADD, 15 * MS, 40 * MS)
    if hidden:
        recording.run(0, "MemcpyH2D", 20 * MS, 40 * MS, "14")
    recording.run(0, ADD, 40 * MS + MS // 100, 50 * MS)
    recording.run(0, ADD, 150 * MS, 160 * MS)
    recording.host("model/cond:Where", 10 * MS, 15 * MS, "tf_Compute/2")

    assert _owners(recording.analyse(), 12) == ["idle.host_op"]
