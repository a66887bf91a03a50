"""The whole report, and what it is of: the training, the work of a step, the quality of the capture."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.host.idle import LaunchLatency
from tfperf_plugin.analysis.evidence import Unit
from tfperf_plugin.judging.engine.words import RECORD
from tfperf_plugin.judging.verdicts import Finding, Level, Row
from tfperf_plugin.readers.anomalies import Anomaly
from tfperf_plugin.records import Record
from tfperf_plugin.report.model.communication import AllReduce, Collective, HostTimes, Stagger, Straggler
from tfperf_plugin.report.model.machine import Device, Gpus, Input, Machine, Memory
from tfperf_plugin.report.model.steps import IdleAccount, KeyNumbers, Ledger, Phases, Roofline, Steps
from tfperf_plugin.report.model.words import Budget, FindingWords, HostTime, Section, Verdict


class Fact(Record, frozen=True):
    """A recorded fact about the training, as label and value in words."""

    label: str
    value: str


class Training(Record, frozen=True):
    """What the training recorded about itself (DiagnosticsCallback), or its hyperparameters (TensorBoard)."""

    file: str  # path of the record, relative to the log directory; or TensorBoard and a folder
    host: str  # the host that wrote it; "" for hyperparameters
    recorded: str  # the start of the training, in UTC
    facts: tuple[Fact, ...]


class Pace(Record, frozen=True):
    """How long a step or an epoch takes over the whole training, by what it wrote for TensorBoard."""

    counts: Literal[
        "steps", "epochs", "unknown"
    ]  # whose time ``ns`` is; unknown: what the steps of ``tag`` are
    tag: str  # the scalar that tells
    ns: int  # median of segments, and their middle half
    low_ns: int
    high_ns: int
    number: int  # steps or epochs in the segments
    steps_per_epoch: int | None  # by which the time of epochs was divided
    #: Whether it ``agrees`` with recorded steps or ``differs``: steps take longer than those; "": not known.
    verdict: Literal["agrees", "differs", ""]
    sentence: str
    more: str  # where the recording lies, how the first epoch differs, what was not read


class Whole(Record, frozen=True):
    """What the whole training loses beside its recorded steps, as far as that is known."""

    sentence: str  # "" for what is no training
    running_ratio: float | None  # share of the time watched in which steps ran; None: not watched
    #: Share of the training's time in which it did not run steps as short as the recorded ones. Without a
    #: watched machine, pauses between steps are not in it. None: not known.
    lost_ratio: float | None


class Layers(Record, frozen=True):
    """The layers of the model, counted by the multiplying ops of the forward pass, replicas together."""

    products: dict[str, int]  # type of op (Conv2D, MatMul …, fused or not) → number of ops
    told_ratio: float  # of the ops' time with known names of layers; compiled and eager ops have none


class Workload(Record, frozen=True):
    """The work of a step, which comparable runs must share. ``None``: not recorded."""

    layers: Layers | None = None
    parameters: int | None = None  # this and the next two are recorded by the training
    batch_size: int | None = None  # examples in a training step over all replicas
    steps_per_call: int | None = None  # training steps under one step marker
    pipeline_batch_size: int | None = None  # elements of the batches that steps request, by tf.data
    pipeline_batch_bytes: int | None = None
    framework: str = ""  # "TensorFlow", "JAX" or "PyTorch"; "": not recorded
    keras: bool = False  # whether Keras' ``fit`` trains
    policy: str | None = None  # Keras' precision policy


class TriedThreshold(Record, frozen=True):
    """A threshold that is tried out: this report was judged with ``value`` instead of ``default``."""

    rule: str  # a rule's id, or ``severity`` for the shares of the step from which findings have a severity
    threshold: str
    name: str  # in words; "" if there is no such threshold any more, so that it changed nothing
    value: float
    default: float
    unit: Unit


class Reason(Record, frozen=True):
    """One reason for or against relying on the capture."""

    ok: bool
    text: str


class CaptureQuality(Record, frozen=True):
    """How far the report can be relied on."""

    level: Level
    reasons: tuple[Reason, ...]


class Omitted(Record, frozen=True):
    """What a report leaves out: hosts that are broken, and timelines of a very large run."""

    what: Literal["host", "timeline"]
    hosts: tuple[str, ...]
    sentence: str  # what is missing, why, and what helps


class Stage(Record, frozen=True):
    """The time of one stage of the analysis."""

    stage: str
    ns: int


SCHEMA_VERSION = 6


class Report(Record, frozen=True):
    """The whole report. Every rule's id appears exactly once in the lists of findings and checks."""

    schema_version: int
    tool_version: str
    run: str
    headline: str
    advice: str
    hosts: tuple[str, ...]
    devices: tuple[Device, ...]
    steps: Steps
    ledger: Ledger | None
    key_numbers: KeyNumbers
    trust: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    passed: tuple[Row, ...]
    not_applicable: tuple[Row, ...]
    missing_data: tuple[Row, ...]
    manual: tuple[Row, ...]
    errors: tuple[Row, ...]
    allreduce: AllReduce | None
    stagger: Stagger | None
    input: Input | None
    anomalies: tuple[Anomaly, ...]
    timing: tuple[Stage, ...] = ()
    by_host: tuple[HostTimes, ...] = ()
    training: tuple[Training, ...] = ()
    pace: Pace | None = None
    whole: Whole | None = None
    idle: tuple[IdleAccount, ...] = ()
    launches: tuple[LaunchLatency, ...] = ()
    phases: Phases | None = None
    memory: Memory | None = None
    tried: tuple[TriedThreshold, ...] = ()
    workload: Workload = Workload()
    program: str = ""  # "PyTorch, training, DDP, compiled by Inductor"
    omitted: tuple[Omitted, ...] = ()
    gpus: Gpus = Gpus()
    roofline: Roofline | None = None
    capture_quality: CaptureQuality | None = None
    stragglers: tuple[Straggler, ...] = ()  # the latest of several GPUs, at most 512
    collectives: tuple[Collective, ...] = ()  # longest first
    sections: tuple[Section, ...] = ()
    #: Nothing is left to fix: the capture is not in doubt, no finding is worth 5 % of a step, and no large
    #: part of it lacks an explanation or kernels whose limits are known.
    settled: bool = False
    record: str = RECORD  # the command that records such a program again
    measure: str = ""  # the command that tells what limits most of the step, if only that is to be found out
    verdict: Verdict = Verdict()
    words: tuple[FindingWords, ...] = ()  # of each finding, and after it of those that it explains
    budget: Budget | None = None
    host_time: HostTime | None = None  # in place of ``budget``, if the model ran on the CPU
    source: str = ""  # what recorded the run
    machines_count: int = 0  # fewer than ``hosts`` where these are processes of one machine
    #: The program that shows all of its events.
    viewer: Literal["XProf", "Perfetto", "Nsight Systems"] = "XProf"
    machine: Machine | None = None  # if it was watched
