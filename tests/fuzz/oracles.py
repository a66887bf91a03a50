"""What must hold whatever the bytes are: a result that keeps every promise, or one clear sentence."""

from __future__ import annotations

import gzip
import importlib
import json
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from etils import epath
from msgspec import to_builtins

from tests.builders import TraceInputs, inputs
from tests.fuzz.corpus import starts
from tests.fuzz.guided import Watch, unwatched
from tests.readers.xspace.test_hostile import read_all
from tests.watched import training
from tfperf_plugin.analysis.pace import Written, training_pace
from tfperf_plugin.arrays import native
from tfperf_plugin.compare.build import compare
from tfperf_plugin.errors import NotJudgeable, TfperfError, UnreadableInput
from tfperf_plugin.execution import codec, process
from tfperf_plugin.execution.analyze import Analysis, analyze_run
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.judging.engine.run import Outcome, run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.kineto import blocks
from tfperf_plugin.readers.kineto.events import decode as kineto_events
from tfperf_plugin.readers.kineto.files import GZIP
from tfperf_plugin.readers.kineto.host_trace import trace as kineto_host
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.readers.logdirs.runs import RecordFile
from tfperf_plugin.readers.nsight.host_trace import decode as nsight_tables
from tfperf_plugin.readers.nsight.host_trace import trace as nsight_host
from tfperf_plugin.readers.scalars import read_scalars
from tfperf_plugin.readers.xspace import Plane, XSpace, compiled
from tfperf_plugin.readers.xspace.hlo import collective_sizes
from tfperf_plugin.readers.xspace.work import work_of
from tfperf_plugin.recording import record, resources
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.text import to_markdown, to_text
from tfperf_plugin.report.serialize import from_bytes, from_json, json_schema, to_bytes, to_json
from tfperf_plugin.report.timeline.step import Window, timeline
from tfperf_plugin.report.whatif import prediction
from tfperf_plugin.trace.model import HostTrace

LONGEST_SENTENCE = 300
OF_MACHINE = [rule for rule in RULES if rule.group == "machine"]
jsonschema: Any = importlib.import_module("jsonschema")  # has no types


def check_reader(data: bytes, watch: Watch = unwatched) -> None:
    """The reader alone, in NumPy and as it was compiled: columns that fit each other, or a sentence; both alike."""
    found = []
    for setting in ("no",) if compiled.library() is None else ("no", "yes"):
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            patch.setenv(native.COMPILED, setting)
            space = watch(lambda: read_all(data))
            check_columns(space)
            found.append(fingerprint(space))
    assert found[1:] == found[:-1]


def check_trace(data: bytes, watch: Watch = unwatched) -> None:
    """The reader of Kineto's traces: columns that fit each other, or a sentence.

    They are the same if the file is packed, or cut into other blocks, unless something is damaged.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        host, damaged = watch(lambda: _traced(data))
        if host is not None and not damaged:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(blocks, "BLOCK_BYTES", 100)
                again, _ = _traced(data if data.startswith(GZIP) else gzip.compress(data, 1))
            assert again is not None and _times(again) == _times(host)


def check_export(data: bytes, watch: Watch = unwatched) -> None:
    """The reader of Nsight's exports: columns that fit each other, or a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        watch(lambda: _traced(data, nsight_tables, nsight_host))


def _traced(
    data: bytes, decode: Callable[..., Any] = kineto_events, build: Callable[..., HostTrace] = kineto_host
) -> tuple[HostTrace | None, bool]:
    """What the reader makes of a trace, and whether something was left out."""
    anomalies = Anomalies()
    try:
        host = build("host", decode(data, anomalies), anomalies)
    except (UnreadableInput, NotJudgeable) as error:
        assert_sentence(error)
        return None, True
    for row in anomalies.rows():
        assert_sentence(row.sentence)
    events = host.events
    assert (np.diff(events.thread) >= 0).all() and (events.end_ns >= events.start_ns).all()
    inner = events.parent >= 0
    assert (events.parent < np.arange(len(events.name))).all()
    assert (events.end_ns[inner] <= events.end_ns[events.parent[inner]]).all()
    for device in host.devices:
        assert (np.diff(device.start_ns) >= 0).all() and (device.end_ns >= device.start_ns).all()
        assert (device.launch < len(events.name)).all() and (device.collective_bytes >= -1).all()
        for codes, texts in (
            (device.name, device.names),
            (device.op, device.ops),
            (device.shape, device.shapes),
        ):
            assert max(codes, default=-1) < len(texts)
    return host, bool(anomalies.rows())


def _times(host: HostTrace) -> list[object]:
    """When what ran, by which launch and op."""
    events = host.events
    found: list[object] = [events.start_ns.tolist(), events.end_ns.tolist(), list(events.parent)]
    for device in host.devices:
        ops, shapes = (*device.ops, ""), (*device.shapes, "")  # −1: the last one
        found += [device.start_ns.tolist(), list(device.launch)]
        found += [[ops[code] for code in device.op], [shapes[code] for code in device.shape]]
    return found


def check_columns(space: XSpace[Plane] | None) -> None:
    for plane in space.planes if space else ():
        count = len(plane.start_ns)
        assert len(plane.end_ns) == len(plane.event_name) == len(plane.line) == count
        if not count:
            continue
        assert plane.event_name.min() >= 0 and plane.event_name.max() < len(plane.names)
        assert plane.line.min() >= 0 and plane.line.max() < len(plane.lines)
        order = np.lexsort((-plane.end_ns, plane.start_ns, plane.line))
        for column in (plane.line, plane.start_ns, plane.end_ns):
            assert (column[order] == column).all()
        for stat in plane.stat_names:
            if (ints := plane.ints(stat)) is not None:
                assert len(ints.values) == len(ints.present) == count
            if (floats := plane.floats(stat)) is not None:
                assert len(floats.values) == len(floats.present) == count
            if (texts := plane.texts(stat)) is not None:
                assert texts.codes.max() < len(texts.strings)


def fingerprint(space: XSpace[Plane] | None) -> list[object]:
    """What is equal only for equal columns of equal types, also where they hold NaN."""

    def column(values: npt.NDArray[Any]) -> tuple[str, bytes]:
        return values.dtype.name, values.tobytes()

    if space is None:
        return []
    found: list[object] = [space.errors, space.warnings]
    for plane in space.planes:
        found += [plane.name, plane.lines, plane.names, repr(plane.stats), repr(plane.event_stats)]
        found += [column(c) for c in (plane.start_ns, plane.end_ns, plane.event_name, plane.line)]
        for stat in sorted(plane.stat_names):
            texts = plane.texts(stat)
            found += [stat, texts and (texts.strings, column(texts.codes))]
            numbers = (plane.ints(stat), plane.floats(stat))
            found += [c and (column(c.values), column(c.present)) for c in numbers]
    return found


class Packed(Executor):
    """Runs what it is given here, but as other processes do: everything goes through messages."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        found: Future[Any] = Future()
        try:
            answer = process.run_call(work, len(args), b"".join(codec.encode(args)))
            found.set_result(process.decode_result(work, b"".join(answer)))
        except Exception as error:
            found.set_exception(error)
        return found


def check_program(data: bytes, watch: Watch = unwatched) -> None:
    """The parser of XLA's programs: sizes and work, whatever is damaged."""
    sizes = watch(lambda: collective_sizes(data))
    assert all(0 < size <= 1 << 62 for size in sizes.values())
    works = watch(lambda: work_of(data))
    for work in works.values():
        counts = [work.flops, work.matrix_flops, work.bytes]
        counts += [n for p in work.products for n in (p.batch, p.m, p.n, p.k, p.window)]
        assert all(0 <= count <= 1 << 62 for count in counts)
        assert work.attention in {"", *works}


def check_record(data: bytes, watch: Watch = unwatched) -> None:
    """The record of a training: facts that can be shown and written again, and sentences about the rest."""
    content, problems = watch(lambda: record.from_json(data))
    for problem in problems:
        assert_sentence(problem)
    file = RecordFile("host", epath.Path("x"), "x", datetime(2026, 11, 21, tzinfo=timezone.utc))
    for fact in watch(lambda: record.facts(record.StoredRecord(file, content, problems))):
        assert all(words and words.isprintable() for words in fact)
    agreed = record.TrainingFacts((content, content))
    assert agreed.batch_size == content.batch_size and (agreed.thread_count or 0) < 10**6
    again = record.to_json(content)
    assert len(again) > record.MAX_BYTES or record.from_json(again) == (content, ())


def check_resources(data: bytes, watch: Watch = unwatched) -> None:
    """What a machine did: series that fit each other, or a sentence, and an answer of each rule about it."""
    found, outcome = watch(lambda: judged_resources(data))
    for problem in found.problems:
        assert_sentence(problem)
    assert len(found) or found.problems
    assert (np.diff(found.end_ns, prepend=0) > 0).all()
    for one in found.series:
        assert len(one.low) == len(one.mean) == len(one.high) == len(found)
        assert (one.low >= 0).all() and (one.low <= one.mean).all() and (one.mean <= one.high).all()
        assert np.isfinite(one.high).all() and (one.kind.unit != "ratio" or (one.high <= 1).all())
    again = resources.to_json(found)
    assert (
        not len(found)
        or len(again) > resources.MAX_BYTES
        or len(resources.from_json("host", again)) == len(found)
    )
    assert [f"{row.id}: {row.reason}" for row in outcome.errors] == []
    json.dumps([to_builtins(one) for one in outcome.findings], allow_nan=False)


def judged_resources(data: bytes) -> tuple[resources.Resources, Outcome]:
    """What a machine did, and what the rules about it say beside a good profile."""
    found = resources.from_json("host", data)
    middle_ns = found.begin_ns + (int(found.end_ns[-1]) // 2 if len(found) else 0)
    recorded = resources.Recorded((found,), (middle_ns, middle_ns + 10**9), 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return found, run_rules(OF_MACHINE, replace(_good_profile(), recorded=recorded))


@cache
def _good_profile() -> TraceInputs:
    return inputs(training())


def check_scalars(data: bytes, watch: Watch = unwatched) -> None:
    """An event file: numbers that can be shown, or nothing, whether Keras wrote it or not."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "events.out.tfevents.1.host"
        path.write_bytes(data)
        found = watch(lambda: read_scalars((epath.Path(path),)))
    for keras in (False, True):
        pace = watch(partial(training_pace, Written(found), keras))
        if pace:
            rate = pace.rate
            assert 0 < rate.low_ns <= rate.ns <= rate.high_ns < 1 << 63 and 0 < rate.steps < 1 << 64
            assert 0 <= pace.epoch <= pace.epochs and (pace.first_ns or 0) >= 0


def check_stored(data: bytes, watch: Watch = unwatched) -> None:
    """Report and arrays that hold this, packed or as it is, under a right checksum: believed or not used."""
    with TemporaryDirectory() as folder:
        cache = ReportCache(Path(folder))
        cache._write("key", ".arrays", lambda: [data])
        loaded = watch(lambda: cache.arrays("key")) or {}
        assert not any(array.dtype.hasobject for array in loaded.values())
        assert sum(array.nbytes for array in loaded.values()) <= len(data)
        for report in (data, gzip.compress(data, 1)):
            cache._write("key", ".gz", lambda report=report: [report])  # type: ignore[misc]
            if (found := watch(lambda: cache.get("key"))) is not None:
                assert from_bytes(to_bytes(found)) == found
                assert cache.content("key") == report
                check_words(found)


def check_path(data: bytes, watch: Watch = unwatched) -> None:
    """The whole path of a host."""
    with TemporaryDirectory() as folder:
        check_whole_path(Path(folder), data, watch=watch)


def check_hosts(data: bytes, watch: Watch = unwatched) -> None:
    """The whole path of a run of three hosts, two of which are as they should be, read as by other processes."""
    first, *_, last = starts()
    with TemporaryDirectory() as folder:
        check_whole_path(Path(folder), first, data, last, watch=watch, executor=Packed())


def check_whole_path(
    folder: Path, *hosts: bytes, watch: Watch = unwatched, executor: Executor | None = None
) -> Report | None:
    """From bytes to everything that is made of a report; the report, or None where a sentence says why not."""
    path = folder / "plugins" / "profile" / "run"
    path.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(hosts):
        (path / f"host{number}.xplane.pb").write_bytes(data)
    (run,) = find_runs(str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            options = Options(parameters=1000, bandwidth_gbps=25.0)
            analysis = watch(lambda: analyze_run(run, options, executor=executor))
        except (UnreadableInput, NotJudgeable) as error:
            assert_sentence(error)
            return None
        check_report(analysis.report)
        check_what_is_asked_later(analysis)
    return analysis.report


def check_report(report: Report) -> None:
    assert [f"{row.id}: {row.reason}" for row in report.errors] == []
    plain = to_json(report)
    text = json.dumps(plain, allow_nan=False)
    _validator().validate(plain)
    assert from_json(text) == report
    if report.ledger:
        step_ns = report.ledger.step_ns
        assert step_ns >= 0
        accounts = {account.id: account.ns for account in report.ledger.accounts}
        assert sum(accounts.values()) == step_ns and min(accounts.values()) >= 0
        assert sum(a.ns for a in report.ledger.compute) == accounts["compute"]
        assert all(sum(a.ns for a in d.accounts) == d.step_ns for d in report.ledger.devices)
        savings = [f.saving.ns for f in (*report.findings, *report.trust) if f.saving]
        assert min(savings, default=0) >= 0 and sum(savings) <= step_ns
    for column in report.steps.columns:
        assert column.step_ns >= 0 and min(column.accounts.values(), default=0) >= 0
        assert sum(column.accounts.values()) == (column.step_ns if column.accounts else 0)
    check_words(report)
    _comparisons().validate(to_json(compare(report, report)))


def check_words(report: Report) -> None:
    for words in (to_text(report, False), to_text(report, True), to_markdown(report), to_html(report)):
        assert words.encode()
    assert "\x1b" not in to_text(report, False)


def check_what_is_asked_later(analysis: Analysis) -> None:
    """The timeline of steps and the prediction without findings."""
    report, arrays = analysis.report, analysis.arrays
    for column in (*report.steps.columns[:1], *report.steps.columns[-1:]):
        answer = answered(lambda step=column.id: timeline(arrays, Window(step)))
        for row in answer.rows if answer else ():
            assert all(begin < end for begin, end in zip(row.begin_ns, row.end_ns, strict=True))
            assert sum(row.sums_ns.values()) <= row.length_ns
    found = answered(lambda: prediction(report, ()))
    if found is not None:
        assert found.predicted_ns == found.step_ns
        without = answered(lambda: prediction(report, found.can))
        assert without is not None and 0 <= without.predicted_ns <= without.step_ns


def answered(ask: Any) -> Any:
    """What is answered, or None where a sentence says why not."""
    try:
        return ask()
    except TfperfError as error:
        assert_sentence(error)
        return None


def assert_sentence(error: object) -> None:
    sentence = str(error)
    assert sentence.endswith(".") and "\n" not in sentence and len(sentence) < LONGEST_SENTENCE, sentence


@cache
def _validator() -> Any:
    return jsonschema.Draft202012Validator(json_schema())


@cache
def _comparisons() -> Any:
    from tfperf_plugin.compare.model import Comparison

    return jsonschema.Draft202012Validator(json_schema(Comparison))
