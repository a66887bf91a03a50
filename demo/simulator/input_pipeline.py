"""A tf.data pipeline as a queueing model: read, filter, batch, map, prefetch, in TensorFlow's threads.

Events are named, nested and joined by ids as TensorFlow 2.21 does: a stage's calls on the thread that asks, a
producer's event around what fills a buffer, and the executor's events of functions in a pool of threads.
"""

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
# An event inside another begins a little later.
INSIDE_NS = 200
SPREAD = 0.05
ROOT = "Iterator::Root"
MAP_OP = "resize/ResizeBilinear:ResizeBilinear"
POOL = "tf_data_private_threadpool"
# What Keras' own pipeline over arrays does for a batch, on threads that run ops of steps, too.
GATHER_OP, SHARED_POOL = "GatherV2:GatherV2", "tf_Compute"
BACKGROUND = "tf_data_iterator_resource"
THREADS_PER_PIPELINE = 1_000
# Threads of a pipeline: what prefetches, what hands elements to a map's functions, readers, and the pool.
MAP_RUNNER, READERS, FUNCTIONS = 100, 200, 500


@dataclass(frozen=True)
class Batch:
    """One element of the pipeline."""

    element: int
    done: Signal


class Tokens:
    """At most ``count`` work at the same time; whoever comes later waits in line."""

    def __init__(self, clock: Clock, count: int) -> None:
        self._free: Channel[int] = Channel(clock, count)
        self._free.items.extend(range(count))

    def use(self, time_ns: int) -> Process[None]:
        """Wait for one's turn, then work for so long."""
        token = yield from self._free.get()
        yield time_ns
        yield from self._free.put(token)


class Machine:
    """What all pipelines of a host share: Python's lock and the network to the storage."""

    def __init__(self, clock: Clock) -> None:
        self.python = Tokens(clock, 1)
        self.network = Tokens(clock, 1)


class Pipeline:
    """Produces batches in background threads; `get_next` is what a training step calls.

    ``number`` tells the pipelines of one host, and so their threads, apart; ``batch_bytes`` is what one batch
    holds. Threads that map in parallel need a core of ``cpu``.
    """

    def __init__(
        self,
        clock: Clock,
        recording: Recording,
        spec: InputPipeline,
        random: Random,
        machine: Machine,
        number: int = 0,
        batch_bytes: int = 0,
        cpu: Cpu | None = None,
    ) -> None:
        self.spec = spec
        self._cpu = cpu
        self._machine = machine
        self._batch_bytes = batch_bytes
        self._threads = number * THREADS_PER_PIPELINE
        self._clock = clock
        self._recording = recording
        self._random = random
        # What was added later draws from a source of its own, so that older trainings stay as they were.
        self._more_random = Random(f"{number}/{spec}")
        self._prefetched: Channel[Batch] = Channel(clock, max(spec.prefetch, 1))
        self._mapped: Channel[Batch] = Channel(clock, max(spec.map_parallelism, 1))
        self._slots: Channel[int] = Channel(clock, max(spec.map_parallelism, 1))
        self._records: Channel[int] = Channel(clock, 2 * spec.files.readers if spec.files else 1)
        self._ids = {
            name: 1 + self._random.getrandbits(62) for name in ("root", "prefetch", "map", "batch", "read")
        }
        self._ids |= {name: 1 + self._more_random.getrandbits(62) for name in ("filter", "interleave")}
        self._elements = 1_000 + self._random.getrandbits(40)
        self._passed = self._filtered = 0
        if spec.adapted:
            self._ids["options"] = 1 + self._more_random.getrandbits(62)
        if spec.prefetch:
            clock.spawn(self._prefetch())
        if spec.map_ns and spec.map_parallelism:
            self._slots.items.extend(range(spec.map_parallelism))
            clock.spawn(self._parallel_map())
        if spec.files and spec.files.readers > 1:
            for reader in range(spec.files.readers):
                clock.spawn(self._reader(reader))

    # Names of the iterators, from the step upstream.

    @property
    def _first_name(self) -> str:
        """The iterator below the root or, if there is one, the prefetch."""
        root = f"{ROOT}::MaxIntraOpParallelism" if self.spec.adapted else ROOT
        return f"{root}::Prefetch" if self.spec.prefetch else root

    @property
    def map_name(self) -> str:
        if not self.spec.map_ns:
            return self._first_name
        return f"{self._first_name}::{'ParallelMapV2' if self.spec.map_parallelism else 'Map'}"

    @property
    def _record_name(self) -> str:
        """The iterator that batches take their records from, without its last part."""
        return f"{self.map_name}::BatchV2{'::Filter' if self.spec.keep_one_of > 1 else ''}"

    def _above(self, stage: str) -> int:
        """The id of the iterator that a stage feeds."""
        chain = ["root"]
        if self.spec.prefetch:
            chain.append("prefetch")
        if self.spec.map_ns:
            chain.append("map")
        chain.append("batch")
        if self.spec.keep_one_of > 1:
            chain.append("filter")
        if self.spec.files and self.spec.files.readers > 1:
            chain.append("interleave")
        chain.append("read")
        return self._ids[chain[chain.index(stage) - 1]]

    def get_next(self, thread: Thread, step: int, run_id: int | None) -> Process[None]:
        """Wait for the next batch; ``run_id`` is the graph run whose IteratorGetNext op asks, if one does."""
        begin_ns = self._clock.now_ns
        yield GET_NEXT_NS
        root_ns = self._clock.now_ns
        yield GET_NEXT_NS // 3
        record = self._record
        if self.spec.prefetch:
            prefetch_ns = self._clock.now_ns
            buffered = len(self._prefetched.items)
            batch = yield from self._prefetched.get()
            consume_ns = self._clock.now_ns
            yield CONSUME_NS
            record(thread, "PrefetchConsume", consume_ns, step, {"element_id": batch.element})
            stats: dict[str, StatValue] = {
                "name": "PrefetchDataset:9",
                "id": self._ids["prefetch"],
                "parent_id": self._ids["options" if self.spec.adapted else "root"],
                "buffer_limit": self.spec.prefetch,
                "autotune": "true" if self.spec.autotune else "false",
            }
            if buffered:  # TensorFlow says nothing of an empty buffer
                stats["buffered_elements"] = buffered
            record(thread, self._first_name, prefetch_ns, step, stats)
            if self.spec.adapted:
                options: dict[str, StatValue] = {"id": self._ids["options"], "parent_id": self._ids["root"]}
                record(thread, f"{ROOT}::MaxIntraOpParallelism", prefetch_ns, step, options)
        else:
            yield from self._next_batch(thread)
        record(thread, ROOT, root_ns, step, {"id": self._ids["root"]})
        if run_id is not None:
            yield GET_NEXT_NS // 3
            size = {"element_size": self._batch_bytes} if self._batch_bytes else {}
            record(
                thread, "IteratorGetNextOp::DoCompute", begin_ns, step, {"id": run_id, "iter_num": 0, **size}
            )

    def _record(
        self,
        thread: Thread,
        name: str,
        start_ns: int,
        step: int = -1,
        stats: dict[str, StatValue] | None = None,
        end_ns: int | None = None,
    ) -> None:
        end_ns = self._clock.now_ns if end_ns is None else end_ns
        self._recording.host.append(HostEvent(thread, name, start_ns, end_ns, step, stats or {}))

    def _service_ns(self, mean_ns: int) -> int:
        return max(1, round(mean_ns * self._random.gauss(1, SPREAD)))

    def _varied(self, mean_ns: int) -> int:
        return max(1, round(mean_ns * self._more_random.gauss(1, SPREAD)))

    def _element(self) -> int:
        self._elements += 1
        return self._elements

    def _thread(self, serial: int) -> Thread:
        return Thread(BACKGROUND, self._threads + serial)

    # Batches: on the thread that asks, or ahead in one of their own.

    def _prefetch(self) -> Process[None]:
        thread = self._thread(0)
        while True:
            begin_ns = self._clock.now_ns
            yield CONSUME_NS
            if self.spec.adapted:
                yield self._service_ns(self.spec.read_ns)
                batch = Batch(self._element(), Signal(self._clock))
            else:
                batch = yield from self._next_batch(thread)
            self._record(thread, "PrefetchProduce", begin_ns, -1, {"element_id": batch.element})
            yield from self._prefetched.put(batch)

    def _next_batch(self, thread: Thread) -> Process[Batch]:
        """The map's next batch, or the next one as it was read if there is no map."""
        if not self.spec.map_ns:
            yield from self._read(thread)
            return Batch(self._element(), Signal(self._clock))
        map_ns = self._clock.now_ns
        stats: dict[str, StatValue] = {
            "name": f"{'ParallelMapDatasetV2' if self.spec.map_parallelism else 'MapDataset'}:8",
            "id": self._ids["map"],
            "parent_id": self._above("map"),
        }
        if self.spec.map_parallelism:
            stats |= {
                "parallelism": self.spec.map_parallelism,
                "autotune": "true" if self.spec.autotune else "false",
                "deterministic": "true",
            }
            if self._mapped.items:
                stats["buffered_elements"] = len(self._mapped.items)
            batch = yield from self._mapped.get()
            yield batch.done
            consume_ns = self._clock.now_ns
            yield CONSUME_NS
            self._record(thread, "ParallelMapConsume", consume_ns, -1, {"element_id": batch.element})
        else:
            batch = Batch(self._element(), Signal(self._clock))
            yield from self._read(thread)
            begin_ns = self._clock.now_ns
            run_id = yield from self._map_function(FUNCTIONS)
            self._record(thread, "InstantiatedCapturedFunction::Run", begin_ns, -1, {"id": run_id})
        self._record(thread, self.map_name, map_ns, -1, stats)
        return batch

    def _parallel_map(self) -> Process[None]:
        """Reads batches and hands their parts to the pool, while fewer calls are under way than may be."""
        thread = self._thread(MAP_RUNNER)
        while True:
            batch = Batch(0, Signal(self._clock))
            left = [self.spec.map_calls]
            for part in range(self.spec.map_calls):
                slot = yield from self._slots.get()
                begin_ns = self._clock.now_ns
                if part:
                    yield CONSUME_NS
                else:
                    yield from self._read(thread)
                    batch = Batch(self._element(), batch.done)
                self._record(thread, "ParallelMapProduce", begin_ns, -1, {"element_id": batch.element})
                worker = self._map_worker(thread, self._clock.now_ns, slot, batch, left)
                self._clock.spawn(self._cpu.run(worker) if self._cpu else worker)
            yield from self._mapped.put(batch)

    def _map_worker(
        self, runner: Thread, start_ns: int, slot: int, batch: Batch, left: list[int]
    ) -> Process[None]:
        """One call; ``left`` counts those that the batch still waits for."""
        run_id = yield from self._map_function(FUNCTIONS + slot)
        # The runner handed the function over at the end of its producer's event.
        begin_ns = start_ns - INSIDE_NS // 2
        self._record(runner, "InstantiatedCapturedFunction::RunAsync", begin_ns, -1, {"id": run_id}, start_ns)
        left[0] -= 1
        if not left[0]:
            batch.done.fire()
        yield from self._slots.put(slot)

    def _map_function(self, serial: int) -> Process[int]:
        """The user's function, for one batch or a part of it."""
        pool, op = (SHARED_POOL, GATHER_OP) if self.spec.arrays else (POOL, MAP_OP)
        thread = Thread(pool, self._threads + serial)
        run_id: list[int] = []
        time_ns = self._service_ns(self.spec.map_ns // self.spec.map_calls)
        yield from self._run(thread, time_ns, None, op, run_id, self._random)
        return run_id[0]

    def _run(
        self, thread: Thread, time_ns: int, tokens: Tokens | None, op: str, ids: list[int], random: Random
    ) -> Process[None]:
        """A function of one op in the pool; its id goes into ``ids``."""
        if tokens is None:
            begin_ns = self._clock.now_ns
            yield time_ns
        else:
            yield from tokens.use(time_ns)
            begin_ns = self._clock.now_ns - time_ns
        ids.append(1 + random.getrandbits(62))
        self._record(thread, "ExecutorState::Process", begin_ns, -1, {"id": ids[0], "iter_num": 0})
        self._record(thread, op, begin_ns + INSIDE_NS, -1, {}, self._clock.now_ns - INSIDE_NS)

    # Records: from files, from Python, or from memory.

    def _read(self, thread: Thread) -> Process[None]:
        """One batch of records."""
        batch_ns = self._clock.now_ns
        yield CONSUME_NS
        if self.spec.files or self.spec.generator_ns:
            for _ in range(self.spec.records):
                yield from self._kept_record(thread)
            yield CONSUME_NS + self.spec.batch_ns
        else:
            read_ns = self._clock.now_ns
            yield self._service_ns(self.spec.read_ns)
            kind = "MemoryCacheImpl" if self.spec.cached else "TFRecord"
            self._record_source(thread, f"{self._record_name}::{kind}", f"{kind}Dataset:1", read_ns)
            yield CONSUME_NS + self.spec.batch_ns
        stats: dict[str, StatValue] = {
            "name": "BatchDatasetV2:7",
            "id": self._ids["batch"],
            "parent_id": self._above("batch"),
        }
        end_ns = self._clock.now_ns - INSIDE_NS
        self._record(thread, f"{self.map_name}::BatchV2", batch_ns + INSIDE_NS, -1, stats, end_ns)

    def _record_source(self, thread: Thread, path: str, dataset: str, begin_ns: int) -> None:
        stats: dict[str, StatValue] = {
            "name": dataset.replace("MemoryCacheImplDataset", "CacheDatasetV2"),
            "id": self._ids["read"],
            "parent_id": self._above("read"),
        }
        self._record(thread, path, begin_ns, -1, stats)

    def _kept_record(self, thread: Thread) -> Process[None]:
        """One record that the filter keeps, if there is one."""
        if self.spec.keep_one_of <= 1:
            yield from self._next_record(thread)
            return
        filter_ns = self._clock.now_ns
        while True:
            yield from self._next_record(thread)
            begin_ns, ids = self._clock.now_ns, list[int]()
            pool = Thread(POOL, self._threads + FUNCTIONS + 400)
            yield from self._run(
                pool, self._varied(self.spec.filter_ns), None, "Equal:Equal", ids, self._more_random
            )
            self._record(
                thread, "InstantiatedCapturedFunction::RunWithBorrowedArgs", begin_ns, -1, {"id": ids[0]}
            )
            if (self._passed + self._filtered) % self.spec.keep_one_of == 0:
                break
            self._filtered += 1
        self._passed += 1
        stats: dict[str, StatValue] = {
            "name": "FilterDataset:6",
            "id": self._ids["filter"],
            "parent_id": self._above("filter"),
            "passed": self._passed,
            "filtered": self._filtered,
        }
        self._record(thread, self._record_name, filter_ns, -1, stats)

    def _next_record(self, thread: Thread) -> Process[None]:
        """One record from the generator, from the only file that is open, or from those read at the same
        time."""
        if self.spec.generator_ns:
            yield from self._generate(thread)
            return
        files = self.spec.files
        assert files is not None
        if files.readers == 1:
            yield from self._read_record(thread, f"{self._record_name}::TFRecord")
            return
        begin_ns = self._clock.now_ns
        element = yield from self._records.get()
        consume_ns = self._clock.now_ns
        yield CONSUME_NS // 2
        self._record(thread, "ParallelInterleaveConsume", consume_ns, -1, {"element_id": element})
        stats: dict[str, StatValue] = {
            "name": "ParallelInterleaveDatasetV4:3",
            "id": self._ids["interleave"],
            "parent_id": self._above("interleave"),
            "parallelism": files.readers,
            "cycle_length": files.readers,
            "autotune": "true" if self.spec.autotune else "false",
            "deterministic": "true",
        }
        self._record(thread, f"{self._record_name}::ParallelInterleaveV4", begin_ns, -1, stats)

    def _read_record(self, thread: Thread, path: str) -> Process[None]:
        """The storage answers after a while, then the record travels over the network that all readers
        share."""
        files = self.spec.files
        assert files is not None
        yield INSIDE_NS
        begin_ns = self._clock.now_ns
        yield self._varied(files.latency_ns)
        yield from self._machine.network.use(self._varied(round(files.record_bytes / files.gbps)))
        self._record_source(thread, path, "TFRecordDataset:1", begin_ns)

    def _reader(self, number: int) -> Process[None]:
        """A thread of the interleave with a file of its own."""
        thread = self._thread(READERS + number)
        path = f"{self._record_name}::ParallelInterleaveV4[{number}]::TFRecord"
        element = number << 32
        while True:
            begin_ns = self._clock.now_ns
            yield from self._read_record(thread, path)
            element += 1
            self._record(thread, "ParallelInterleaveProduce", begin_ns, -1, {"element_id": element})
            yield from self._records.put(element)

    def _generate(self, thread: Thread) -> Process[None]:
        """Python makes one record, while no other Python of the pipelines runs."""
        generator_ns = self._clock.now_ns
        yield INSIDE_NS
        begin_ns = self._clock.now_ns
        ids: list[int] = []
        time_ns = self._varied(self.spec.generator_ns)
        pool = Thread(POOL, self._threads + FUNCTIONS + 300)
        yield from self._run(pool, time_ns, self._machine.python, "PyFunc:PyFunc", ids, self._more_random)
        self._record(
            thread, "InstantiatedCapturedFunction::RunWithBorrowedArgs", begin_ns, -1, {"id": ids[0]}
        )
        self._record_source(
            thread, f"{self._record_name}::FlatMap[0]::Generator", "GeneratorDataset:1", generator_ns
        )
