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


def test_compute_hides_waiting_and_transfer() -> None:
    recording = _collective()
    recording.run(0, GEMM, 12 * MS, 24 * MS)

    assert _owners(recording.analyse(), 11, 15, 22, 25) == [WAIT, "compute", "compute", TRANSFER]


def test_waiting_in_a_collective_comes_before_copies_and_idleness() -> None:
    recording = _collective()
    recording.run(0, "MemcpyH2D", 12 * MS, 24 * MS, "14")
    recording.host(INPUT_WAIT, 8 * MS, 24 * MS, "tf_Compute/1")

    assert _owners(recording.analyse(), 9, 15, 22) == [INPUT, WAIT, TRANSFER]


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
