"""The replay of a recorded step: nothing is added up twice, and waiting follows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from tests.builders import ALL_REDUCE, Host, inputs
from tfperf_plugin.analysis.artifacts.input.pipelines import Pipelines
from tfperf_plugin.analysis.ledger import ACCOUNTS, Ledger
from tfperf_plugin.analysis.whatif.predict import Predicted, predict
from tfperf_plugin.analysis.whatif.recorded import Recorded, finish, part

MS = 1_000_000
STEPS = 5


class Run:
    """A recorded run; ``without`` removes ms of accounts, one dictionary a finding."""

    def __init__(self, *hosts: Host) -> None:
        made = inputs(*hosts)
        assert isinstance(made.ledger, Ledger)
        self.average = made.ledger.average()
        parts = [found for view in made.views if (found := part(view))]
        self.recorded = finish(parts, made.get(Pipelines))

    def without(self, *claims: dict[str, float], promised: float | None = None, **frees: bool) -> Predicted:
        chosen = [{a: round(ms * MS) for a, ms in one.items()} for one in claims]
        most = sum(sum(one.values()) for one in chosen) if promised is None else round(promised * MS)
        return predict(self.recorded, self.average, chosen, most, **frees)


def saved_ms(found: Predicted) -> float:
    return found.saved_ns / MS


def late_gpu() -> Run:
    """Each step of 100 ms: GPU 1 starts 20 ms late, so GPU 0 waits so long in AllReduce."""
    host = Host(gpus=2)
    host.steps(STEPS, 100)
    for step in range(STEPS):
        at = 100 * step
        host.kernel(at, at + 60, 0)
        host.kernel(at + 20, at + 80, 1)
        host.kernel(at + 60, at + 90, 0, ALL_REDUCE, stream=8)
        host.kernel(at + 80, at + 90, 1, ALL_REDUCE, stream=8)
        for gpu in (0, 1):
            host.kernel(at + 90, at + 100, gpu)
    return Run(host)


def hidden_exchange() -> Run:
    """Each step of 100 ms computes throughout; the AllReduce of 40 ms runs beside it."""
    host = Host(gpus=2)
    host.steps(STEPS, 100)
    for step in range(STEPS):
        for gpu in (0, 1):
            host.kernel(100 * step, 100 * step + 100, gpu)
            host.kernel(100 * step + 50, 100 * step + 90, gpu, ALL_REDUCE, stream=8)
    return Run(host)


def launched(margin: float) -> Run:
    """Ten kernels of 9 ms a step, 1 ms of launching between; each launched ``margin`` ms before it begins."""
    host = Host()
    host.steps(STEPS, 100)
    for step in range(STEPS):
        for k in range(10):
            at = 100 * step + 10 * k
            host.kernel(at + 1, at + 10, launch=(at + 0.9 - margin, at + 1 - margin))
    return Run(host)


def test_nothing_chosen_is_the_recorded_step() -> None:
    run = late_gpu()

    found = run.without()

    assert found.predicted_ns == found.step_ns == 100 * MS
    assert dict(found.before) == dict(found.after) == run.average


def test_waiting_follows_from_lateness() -> None:
    run = late_gpu()
    assert run.average["idle.stagger"] == run.average["communication.wait"] == 10 * MS

    found = run.without({"idle.stagger": 10, "communication.wait": 10})

    assert saved_ms(found) == pytest.approx(20, abs=0.01)
    assert found.after["idle.stagger"] == found.after["communication.wait"] == 0
    assert found.after["compute"] == found.before["compute"]


def test_lateness_that_is_told_by_the_waiting_only() -> None:
    assert saved_ms(late_gpu().without({"communication.wait": 10})) == pytest.approx(10, abs=0.01)


def test_what_a_gpu_that_nobody_waits_for_saves_is_waited() -> None:
    """All compute goes, on both GPUs; GPU 1 is late as before, and the transfer takes as long."""
    found = late_gpu().without({"compute": 70})

    assert found.after["communication.transfer"] == found.before["communication.transfer"] == 10 * MS
    assert found.predicted_ns == 30 * MS  # 20 ms late, 10 ms transfer
    assert found.after["communication.wait"] + found.after["idle.stagger"] == 20 * MS


def test_a_transfer_that_compute_hid_is_waited_for() -> None:
    run = hidden_exchange()

    found = run.without({"compute": 50})

    # Half the compute: the call begins at 25 ms and takes 40.
    assert saved_ms(found) == pytest.approx(35, abs=0.01)
    assert found.exposed_ns == pytest.approx(15 * MS, abs=MS // 10)
    assert found.after["communication.transfer"] == found.exposed_ns


def test_kernels_do_not_begin_before_they_are_launched() -> None:
    ahead, just = launched(200), launched(0)

    assert saved_ms(ahead.without({"compute": 45})) == pytest.approx(45, abs=0.5)
    held = just.without({"compute": 45})
    assert saved_ms(held) < 10
    assert held.launch_ns > 35 * MS
    assert saved_ms(just.without({"compute": 45}, frees_launches=True)) == pytest.approx(45, abs=0.5)


def test_the_input_pipeline_limits_a_step() -> None:
    run = launched(200)
    slow = replace(run.recorded, input_ns=run.recorded.input_ns * 0 + 80 * MS)

    def found(**frees: bool) -> Predicted:
        return predict(slow, run.average, [{"compute": 45 * MS}], 45 * MS, **frees)

    assert found().predicted_ns == 80 * MS
    assert found().held_ns == pytest.approx(25 * MS, abs=MS // 2)
    assert found(frees_input=True).predicted_ns == pytest.approx(55 * MS, abs=MS // 2)


def test_no_more_than_promised() -> None:
    assert saved_ms(launched(200).without({"compute": 45}, promised=30)) == pytest.approx(30, abs=1e-6)


def test_arrays_hold_the_whole_recording() -> None:
    recorded = late_gpu().recorded
    again = Recorded.from_arrays(recorded.arrays())

    assert all((getattr(again, name) == column).all() for name, column in asdict(recorded).items())


RUNS = [late_gpu(), hidden_exchange(), launched(200), launched(0)]
CLAIMS = st.dictionaries(
    st.sampled_from(ACCOUNTS),
    st.floats(0, 60, allow_nan=False).map(lambda ms: round(ms, 3)),
    max_size=4,
)


@given(st.sampled_from(RUNS), st.lists(CLAIMS, max_size=4), CLAIMS, st.randoms(use_true_random=False))
def test_laws(run: Run, chosen: Sequence[dict[str, float]], more: dict[str, float], random) -> None:  # type: ignore[no-untyped-def]
    found, further = run.without(*chosen), run.without(*chosen, more)
    shuffled = list(chosen)
    random.shuffle(shuffled)

    assert sum(found.before.values()) == found.step_ns
    assert sum(found.after.values()) == found.predicted_ns
    assert min(found.after.values()) >= 0
    # Whoever removes more never waits longer for it, but for the rounding to nanoseconds.
    assert further.predicted_ns <= found.predicted_ns + 1
    # What is claimed twice goes once: never below what no finding claims of the average step.
    kept = {a: max(0, ns - sum(round(c.get(a, 0) * MS) for c in chosen)) for a, ns in run.average.items()}
    assert found.predicted_ns >= sum(kept.values()) - 1
    assert abs(run.without(*shuffled).predicted_ns - found.predicted_ns) <= 1
