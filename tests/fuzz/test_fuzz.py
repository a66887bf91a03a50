"""Fuzzing as far as the suite has time; ``python -m tests.fuzz SECONDS`` goes on from there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.conftest import REPOSITORY
from tests.fuzz import cost, trap
from tests.fuzz.corpus import profiles_of_programs, seeds, starts
from tests.fuzz.guided import Lines, fuzz, reduced, unwatched
from tests.fuzz.mutate import grown, mutated
from tests.fuzz.oracles import Packed, check_reader, check_report, check_whole_path
from tests.fuzz.targets import TARGETS
from tests.fuzz.wire import parse, places, to_bytes
from tests.pace import reference
from tests.readers.xspace.raw import content, event, line, plane
from tests.readers.xspace.strategies import spaces
from tests.reports import make_report
from tfperf_plugin.readers.xspace import compiled

STARTS = starts()
RUNS = {
    "reader": 60, "path": 40, "hosts": 15, "program": 500, "record": 1000, "cache": 300, "cost": 100,
    "trace": 300, "trace_path": 40, "trace_cost": 60, "export": 150, "export_path": 25, "export_cost": 60,
}  # fmt: skip
OSS_FUZZ = REPOSITORY / "tests" / "fuzz" / "oss_fuzz"
T = TypeVar("T")

changes = st.lists(st.integers(0, 1 << 32), min_size=1, max_size=3)


def changed(data: bytes, numbers: list[int]) -> bytes:
    for number in numbers:
        data = mutated(data, STARTS, Random(number))
    return data


@settings(deadline=None, max_examples=30)
@given(st.one_of(spaces(), st.sampled_from(STARTS)), changes)
def test_the_reader_takes_whatever_is_changed(data: bytes, numbers: list[int]) -> None:
    check_reader(changed(data, numbers))


@settings(deadline=None, max_examples=20)
@given(st.sampled_from(STARTS), changes)
def test_the_whole_path_takes_whatever_is_changed(data: bytes, numbers: list[int]) -> None:
    with TemporaryDirectory() as folder:
        check_whole_path(Path(folder), changed(data, numbers))


@settings(deadline=None, max_examples=8)
@given(st.lists(st.tuples(st.sampled_from(STARTS), changes), min_size=2, max_size=3))
def test_the_whole_path_takes_several_hosts(hosts: list[tuple[bytes, list[int]]]) -> None:
    with TemporaryDirectory() as folder:
        changes = (changed(data, numbers) for data, numbers in hosts)
        check_whole_path(Path(folder), *changes, executor=Packed())


def test_what_was_found_once_breaks_nothing(tmp_path: Path) -> None:
    found = seeds()
    assert len(found) > 20 and sum(path.stat().st_size for path in found) < 200_000
    for number, path in enumerate(found):
        check_reader(path.read_bytes())
        check_whole_path(tmp_path / str(number), path.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_guided_by_lines_nothing_is_found(name: str) -> None:
    target = TARGETS[name]
    found = fuzz(target.check, target.begin(), inf, 1, target.folder, change=target.change, runs=RUNS[name])

    assert found.reports == {}
    assert found.runs == RUNS[name] and found.lines > 50


@pytest.mark.parametrize(
    "name", ["program", "record", "cache", "trace", "trace_path", "export", "export_path"]
)
def test_what_was_found_once_breaks_none_of_the_other_targets(name: str) -> None:
    for data in TARGETS[name].inputs():
        TARGETS[name].check(data, unwatched)


# ------------------------------------------------------------- what would go unnoticed without


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
        return found._replace(start_ns=found.start_ns - 1)

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


def test_what_breaks_something_is_reduced_to_what_does() -> None:
    whole = plane(line(event()), line(event(), id=2)) * 9 + plane() + STARTS[0]

    small = reduced(whole, lambda data, watch: trap.spring(data), Path(trap.__file__))

    assert small == content(1) * 4
    with pytest.raises(ZeroDivisionError):
        trap.spring(small)


def test_an_input_is_grown_by_equal_copies_and_by_others() -> None:
    found = [grown(STARTS[0], 100_000, Random(seed)) for seed in range(8)]

    assert sum(90_000 < len(data) < 120_000 for data in found) >= 6
    assert all(parse(data) for data in found)


def test_the_trees_of_profiles_reach_into_their_programs() -> None:
    trees = [parse(data) for data in profiles_of_programs()]

    assert [to_bytes(tree) for tree in trees] == profiles_of_programs()
    kinds = {place.field.kind for tree in trees for place in places(tree)}
    assert kinds >= {"HloInstruction", "OpMetadata", "Window", "Dimensions", "Json"}


def test_fuzzing_finds_what_only_guidance_reaches() -> None:
    """A defect behind three conditions, each of which must be met before the next one shows."""
    start = plane(line(event()), line(event(), id=2))
    found = fuzz(
        lambda data, watch: watch(lambda: trap.spring(data)), [start], 20, 3, Path(trap.__file__), most=1
    )

    assert [where.partition(" ")[2] for where in found.failures] == ["ZeroDivisionError"]


TRAP = """
import sys
import atheris
from tests.fuzz import targets, trap
from tests.fuzz.covered import fuzz
from tests.readers.xspace.raw import event, line, plane
start = plane(line(event()), line(event(), id=2))
spring = atheris.instrument_func(trap.spring)
fuzz(targets.Target(lambda data, watch: spring(data), lambda: [start]), *sys.argv[1:])
"""


@pytest.mark.slow
def test_atheris_finds_it_too(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="it has no wheel for this Python or system")
    options = ("-seed=1", "-max_len=4096", "-runs=100000", f"-artifact_prefix={tmp_path}/")
    command = [sys.executable, "-c", TRAP, *options]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)

    assert "ZeroDivisionError" in run.stdout + run.stderr
    with pytest.raises(ZeroDivisionError):
        trap.spring(next(tmp_path.glob("crash-*")).read_bytes())


def test_each_target_can_be_proposed_to_oss_fuzz() -> None:
    files = {path.stem: path.read_text() for path in OSS_FUZZ.glob("*.py")}

    assert {f"fuzz_{name}" for name, target in TARGETS.items() if not target.timed} == set(files)
    assert all(f'main("{stem.removeprefix("fuzz_")}")' in text for stem, text in files.items())
    subprocess.run(["bash", "-n", OSS_FUZZ / "build.sh"], check=True)


def test_lines_are_counted_once() -> None:
    lines = Lines(Path(trap.__file__))
    lines.watch(lambda: trap.spring(b""))
    first = lines.reached
    lines.watch(lambda: trap.spring(b""))
    assert 0 < first == lines.reached

    lines.watch(lambda: trap.spring(plane(line(event()), line(event())) * 4))
    assert lines.reached > first
