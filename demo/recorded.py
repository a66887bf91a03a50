"""Writes the recorded answers that the tests of the page and its dev page show: ``python -m demo.recorded``.

Each file of ``frontend/recorded/runs`` holds what the plugin answers about one small simulated run, and
``comparisons.json`` beside them one comparison of every kind, and ``trials.json`` trials and tunings.
``frontend/src/states.ts`` makes all states of the page from these.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from demo import trials
from demo.build import WATCHED, training
from demo.formats import KINETO, RUN, XSPACE
from demo.simulator import Training, simulate
from demo.simulator.captured import PROFILE_START_NS
from demo.simulator.machine import resources
from demo.simulator.models import Perceptron, Transformer
from demo.simulator.training import (
    Collector,
    Communication,
    Detour,
    Dispatch,
    HostWork,
    InputPipeline,
    Launching,
    PeerCopy,
    Reading,
    SlowHost,
)
from tfperf_plugin.compare.board import Outline, outline
from tfperf_plugin.compare.build import compare, compare_launches
from tfperf_plugin.compare.launches import Launch
from tfperf_plugin.compare.model import Comparison
from tfperf_plugin.execution.analyze import Analysis, analyze_run
from tfperf_plugin.proof import shown
from tfperf_plugin.proof.shown import Trials
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.readers.logdirs.training import RECORD_SUFFIX
from tfperf_plugin.recording.record import TrainingRecord
from tfperf_plugin.recording.record import to_json as record_json
from tfperf_plugin.recording.resources import to_json as resources_json
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report, Stage
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.serialize import to_json
from tfperf_plugin.report.timeline.step import StepTimeline, Window, timeline
from tfperf_plugin.report.whatif import Prediction, prediction

FOLDER: Final = Path(__file__).parents[1] / "frontend" / "recorded"
RUNS_FOLDER: Final = FOLDER / "runs"
COMPARISONS: Final = FOLDER / "comparisons.json"
TRIALS: Final = FOLDER / "trials.json"
WIDTH: Final = 110
"""Of a line of a recorded file."""

# Few large kernels, so that reports are short.
_DENSE: Final = Perceptron(batch=8192, width=8192, layers=3, table_parameters=2_750_000_000)
_BLOCK: Final = Transformer(batch=3, hidden=2048, layers=1, table_parameters=2_500_000_000)
_LATE_SUMS: Final = Communication(overlap=False, call_ns=20_000, hop_ns=1_500)
_ONE_THREAD: Final = Launching(schedule_ns=40_000, call_ns=8_000, private_threads=False, shared_thread=True)

STAGGERED: Final = Training(
    model=_BLOCK,
    gpus=4,
    steps=8,
    launching=_ONE_THREAD,
    communication=_LATE_SUMS,
    input=InputPipeline(map_ns=2_000_000),
    readback_lag=0,
)
RUNS: Final[Mapping[str, Training]] = {
    "staggered": STAGGERED,
    "healthy": replace(training("healthy_single_gpu"), model=_DENSE, steps=8),
    # Time in most accounts.
    "crowded": Training(
        model=Transformer(batch=8, layers=1),
        gpus=2,
        hosts=2,
        steps=4,
        launching=replace(_ONE_THREAD, schedule_ns=20_000, handover_ns=1_000_000),
        communication=Communication(overlap=False, network_gbps=30.0, network_hop_ns=6_000),
        input=InputPipeline(
            map_ns=34_000_000, map_parallelism=0, prefetch=0, pinned=False, prefetch_to_device=False
        ),
        between_steps=(HostWork("$train.py:88 log", 2_000_000, op="WriteSummary"),),
        detours=(Detour("custom/Unique:Unique", 40_000_000, 1_500_000, 0.5),),
        readings=(Reading("custom/Where:Where", 2),),
        dispatches=(Dispatch(4, 400_000),),
        peer_copies=(PeerCopy("custom/table:Identity", 60_000_000, 0.2),),
        retrace_every=1,
        readback_lag=0,
    ),
    "idle-gpus": replace(training("idle_gpus"), model=replace(_DENSE, table_parameters=900_000_000), steps=6),
    "host-only": replace(training("no_device_events"), model=_DENSE),
    "on-cpu": replace(training("gpu_not_used"), steps=4),
    # Without host events nothing tells the number of parameters, so there is no estimate of an AllReduce.
    "all-to-all": replace(
        training("all_to_all_exposed"),
        gpus=2,
        model=Transformer(batch=40, layers=1, table_parameters=2_600_000_000),
        communication=replace(_LATE_SUMS, reduction="none"),
        collector=Collector(host_level=1),
    ),
    "pytorch": replace(STAGGERED, launching=Launching(), gpus=1, hosts=2, steps=5),
    "thin": Training(
        model=Transformer(batch=2, layers=1),
        precision="fp32",
        steps=3,
        collector=Collector(one_batch=True),
        launching=Launching(schedule_ns=150_000),
        input=InputPipeline(map_ns=5_000_000, map_parallelism=0, prefetch=0),
        dispatches=(Dispatch(3, 600_000),),
        inside_step=(HostWork("$data.py:7 wait", 600_000),),
        readback_lag=0,
    ),
    "grouped": replace(
        training("slow_host"),
        model=_DENSE,
        gpus=1,
        steps=6,
        slow_host=SlowHost(2, gpu_factor=2.6),
        communication=Communication(reduction="none"),
    ),
    "rarely-long": replace(
        training("step_outliers"), model=Transformer(layers=1, table_parameters=2_500_000_000), steps=16
    ),
    "no-steps": replace(training("no_step_markers"), model=_BLOCK, gpus=4, steps=2, jitter=0.5),
    "pausing": replace(training("idle_between"), model=_DENSE, steps=8),
    "many-hosts": replace(training("slow_host"), model=_DENSE, steps=7),
}
"""Name of the run, which is that of its file → what is trained."""


class Recorded(Record, frozen=True):
    """What the routes answer about one run.

    ``timeline``: of one step, ``None`` if the run has none. ``predictions``: for each set of findings that
    can be chosen, by their ids with commas between them; of the run "staggered" only.
    """

    report: Report
    outline: Outline
    timeline: StepTimeline | None
    predictions: dict[str, Prediction]


def record(name: str) -> Recorded:
    """The answers about a run of ``RUNS``."""
    analysis = _analysis(name, RUNS[name])
    report = analysis.report
    return Recorded(
        report,
        outline(report),
        _timeline(analysis),
        dict(_predictions(report)) if name == "staggered" else {},
    )


def comparisons() -> dict[str, Comparison]:
    """One comparison of every kind."""
    slow, fast = STAGGERED, replace(STAGGERED, launching=Launching())
    report = {
        name: _analysis(name, changed).report
        for name, changed in {
            "before": slow,
            "after": fast,
            "again": replace(fast, seed=2),
            "one-gpu": replace(fast, gpus=1),
            "other": RUNS["healthy"],
        }.items()
    }
    stated = partial(compare, stated=0.03)
    return {
        "better": stated(report["before"], report["after"]),
        "worse": stated(report["after"], report["before"]),
        "same": stated(report["after"], report["again"]),
        "unproven": compare(report["before"], report["after"]),
        "not-comparable": stated(report["other"], report["after"]),
        "scaling": stated(report["one-gpu"], report["after"]),
        "launches": _launches(slow, fast),
    }


def recorded_trials() -> Trials:
    """What ``trials.write`` lays down, as if at one time."""
    with tempfile.TemporaryDirectory() as logdir:
        trials.write(Path(logdir))
        found = shown.trials([("", logdir)], logdir)
    return structs.replace(
        found, trials=tuple(structs.replace(each, written="2026-11-20 14:03:11 UTC") for each in found.trials)
    )


def _launches(before: Training, after: Training) -> Comparison:
    """Six launches a side, in random order."""
    start = datetime(2026, 1, 1)
    sides: dict[str, list[Launch]] = {"before": [], "after": []}
    for number, letter in enumerate("ABBABAABABBA"):
        side = "before" if letter == "A" else "after"
        changed = replace(before if side == "before" else after, seed=10 + number, jitter=0.05)
        report = _analysis(f"{side}-{number}", changed).report
        sides[side].append(Launch(report, str(start + timedelta(minutes=3 * number))))
    return compare_launches(sides["before"], sides["after"])


def _analysis(name: str, trained: Training) -> Analysis:
    form = KINETO if name == "pytorch" else XSPACE
    with tempfile.TemporaryDirectory() as logdir:
        for host, profile in simulate(trained, form.encode).files.items():
            _write(Path(logdir, name, form.place.format(host=host)), profile)
            if trained.machine:
                watched = resources_json(resources(trained.machine, host, PROFILE_START_NS))
                _write(Path(logdir, name, WATCHED.format(host=host)), watched)
            if name == "staggered":
                place = f"plugins/diagnostics/{host}.20251231T120000.000000+0000{RECORD_SUFFIX}"
                _write(Path(logdir, name, place), record_json(_recorded_facts(trained)))
        run = name if form is KINETO else f"{name}/{RUN}"
        analysis = analyze_run(resolve(logdir, run), Options())
    # How long the analysis takes differs each time.
    timing = tuple(Stage(stage.stage, 100_000_000) for stage in analysis.report.timing)
    return structs.replace(analysis, report=structs.replace(analysis.report, timing=timing))


def _recorded_facts(trained: Training) -> TrainingRecord:
    parameters = trained.model.parameters
    return TrainingRecord(
        parameters=parameters,
        trainable={"float32": parameters},
        batch_size=12,
        policy="mixed_float16",
        strategy="MirroredStrategy",
        environment={"TF_GPU_THREAD_MODE": "global"},
    )


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _timeline(analysis: Analysis) -> StepTimeline | None:
    """Of the step of the first place of a finding, else of one in the middle."""
    report = analysis.report
    columns = report.steps.columns
    if not columns:
        return None
    places = [place.step for finding in report.findings for place in finding.where]
    placed = [column for column in columns if column.number in places[:1]]
    step = (placed or columns[len(columns) // 2 :])[0].id
    return timeline(analysis.arrays, Window(step, width=300), report)


def _predictions(report: Report) -> Iterator[tuple[str, Prediction]]:
    ids = prediction(report, ()).can
    for chosen in chain.from_iterable(combinations(ids, count) for count in range(len(ids) + 1)):
        yield ",".join(chosen), prediction(report, chosen)


def lines(value: Any, indent: str = "") -> str:
    """JSON with a line for each part that fits into one."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= WIDTH or not value or not isinstance(value, dict | list):
        return flat
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {lines(part, inner)}" for key, part in value.items()]
    elif all(isinstance(part, int | float) for part in value):
        return flat
    else:
        parts = [lines(part, inner) for part in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{end}"


def text_of(answers: Any) -> str:
    """The text of a recorded file."""
    return lines(answers) + "\n"


def main(write: Callable[[Path, str], object]) -> None:
    RUNS_FOLDER.mkdir(parents=True, exist_ok=True)
    for name in RUNS:
        write(RUNS_FOLDER / f"{name}.json", text_of(to_json(record(name))))
    write(TRIALS, text_of(to_json(recorded_trials())))
    write(COMPARISONS, text_of({name: to_json(one) for name, one in comparisons().items()}))


if __name__ == "__main__":
    main(partial(Path.write_text, encoding="utf-8"))
