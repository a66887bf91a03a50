"""What Python and the compilers do in simulated steps takes its time where it really would."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from statistics import mean

import pytest

from demo.simulator import Training, simulate, what_happens
from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Communication, HostWork, Launching
from demo.simulator.truth import Truth
from tests.demo.reading import events

SMALL = ConvNet(batch=64, blocks_per_stage=1)
BASE = Training(model=SMALL, generation="trace", steps=9, readback_lag=0)


def periods_ns(truth: Truth) -> list[int]:
    return [after.begin_ns - before.begin_ns for before, after in pairwise(truth.steps["worker0"][2:])]


def test_python_takes_its_time_for_each_eager_op() -> None:
    eager = replace(BASE, eager=True, jitter=0.0)
    kernels = len(SMALL.kernels(BASE.device, BASE.precision))
    before, after = (
        mean(periods_ns(what_happens(replace(eager, launching=Launching(python_ns=ns)))))
        for ns in (200_000, 400_000)
    )

    # The host is the slower one in both, so each op costs its price.
    assert after - before == pytest.approx(kernels * 200_000, rel=0.01)


def test_a_new_trace_is_counted_and_nothing_is_launched_meanwhile() -> None:
    simulation = simulate(replace(BASE, retrace_every=3))
    rows = events(simulation, "worker0", "/host:CPU")
    calls = [row for row in rows if row.name == "train_step"]
    building = [row for row in rows if row.name == "tf.function-graph_building"]
    launches = [row for row in rows if "correlation_id" in row.stats]

    assert [row.stats["tf_function_call"] for row in calls] == [
        f"{'' if step % 3 == 0 else 'notT'}{'t' if step % 3 == 0 else ''}raced-nonXla"
        for step in range(2, 11)
    ]
    assert [row.stats["tracing_count"] for row in calls] == [2, 3, 3, 3, 4, 4, 4, 5, 5]
    assert len(building) == 3
    for row in building:
        assert not [x for x in launches if row.start_ps <= x.start_ps < row.end_ps]


def test_a_host_that_runs_ahead_hides_as_much_of_a_trace_as_the_gpu_has_to_do() -> None:
    def longest(lag: int) -> int:
        return max(
            periods_ns(
                what_happens(replace(BASE, model=ConvNet(batch=256), retrace_every=4, readback_lag=lag))
            )
        )

    assert longest(0) - longest(1) > 5 * MILLISECOND_NS


def test_a_program_is_compiled_on_the_thread_that_launches_it() -> None:
    job = replace(BASE, recompile_every=4, communication=Communication(launcher="xla"))
    rows = events(simulate(job), "worker0", "/host:CPU")
    (first, second) = [row for row in rows if row.name.startswith("HLO Transforms:")]
    (run, _) = [row for row in rows if row.name.endswith(":XLA GPU module")]
    launches = [row for row in rows if "correlation_id" in row.stats and row.line == first.line]

    assert first.line == run.line
    assert not [row for row in launches if first.start_ps <= row.start_ps < run.start_ps]
    assert [row for row in launches if run.start_ps <= row.start_ps < run.end_ps]
    assert second.start_ps > first.end_ps


def test_rare_work_takes_place_after_every_so_many_steps() -> None:
    work = HostWork("$checkpoint.py:1 write", call_ns=50 * MILLISECOND_NS, op="SaveV2", every=3)
    simulation = simulate(replace(BASE, between_steps=(work,)))
    long = [period > 40 * MILLISECOND_NS for period in periods_ns(simulation.truth)]

    assert long == [step % 3 == 2 for step in range(2, 2 + len(long))]
    assert "EagerLocalExecute: SaveV2" in {row.name for row in events(simulation, "worker0", "/host:CPU")}
