"""A tf.data pipeline as a queueing model: read, batch, map, prefetch."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from demo.simulator.clock import Channel, Clock, Process, Signal
from demo.simulator.cpu import Cpu
from demo.simulator.record import HostEvent, Recording, StatValue, Thread
from demo.simulator.training import InputPipeline

# What the iterators themselves cost per batch.
GET_NEXT_NS = 15_000
CONSUME_NS = 1_400
SPREAD = 0.05
ROOT = "Iterator::Root"
THREADS_PER_PIPELINE = 100


@dataclass(frozen=True)
class Batch:
    """One element of the pipeline."""

    element: int
    done: Signal


class Pipeline:
    """Produces batches in background threads; `get_next` is what a training step calls.

    ``number`` tells the pipelines of one host, and so their threads, apart. Threads that map in parallel
    need a core of ``cpu``.
    """

    def __init__(
        self,
        clock: Clock,
        recording: Recording,
        spec: InputPipeline,
        random: Random,
        number: int = 0,
        cpu: Cpu | None = None,
    ) -> None:
        self.spec = spec
        self._cpu = cpu
        self._threads = number * THREADS_PER_PIPELINE
        self._clock = clock
        self._recording = recording
        self._random = random
        self._prefetched: Channel[Batch] = Channel(clock, spec.prefetch)
        self._mapped: Channel[Batch] = Channel(clock, max(spec.map_parallelism, 1))
        self._slots: Channel[int] = Channel(clock, max(spec.map_parallelism, 1))
        self._ids = {
            name: 1 + self._random.getrandbits(62) for name in ("root", "prefetch", "map", "batch", "read")
        }
        self._elements = 1_000 + self._random.getrandbits(40)
        clock.spawn(self._prefetch())
        if spec.map_parallelism:
            self._slots.items.extend(range(spec.map_parallelism))
            clock.spawn(self._parallel_map())

    @property
    def map_name(self) -> str:
        return f"{ROOT}::Prefetch::{'ParallelMapV2' if self.spec.map_parallelism else 'Map'}"

    def get_next(self, thread: Thread, step: int, run_id: int | None) -> Process[None]:
        """Wait for the next batch; ``run_id`` is the graph run whose IteratorGetNext op asks, if one does."""
        begin_ns = self._clock.now_ns
        yield GET_NEXT_NS
        root_ns = self._clock.now_ns
        yield GET_NEXT_NS // 3
        prefetch_ns = self._clock.now_ns
        buffered = len(self._prefetched.items)
        batch = yield from self._prefetched.get()
        consume_ns = self._clock.now_ns
        yield CONSUME_NS
        record = self._record
        record(thread, "PrefetchConsume", consume_ns, step, {"element_id": batch.element})
        stats: dict[str, StatValue] = {
            "id": self._ids["prefetch"],
            "parent_id": self._ids["root"],
            "buffer_limit": self.spec.prefetch,
            "autotune": "true" if self.spec.autotune else "false",
            "buffered_elements": buffered,
        }
        record(thread, f"{ROOT}::Prefetch", prefetch_ns, step, stats)
        record(thread, ROOT, root_ns, step, {"id": self._ids["root"]})
        if run_id is not None:
            yield GET_NEXT_NS // 3
            record(thread, "IteratorGetNextOp::DoCompute", begin_ns, step, {"id": run_id, "iter_num": 0})

    def _record(
        self,
        thread: Thread,
        name: str,
        start_ns: int,
        step: int = -1,
        stats: dict[str, StatValue] | None = None,
    ) -> None:
        self._recording.host.append(HostEvent(thread, name, start_ns, self._clock.now_ns, step, stats or {}))

    def _service_ns(self, mean_ns: int) -> int:
        return max(1, round(mean_ns * self._random.gauss(1, SPREAD)))

    def _element(self) -> int:
        self._elements += 1
        return self._elements

    def _prefetch(self) -> Process[None]:
        thread = Thread("tf_data_iterator_resource", self._threads)
        parent = {"id": self._ids["map"], "parent_id": self._ids["prefetch"]}
        while True:
            begin_ns = self._clock.now_ns
            yield CONSUME_NS
            map_ns = self._clock.now_ns
            stats: dict[str, StatValue] = dict(parent)
            if self.spec.map_parallelism:
                stats |= {
                    "parallelism": self.spec.map_parallelism,
                    "autotune": "true" if self.spec.autotune else "false",
                    "deterministic": "true",
                    "buffered_elements": len(self._mapped.items),
                }
                batch = yield from self._mapped.get()
                yield batch.done
                consume_ns = self._clock.now_ns
                yield CONSUME_NS
                self._record(thread, "ParallelMapConsume", consume_ns, -1, {"element_id": batch.element})
            else:
                batch = Batch(self._element(), Signal(self._clock))
                yield from self._read(thread)
                yield from self._map_function(thread)
            self._record(thread, self.map_name, map_ns, -1, stats)
            self._record(thread, "PrefetchProduce", begin_ns, -1, {"element_id": batch.element})
            yield from self._prefetched.put(batch)

    def _parallel_map(self) -> Process[None]:
        thread = Thread("tf_data_parallel_map", self._threads)
        while True:
            slot = yield from self._slots.get()
            yield from self._read(thread)
            batch = Batch(self._element(), Signal(self._clock))
            worker = self._map_worker(slot, batch)
            self._clock.spawn(self._cpu.run(worker) if self._cpu else worker)
            yield from self._mapped.put(batch)

    def _map_worker(self, slot: int, batch: Batch) -> Process[None]:
        thread = Thread("tf_data_private_threadpool", self._threads + slot)
        begin_ns = self._clock.now_ns
        yield from self._map_function(thread)
        self._record(thread, "ParallelMapProduce", begin_ns, -1, {"element_id": batch.element})
        batch.done.fire()
        yield from self._slots.put(slot)

    def _map_function(self, thread: Thread) -> Process[None]:
        begin_ns = self._clock.now_ns
        yield self._service_ns(self.spec.map_ns)
        self._record(
            thread, "InstantiatedCapturedFunction::Run", begin_ns, -1, {"id": self._random.getrandbits(62)}
        )

    def _read(self, thread: Thread) -> Process[None]:
        batch_ns = self._clock.now_ns
        yield CONSUME_NS
        read_ns = self._clock.now_ns
        yield self._service_ns(self.spec.read_ns)
        ids = self._ids
        self._record(
            thread,
            f"{self.map_name}::BatchV2::TFRecord",
            read_ns,
            -1,
            {"id": ids["read"], "parent_id": ids["batch"]},
        )
        yield CONSUME_NS
        self._record(
            thread, f"{self.map_name}::BatchV2", batch_ns, -1, {"id": ids["batch"], "parent_id": ids["map"]}
        )
