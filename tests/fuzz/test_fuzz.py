"""Fuzzing as far as the suite has time; ``python -m tests.fuzz SECONDS`` goes on from there."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from tests.conftest import REPOSITORY
from tests.fuzz import cost
from tests.fuzz.corpus import seeds, starts
from tests.fuzz.guided import fuzz, unwatched
from tests.fuzz.oracles import check_reader, check_report, check_whole_path
from tests.fuzz.targets import TARGETS
from tests.fuzz.wire import parse, to_bytes
from tests.pace import reference
from tests.reports import make_report
from tfperf_plugin.readers.xspace import compiled

STARTS = starts()
RUNS = {
    "reader": 60, "path": 40, "hosts": 15, "program": 500, "record": 1000, "cache": 300, "cost": 40,
    "trace": 300, "trace_path": 40, "trace_cost": 25, "export": 150, "export_path": 25, "export_cost": 25,
    "scalars": 150, "scalars_cost": 8, "resources": 300, "resources_cost": 12,
}  # fmt: skip
QUICK = ("reader", "path", "hosts")
OSS_FUZZ = REPOSITORY / "tests" / "fuzz" / "oss_fuzz"
T = TypeVar("T")


def test_what_was_found_once_breaks_nothing(tmp_path: Path) -> None:
    found = seeds()
    assert len(found) > 20 and sum(path.stat().st_size for path in found) < 200_000
    for number, path in enumerate(found):
        check_reader(path.read_bytes())
        check_whole_path(tmp_path / str(number), path.read_bytes())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in TARGETS]
)
def test_guided_by_lines_nothing_is_found(name: str) -> None:
    target = TARGETS[name]
    found = fuzz(target.check, target.begin(), inf, 1, target.folder, change=target.change, runs=RUNS[name])

    assert found.reports == {}
    assert found.runs == RUNS[name] and found.lines > 50


@pytest.mark.parametrize(
    "name",
    ["program", "record", "cache", "trace", "trace_path", "export", "export_path", "scalars", "resources"],
)
def test_what_was_found_once_breaks_none_of_the_other_targets(name: str) -> None:
    for data in TARGETS[name].inputs():
        TARGETS[name].check(data, unwatched)


# ------------------------------------------------------------- what would go unnoticed without


def test_what_breaks_is_found() -> None:
    def check(data: bytes, _: object) -> None:
        assert data in STARTS, "changed"

    found = fuzz(check, STARTS, inf, 1, TARGETS["path"].folder, runs=len(STARTS) + 20)

    assert all("AssertionError: changed" in report for report in found.reports.values())
    assert found.failures


def test_the_starts_are_good_profiles(tmp_path: Path) -> None:
    for number, data in enumerate(STARTS):
        assert to_bytes(parse(data)) == data
        assert check_whole_path(tmp_path / str(number), data) is not None


needs_compiler = pytest.mark.skipif(compiled.library() is None, reason="nothing was compiled here")


@needs_compiler
def test_one_decoder_is_compared_with_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared with itself, any decoder is right."""
    calls, decode = [0], compiled.decode

    def counted(*args: Any) -> compiled.Decoded:
        calls[-1] += 1
        return decode(*args)

    def watch(work: Callable[[], T]) -> T:
        found = work()
        calls.append(0)
        return found

    monkeypatch.setattr(compiled, "decode", counted)
    check_reader(STARTS[0], watch)
    assert calls[0] == 0 < calls[1]


@needs_compiler
def test_the_oracle_sees_a_decoder_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*args: Any) -> compiled.Decoded:
        found = decode(*args)
        return found._replace(columns=found.columns._replace(start_ns=found.columns.start_ns - 1))

    decode = compiled.decode
    monkeypatch.setattr(compiled, "decode", wrong)
    with pytest.raises(AssertionError):
        check_reader(STARTS[0])


def test_the_oracle_sees_a_wrong_ledger() -> None:
    report = make_report()
    check_report(report)
    assert report.ledger is not None
    with pytest.raises(AssertionError):
        check_report(replace(report, ledger=replace(report.ledger, step_ns=report.ledger.step_ns + 1)))


@pytest.mark.slow
def test_the_oracle_of_cost_sees_time_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def take(size: int, references: int) -> Callable[..., None]:
        def work(*_: object) -> None:
            held = b"x" * size
            for _round in range(references):
                reference()
            held.find(b"y")

        return work

    monkeypatch.setattr(cost, "MOST_S", 0.2)
    monkeypatch.setattr(cost, "analyze_run", take(10**6, 5))
    cost.check_cost(STARTS[0])
    for size, references, said in ((1000, 40, " s for 2"), (150 * 10**6, 5, " MB for 2")):
        monkeypatch.setattr(cost, "analyze_run", take(size, references))
        with pytest.raises(AssertionError, match=said):
            cost.check_cost(STARTS[0])


def test_each_target_can_be_proposed_to_oss_fuzz() -> None:
    files = {path.stem: path.read_text() for path in OSS_FUZZ.glob("*.py")}

    assert {f"fuzz_{name}" for name, target in TARGETS.items() if not target.timed} == set(files)
    assert all(f'main("{stem.removeprefix("fuzz_")}")' in text for stem, text in files.items())
    subprocess.run(["bash", "-n", OSS_FUZZ / "build.sh"], check=True)
