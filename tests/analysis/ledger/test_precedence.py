"""Who owns an instant that several causes claim: ``ACCOUNTS``, read from top to bottom."""

from __future__ import annotations

from collections.abc import Callable

from tests.strategies import ADD, ALL_REDUCE, GEMM, INPUT_WAIT, MS, Recording
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


def test_the_causes_below_stand_in_the_order_of_the_table() -> None:
    """Waiting inside a collective needs a partner and has its own tests; unknown is the absence of causes."""
    own_tests = {"communication.wait", "idle.unknown"}

    assert list(CAUSES) == [a for a in ACCOUNTS if a not in own_tests]
