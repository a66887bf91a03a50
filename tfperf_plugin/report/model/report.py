"""The whole report."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.host.idle import LaunchLatency
from tfperf_plugin.judging.engine.words import RECORD
from tfperf_plugin.judging.verdicts import Finding, Row
from tfperf_plugin.readers.anomalies import Anomaly
from tfperf_plugin.records import Record
from tfperf_plugin.report.model.capture import (
    CaptureQuality,
    Omitted,
    Pace,
    Stage,
    Training,
    TriedThreshold,
    Whole,
    Workload,
)
from tfperf_plugin.report.model.communication import AllReduce, Collective, HostTimes, Stagger, Straggler
from tfperf_plugin.report.model.gpus import Device, Gpus, Memory
from tfperf_plugin.report.model.input import Input
from tfperf_plugin.report.model.ledger import IdleAccount, KeyNumbers, Ledger, Phases, Roofline
from tfperf_plugin.report.model.machine import Machine
from tfperf_plugin.report.model.steps import Steps
from tfperf_plugin.report.model.words import Budget, FindingWords, HostTime, Section, Verdict

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
