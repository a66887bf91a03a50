"""Recordings for tests of rules, drawn in milliseconds: a ``Host`` collects events, ``judge`` runs a rule.

    host = Host()
    host.steps(5, 100)                       # markers of 100 ms each
    each(5, 100, lambda at: host.kernel(at + 40, at + 100))
    verdict = judge(RULE, host)

Everything between here and a rule is the product's own: reader, trace, steps, ledger and artifacts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec.structs import replace

from demo.xspace_writer import LineBuilder, Ref, SpaceBuilder, StatValue
from tfperf_plugin.analysis.accounting import host_ledger
from tfperf_plugin.analysis.artifacts.by_host import RunFacts, View, mean_step_ns, merged_all
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.analysis.artifacts.compute.phases import is_training
from tfperf_plugin.analysis.collectives import awaited_until, compute_beside, find_collectives
from tfperf_plugin.analysis.communication import Communication, join_hosts
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.finding_steps.find import host_steps
from tfperf_plugin.analysis.ledger import Ledger, joined_ledger
from tfperf_plugin.analysis.steps import HostSteps, Steps
from tfperf_plugin.judging.engine.inputs import Inputs, part_makers
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed, Rule, Verdict
from tfperf_plugin.judging.engine.run import advised, run_rules
from tfperf_plugin.judging.engine.severity import weighed
from tfperf_plugin.judging.verdicts import Finding, Fix
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.formats import XSPACE
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.recording.resources import Recorded
from tfperf_plugin.trace.model import HostTrace, OpKind, OpWork, Product

T = TypeVar("T")
MS = 1_000_000

SGEMM = "ampere_sgemm_128x64_tn"
HALF_GEMM = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"
ADD = "loop_add_fusion"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SCATTER = "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SEND_RECV = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
GET_NEXT = "IteratorGetNextOp::DoCompute"

Stats = dict[str, StatValue]


class Host:
    """One host under construction. Times are milliseconds on its clock, of any resolution down to 1 ns."""

    def __init__(
        self,
        name: str = "worker",
        gpus: int = 1,
        capability: tuple[int, int] = (8, 0),
        vendor: str = "Nvidia",
        model: str | Sequence[str] = "",
        device: Stats | None = None,
    ) -> None:
        self.name = name
        self._space = SpaceBuilder(name)
        self._cpu = self._space.plane("/host:CPU")
        stats: Stats = {
            "device_vendor": vendor,
            "compute_cap_major": capability[0],
            "compute_cap_minor": capability[1],
            **(device or {}),
        }
        models = [model] * gpus if isinstance(model, str) else model
        self._gpus = [
            self._space.plane(
                f"/device:GPU:{i}", id=i, stats=stats | ({"gpu device name": one} if one else {})
            )
            for i, one in enumerate(models)
        ]
        self._lines: dict[object, LineBuilder] = {}
        self._correlation = 0
        self.op_work: dict[tuple[str, str], OpWork] = {}
        self.numbered_count = self.kept_count = 0

    def event(
        self, name: str, begin: float, end: float, /, thread: str = "python3", **stats: StatValue
    ) -> None:
        """An event on a thread of the host."""
        if thread not in self._lines:
            self._lines[thread] = self._cpu.line(1_000 + len(self._lines), thread)
        _add(self._lines[thread], name, begin, end, stats)

    def step(self, number: int, begin: float, end: float, name: str = "train") -> None:
        """A step marker."""
        self.event(name, begin, end, step_num=number, _r=1)

    def steps(self, count: int, length: float, gap: float = 0) -> Host:
        """Markers of ``length`` ms, one every ``length + gap`` ms from 0 on; the last one is not complete."""
        for number in range(count):
            begin = number * (length + gap)
            self.step(number, begin, begin + length)
        return self

    def trained(self, count: int, length: float, draw: Callable[[Host, float], None]) -> Host:
        """This host after ``count`` steps of ``length`` ms, with what ``draw`` draws at the start of each."""
        self.steps(count, length)
        each(count, length, lambda at: draw(self, at))
        return self

    def kernel(
        self,
        begin: float,
        end: float,
        gpu: int = 0,
        name: str = ADD,
        *,
        stream: int = 7,
        launch: tuple[float, float] | None = None,
        thread: str = "python3",
        op: str = "",
        stats: Stats | None = None,
    ) -> None:
        """Work on a stream of a GPU, with the driver call that launched it if ``launch`` says when."""
        stats = dict(stats or {})
        if op:
            stats["tf_op"] = Ref(op)
        if launch:
            self._correlation += 1
            self.event("cuLaunchKernel", *launch, thread=thread, correlation_id=self._correlation)
            stats["correlation_id"] = self._correlation
        key = gpu, stream
        if key not in self._lines:
            self._lines[key] = self._gpus[gpu].line(stream, f"Stream #{stream}(Compute)")
        _add(self._lines[key], name, begin, end, stats)

    def work(
        self, op: str, flops: int, size: int, format: str = "fp16", products: Sequence[Product] = ()
    ) -> None:
        """What one execution of a matrix product computes, and the bytes that it moves."""
        kind: OpKind = "product" if flops else "other"
        name = format if flops else ""
        self.op_work["", op] = OpWork(flops, flops, name, size, False, kind, tuple(products))

    def copy(
        self,
        direction: str,
        begin: float,
        end: float,
        gpu: int = 0,
        *,
        size: int = 0,
        memory: str = "pinned",
        op: str = "",
    ) -> None:
        """A copy ``H2D``, ``D2H`` or ``D2D`` on a stream of its own; ``memory``: that of the host."""
        stats: Stats = (
            {"memcpy_details": f"kind_src:{memory} kind_dst:device size:{size} dest:0 async:1"}
            if size
            else {}
        )
        self.kernel(begin, end, gpu, f"Memcpy{direction}", stream=20, op=op, stats=stats)

    def memory(
        self, at: float, allocated: int, capacity: int, peak: int, allocator: str = "GPU_0_bfc"
    ) -> None:
        """An allocator event; sizes in bytes."""
        self.event(
            "MemoryAllocation", at, at, allocator_name=allocator, bytes_allocated=allocated,
            bytes_available=capacity - allocated, peak_bytes_in_use=peak,
        )  # fmt: skip

    def stored_step(self, number: int, begin: float, end: float) -> None:
        """A step on the line that older profilers stored with the first GPU's events."""
        if "Steps" not in self._lines:
            self._lines["Steps"] = self._gpus[0].line(-559038737, "Steps")
        _add(self._lines["Steps"], str(number), begin, end, {})

    def started(self, wall_ns: int) -> None:
        """The wall clock at this host's time 0."""
        self._space.plane("Task Environment", stats={"profile_start_time": wall_ns})

    def error(self, text: str) -> None:
        """What the collector writes into the file when it fails."""
        self._space.error(text)

    def warning(self, text: str) -> None:
        """What the collector writes into the file when something is missing."""
        self._space.warning(text)

    def to_bytes(self) -> bytes:
        """The profile as a file holds it."""
        return self._space.to_bytes()

    def trace(self, anomalies: Anomalies | None = None) -> HostTrace:
        """The finished host."""
        anomalies = anomalies or Anomalies()
        trace = XSPACE.trace(self.name, XSPACE.decode(self.to_bytes(), anomalies), anomalies)
        return replace(
            trace,
            op_work={**trace.op_work, **self.op_work},
            numbered_count=self.numbered_count,
            kept_count=self.kept_count,
        )


def _add(line: LineBuilder, name: str, begin: float, end: float, stats: Stats) -> None:
    begin_ns = round(begin * MS)
    line.event(name, begin_ns, round(end * MS) - begin_ns, stats)


def each(count: int, period: float, draw: Callable[[float], None]) -> None:
    """Draws the same at 0, ``period`` … for ``count`` steps."""
    for number in range(count):
        draw(number * period)


@dataclass
class TraceInputs(Inputs):
    """With the events of the run, by host."""

    views: tuple[View, ...] = ()

    def of(self, kind: type[T]) -> T:
        """The artifact of this type, which there must be."""
        found = self.get(kind)
        assert isinstance(found, kind), found
        return found


def inputs_of(
    hosts: Sequence[HostTrace],
    steps: Steps,
    ledger: Ledger | None,
    stated: Stated | None = None,
    facts: TrainingFacts | None = None,
    recorded: Recorded | None = None,
) -> TraceInputs:
    """What rules can ask for in a run that is held in memory: parts are made when they are asked for."""
    about = RunFacts(mean_step_ns(steps.hosts), any(is_training(host) for host in hosts))
    ledgers = {h.host: h for h in ledger.hosts} if ledger else {}
    views = tuple(
        View(host, its, ledgers.get(host.host), about) for host, its in zip(hosts, steps.hosts, strict=True)
    )

    def part(kind: type) -> Any:
        return merged_all(map(part_makers()[kind], views))

    return TraceInputs(part, steps, ledger, about, stated or Stated(), facts, recorded, views)


def decoded(files: Mapping[str, bytes]) -> tuple[HostTrace, ...]:
    """The hosts of these files, by name."""
    anomalies = Anomalies()
    read = XSPACE.decode
    return tuple(XSPACE.trace(name, read(data, anomalies), anomalies) for name, data in files.items())


def find_steps(hosts: Sequence[HostTrace]) -> Steps:
    """The steps of every host of the run."""
    return Steps(tuple(host_steps(host) for host in hosts))


def find_communication(hosts: Sequence[HostTrace], steps: Sequence[HostSteps]) -> Communication:
    """The collectives of all hosts, with one number for each call, whichever hosts it joins."""
    found = [find_collectives(h, s) for h, s in zip(hosts, steps, strict=True)]
    return join_hosts(found, steps, [h.profile_start_ns for h in hosts])


def make_ledger(
    hosts: Sequence[HostTrace], steps: Sequence[HostSteps], communication: Communication
) -> Ledger | None:
    """The ledger of a run; ``None`` if no host has both steps and a GPU that ran kernels."""
    compute = [compute_beside(h, c) for h, c in zip(hosts, communication.hosts, strict=True)]
    until = awaited_until(compute, communication.hosts)
    parts = zip(hosts, steps, communication.hosts, until, communication.clocks, strict=True)
    return joined_ledger(host_ledger(*part) for part in parts)


def inputs(*hosts: Host, stated: Stated | None = None, recorded: Recorded | None = None) -> TraceInputs:
    """What rules can ask for in a run of these hosts."""
    return inputs_of_run(tuple(host.trace() for host in hosts), stated, recorded=recorded)


def inputs_of_run(
    hosts: Sequence[HostTrace],
    stated: Stated | None = None,
    facts: TrainingFacts | None = None,
    recorded: Recorded | None = None,
) -> TraceInputs:
    """What rules can ask for in a run of these hosts, which are decoded."""
    steps = find_steps(hosts)
    ledger = make_ledger(hosts, steps.hosts, find_communication(hosts, steps.hosts))
    return inputs_of(hosts, steps, ledger, stated, facts, recorded)


def judge(
    rule: Rule, *hosts: Host, stated: Stated | None = None, recorded: Recorded | None = None
) -> Verdict:
    """The rule's own verdict with the advice of its page, or what it misses."""
    given = inputs(*hosts, stated=stated, recorded=recorded)
    verdicts: list[Verdict] = []

    @functools.wraps(rule.judge)
    def kept(**artifacts: Any) -> Verdict:
        verdicts.append(weighed(rule.judge(**artifacts), given.ledger.step_ns if given.ledger else 0))
        return verdicts[0]

    outcome = run_rules([replace(rule, judge=kept)], given)
    assert outcome.errors == ()
    if verdicts:
        (verdict,) = verdicts
        return advised(rule, verdict, given.get(Program)) if isinstance(verdict, Found) else verdict
    if outcome.not_applicable:
        return NotApplicable(outcome.not_applicable[0].reason)
    return Missing(outcome.missing_data[0].reason, outcome.missing_data[0].how)


def fires(rule: Rule, *hosts: Host, stated: Stated | None = None, recorded: Recorded | None = None) -> Found:
    """The verdict of a rule that must find something."""
    verdict = judge(rule, *hosts, stated=stated, recorded=recorded)
    assert isinstance(verdict, Found), verdict
    return verdict


def passes(rule: Rule, *hosts: Host, recorded: Recorded | None = None) -> Passed:
    """The verdict of a rule that must find nothing."""
    verdict = judge(rule, *hosts, recorded=recorded)
    assert isinstance(verdict, Passed), verdict
    return verdict


def finding(rule: Rule, *hosts: Host) -> Finding:
    """The finding that the engine makes of it, with severity and saving."""
    outcome = run_rules([rule], inputs(*hosts))
    (found,) = (*outcome.trust, *outcome.findings)
    return found


def says(verdict: Verdict | Finding, sentence: str) -> bool:
    """Whether any text of a verdict or finding is this sentence, whatever fills its placeholders."""
    if isinstance(verdict, Passed | NotApplicable | Missing):
        texts = [verdict.reason]
    else:
        fix = verdict.fix or Fix("")
        texts = [verdict.summary, verdict.cause, verdict.title, verdict.action, fix.summary, *fix.actions]
        texts += (
            [verdict.basis]
            if isinstance(verdict, Found)
            else [verdict.saving.basis]
            if verdict.saving
            else []
        )
    pattern = re.compile(re.sub(r"\\{.*?\\}", ".*?", re.escape(sentence)), re.DOTALL)
    return any(pattern.search(text) for text in texts)


def value(found: Found | Finding, label: str) -> int | float | str:
    """The value of the evidence whose label begins like this."""
    return evidence(found.evidence, label).value


def evidence(rows: Sequence[Evidence], label: str) -> Evidence:
    """The evidence whose label begins like this; there must be exactly one."""
    (row,) = [e for e in rows if e.label.startswith(label)]
    return row
