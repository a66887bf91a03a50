"""Trainings whose steps wait for a tf.data pipeline, drawn for tests of rules.

    host = fed(40, ("Map", 35, {}), ("TFRecord", 5, {}))

Steps of 100 ms wait 40 ms for a batch that takes 35 ms to map and 5 ms to read.
"""

from __future__ import annotations

from collections.abc import Mapping

from demo.xspace_writer import StatValue
from tests.builders import GET_NEXT, Host

Stage = tuple[str, float, Mapping[str, StatValue]]
STEPS, STEP = 6, 100.0
_ASKS, _MAKES = "tf_data_iterator_get_next/2", "tf_data_iterator_resource/3"


def fed(
    wait: float, *stages: Stage, prefetch: bool = True, gpus: int = 1, busy_from: float | None = None
) -> Host:
    """A training on pipelines of these stages (kind, own ms per batch, stats), from the step upstream.

    With ``prefetch`` a thread of its own makes each batch just in time for the end of the wait, else the
    request makes it. The GPU works from the end of the wait, or ``busy_from``, on.
    """

    def step(host: Host, at: float) -> None:
        end = at + wait
        host.event(GET_NEXT, at, end, thread=_ASKS)
        host.event("Iterator::Root", at, end, thread=_ASKS, id=1)
        path, thread, parent, begin = "Iterator::Root", _ASKS, 1, at
        if prefetch:
            path, thread, parent, begin = f"{path}::Prefetch", _MAKES, 2, end - sum(s[1] for s in stages)
            stats: dict[str, StatValue] = {"id": 2, "parent_id": 1, "buffer_limit": 2, "autotune": 1}
            host.event(path, at, end, thread=_ASKS, **stats)
            host.event("PrefetchConsume", end - 0.002, end - 0.001, thread=_ASKS, element_id=int(at))
            if begin < 0:
                return  # it began before the recording
            host.event("PrefetchProduce", begin, end, thread=_MAKES, element_id=int(at))
        for number, (kind, own, given) in enumerate(stages):
            path += f"::{kind}"
            host.event(path, begin, end, thread=thread, id=10 + number, parent_id=parent, **given)
            begin, parent = begin + own, 10 + number

    host = Host(gpus=gpus).trained(STEPS, STEP, step)
    works_from = wait if busy_from is None else busy_from
    for gpu in range(gpus):
        for number in range(STEPS):
            host.kernel(number * STEP + works_from, (number + 1) * STEP, gpu)
    return host


def stocked(
    made: int,
    each: float,
    *kinds: str,
    size: int = 100,
    buffer: int = 1,
    asks: float = 0.1,
    steps: int = 1,
    gpus: int = 0,
    **stats: StatValue,
) -> Host:
    """Steps of 20 ms take batches that lie ready, and are done with asking after ``asks`` ms.

    From then on, a map makes ``made`` elements of batches of ``size``, one by one, each in ``each`` ms. With
    0, nothing is recorded behind the prefetch. ``kinds``: iterators between the map and the prefetch.
    """
    length, path = 20.0, "::".join(("Iterator::Root::Prefetch", *kinds, "MapAndBatch"))
    host, runner = Host(gpus=gpus), "tf_data_map_and_batch/4"
    for number in range(steps):
        at = number * length
        host.step(number, at, at + length)
        host.event(GET_NEXT, at, at + asks, thread=_ASKS)
        host.event("Iterator::Root", at, at + 0.02, thread=_ASKS, id=1)
        host.event(
            "Iterator::Root::Prefetch", at, at + 0.01, thread=_ASKS, id=2, parent_id=1, buffer_limit=buffer
        )
        for gpu in range(gpus):
            host.kernel(at + 0.2, at + length, gpu)
    between = "Iterator::Root::Prefetch"
    for number, kind in enumerate((*kinds, "MapAndBatch") if made else ()):
        between += f"::{kind}"
        given = (
            {"batch_size": size, "parallelism": 1, "autotune": 0, **stats} if kind == "MapAndBatch" else {}
        )
        host.event(between, 0.15, 0.18, thread=_MAKES, id=3 + number, parent_id=2 + number, **given)
    for number in range(made):
        at, key = 0.2 + number * each, 900 + number
        host.event("MapAndBatchProduce", at, at + 0.02, thread=runner, element_id=key)
        host.event(f"{path}::TFRecord", at, at + 0.01, thread=runner, id=20, parent_id=3 + len(kinds))
        host.event("InstantiatedCapturedFunction::RunAsync", at + 0.012, at + 0.015, thread=runner, id=key)
        host.event(
            "ExecutorState::Process", at + 0.015, at + each, thread="tf_data_private_threadpool/7", id=key
        )
    return host
