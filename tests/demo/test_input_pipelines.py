"""The physics of simulated input pipelines: what they share limits them; their events are tf.data's."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from statistics import mean

import pytest

from demo.simulator import Training, simulate, what_happens
from demo.simulator.models import ConvNet
from demo.simulator.training import Files, InputPipeline
from tests.demo.reading import events

SMALL = ConvNet(batch=32, blocks_per_stage=1)
MS = 1_000_000
# 10 MB a batch in ten records; each is on its way for 0.1 ms over a network of 10 GB/s.
FILES = Files(record_bytes=1_000_000, latency_ns=2 * MS, gbps=10.0)


def period_ns(pipeline: InputPipeline, gpus: int = 1) -> float:
    """The time from step to step."""
    truth = what_happens(Training(model=SMALL, gpus=gpus, input=pipeline))
    begins = [step.begin_ns for step in truth.steps["worker0"][4:]]
    return mean(after - before for before, after in pairwise(begins))


def test_one_file_at_a_time_pays_the_storages_delay_for_each_record() -> None:
    pipeline = InputPipeline(records=10, files=FILES)

    assert period_ns(pipeline) == pytest.approx(10 * (2 + 0.1) * MS, rel=0.05)


def test_python_runs_one_call_at_a_time_in_all_pipelines_of_a_host() -> None:
    pipeline = InputPipeline(
        records=4, generator_ns=2 * MS, own_iterators=True, prefetch_to_device=False, map_ns=0
    )

    assert period_ns(pipeline) == pytest.approx(8 * MS, rel=0.05)
    assert period_ns(pipeline, gpus=3) == pytest.approx(24 * MS, rel=0.05)


def test_without_prefetching_a_step_makes_its_own_batch() -> None:
    pipeline = InputPipeline(map_ns=6 * MS, map_parallelism=0, prefetch=0, prefetch_to_device=False)
    training = Training(model=SMALL, input=pipeline, readback_lag=0)
    truth = what_happens(training)
    ahead = what_happens(replace(training, input=replace(pipeline, prefetch=2)))
    waits = [mean(s.input_waits_ns[0] for s in t.steps["worker0"][3:]) for t in (truth, ahead)]
    work = mean(s.gpus[0].busy_ns for s in truth.steps["worker0"][3:])

    assert waits[0] == pytest.approx(6.2 * MS, rel=0.05)
    assert waits[1] < waits[0] - 0.9 * work  # the next batch is made while the GPU works


@pytest.mark.parametrize(
    "pipeline",
    [
        InputPipeline(),
        InputPipeline(map_parallelism=0),
        InputPipeline(records=10, files=replace(FILES, readers=4), keep_one_of=2),
        InputPipeline(records=4, generator_ns=MS, prefetch=0, prefetch_to_device=False),
    ],
)
def test_events_are_joined_as_tensorflow_joins_them(pipeline: InputPipeline) -> None:
    """Parents run, what is taken out was put in, and no event overlaps another's end on its thread."""
    host = events(simulate(Training(model=SMALL, input=pipeline, steps=20)), "worker0", "/host:CPU")
    iterators = [row for row in host if row.name.startswith("Iterator::")]
    ids = {row.stats["id"] for row in iterators}
    assert {row.stats["parent_id"] for row in iterators if "parent_id" in row.stats} <= ids
    assert len(ids) == len({_path(row.name) for row in iterators})

    for kind in ("Prefetch", "ParallelMap", "ParallelInterleave"):
        made, taken = (
            Counter(row.stats["element_id"] for row in host if row.name == f"{kind}{what}")
            for what in ("Produce", "Consume")
        )
        assert all(count == 1 for count in (*made.values(), *taken.values()))
        assert len(taken) == 0 or len(made.keys() & taken.keys()) >= len(taken) // 2

    for thread in {row.line for row in host if row.line.startswith("tf_data")}:
        mine = sorted((r.start_ps, -r.end_ps) for r in host if r.line == thread)
        open_until: list[int] = []
        for start, end in ((s, -e) for s, e in mine):
            while open_until and open_until[-1] <= start:
                open_until.pop()
            assert not open_until or end <= open_until[-1]
            open_until.append(end)


def _path(name: str) -> str:
    head, _, tail = name.partition("[")
    return head + tail.partition("]")[2]
