"""A trial from its plan to its verdict: interrupted anywhere, on bad commands and in bad folders."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.proof.trials import A, B, FakeChild, launch, outcome, plan, planted
from tfperf_plugin.errors import BadOptionError, Busy, TfperfError, UnreadableInput
from tfperf_plugin.proof import files, trial, verdict
from tfperf_plugin.proof import plan as plans
from tfperf_plugin.proof.child import Outcome
from tfperf_plugin.proof.code import code_of
from tfperf_plugin.proof.measured import launch_file, launches
from tfperf_plugin.proof.plan import Plan
from tfperf_plugin.recording.launch import Window


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("print()\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def planned(here: Path) -> Plan:
    return plan(code=code_of(here, A.command))


@pytest.fixture
def folder(here: Path) -> Path:
    made = here / "out"
    files.make(made)
    return made


def run(planned: Plan, folder: Path, child: FakeChild, said: list[str] | None = None) -> verdict.Verdict:
    """As ``tfperf try`` does it."""
    settled = plans.settle(planned, folder)
    lines = [] if said is None else said
    done = trial.run(settled, folder, folder.parent, child, say=lines.append, show=lambda _: None)
    return verdict.conclude(settled, folder, done)


def test_launches_follow_the_plan(planned: Plan, folder: Path) -> None:
    child, said = planted(), list[str]()

    found = run(planned, folder, child, said)

    assert found.verdict == "better"
    assert (
        "".join("B" if "FAST" in environment else "A" for _, environment, *_ in child.calls) == planned.order
    )
    assert [environment["TFPERF_TRY"] for _, environment, *_ in child.calls] == ["1"] * 12
    assert {place for *_, place, _ in child.calls} == {folder.parent}
    assert [limit for *_, limit in child.calls] == [trial.FIRST_HANGS_S, *[trial.HANGS_S] * 11]
    assert json.loads((folder / "verdict.json").read_text(encoding="utf-8"))["verdict"] == "better"
    assert [line.split(" · ")[0] for line in said] == [f"launch {n} of 12" for n in range(1, 13)]
    assert "seen so far needs" in said[3] and "a side" in said[3] and "a side" not in said[2]
    assert "launches differ by" in said[7] and "seen so far needs" in said[7]
    assert "left" in said[10] and "left" not in said[11]
    assert not list(folder.glob(".launch-*"))
    # When all is measured, the verdict is there again.
    again = FakeChild(lambda *_: pytest.fail("nothing is missing"))
    assert run(planned, folder, again) == found


class Stop(Exception):
    """What a process that is killed looks like to the test."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, Stop])
@pytest.mark.parametrize("after", [0, 1, 5, 11])
def test_interrupted_after_each_launch_the_verdict_is_the_same(
    here: Path, planned: Plan, after: int, error: type[BaseException]
) -> None:
    one, two = here / "one", here / "two"
    files.make(one)
    files.make(two)
    whole = run(planned, one, planted())
    steady = planted()

    def interrupted(count: int, environment: Mapping[str, str]) -> Outcome:
        if count == after + 1:
            raise error
        return steady._of(count, environment)

    child = FakeChild(interrupted)
    with pytest.raises((trial.Interrupted, Stop)) as caught:
        run(planned, two, child)
    if isinstance(caught.value, trial.Interrupted):
        assert f"{after} of 12 launches are kept in {two}; the same command goes on." in str(caught.value)
        assert caught.value.exit_code == 130
    assert len(launches(planned, two)) == after
    assert not list(two.glob(".launch-*"))

    resumed = FakeChild(steady._of)
    found = run(planned, two, resumed)
    assert len(resumed.calls) == 12 - after
    assert (found.verdict, found.effect) == (whole.verdict, whole.effect)


def test_a_plan_is_never_overwritten(planned: Plan, folder: Path) -> None:
    run(planned, folder, planted())
    before = (folder / "plan.json").read_bytes()

    settled = plans.settle(replace(planned, order="BAAB" * 3, written="later"), folder)
    assert settled.order == planned.order
    for other, what in (
        (replace(planned, order="ABBA" * 4), "order"),
        (replace(planned, b=A), "b"),
        (replace(planned, code=replace(planned.code, digest="other")), "code"),
    ):
        with pytest.raises(BadOptionError, match=f"holds another plan: {what} differs"):
            plans.settle(other, folder)
    with pytest.raises(BadOptionError, match="it is there already"):
        files.write_new(folder / "plan.json", b"{}")
    assert (folder / "plan.json").read_bytes() == before


@pytest.mark.parametrize("damage", [b"", b"{", b"null", b"[1]", b'{"number": 1}', b"\xff\xfe" * 50])
@pytest.mark.parametrize("name", ["plan.json", "launch-003.json", "verdict.json"])
def test_a_damaged_file_is_named_and_kept(planned: Plan, folder: Path, name: str, damage: bytes) -> None:
    run(planned, folder, planted())
    (folder / name).write_bytes(damage)

    with pytest.raises(UnreadableInput, match=f"{name} is damaged") as caught:
        run(planned, folder, planted())
    assert len(str(caught.value).splitlines()) == 1
    assert (folder / name).read_bytes() == damage
    assert len(list(folder.glob("launch-*.json"))) == 12


def test_a_launch_of_another_number_or_changed_later_belongs_to_no_verdict(
    planned: Plan, folder: Path
) -> None:
    run(planned, folder, planted())
    path = launch_file(folder, 3)
    kept = path.read_bytes()

    path.write_bytes(launch_file(folder, 4).read_bytes())
    with pytest.raises(UnreadableInput, match=r"launch-003\.json holds another launch"):
        run(planned, folder, planted())
    path.write_bytes(kept.replace(b'"seconds"', b' "seconds"'))
    with pytest.raises(UnreadableInput, match="some file has changed since"):
        run(planned, folder, planted())


def test_two_at_once_in_one_folder(here: Path, folder: Path) -> None:
    code = (
        "import sys, pathlib, time; from tfperf_plugin.proof import files\n"
        "with files.locked(pathlib.Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(Busy, match="Another tfperf is at work"), files.locked(folder):
            pass
        other.kill()
    with files.locked(folder):  # the system freed it
        pass


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (outcome(exit_code=1, seen="The command ended with exit code 1."),
         "measured nothing: The command ended with exit code 1. It ends with 'ImportError: no module x'."),
        (outcome(seen="No step was seen."), "launch-003.log; 2 measured launches are kept, and the same"),
        (outcome(replace(launch(), windows=())), "measured nothing: it made too few steps."),
        (outcome(replace(launch(), windows=(Window(10, 0, 320),))), "has steps that take no time"),
    ],
)  # fmt: skip
def test_a_launch_that_measures_nothing_ends_the_trial(
    planned: Plan, folder: Path, bad: Outcome, said: str
) -> None:
    steady = planted()
    child = FakeChild(lambda count, environment: bad if count == 3 else steady._of(count, environment))

    with pytest.raises(TfperfError) as caught:
        run(planned, folder, child)
    assert said in str(caught.value)
    assert str(caught.value).startswith("Launch 3 of 12 (side B)")
    assert (caught.value.exit_code, len(launches(planned, folder))) == (3, 2)

    assert run(planned, folder, planted()).verdict == "better"


def test_other_work_ends_it_at_once(planned: Plan, folder: Path) -> None:
    child = FakeChild(lambda _, environment: outcome(launch(batch_size=64 if "FAST" in environment else 32)))

    found = run(planned, folder, child)
    again = run(planned, folder, child)

    assert (found.verdict, again, len(child.calls)) == ("not comparable", found, 2)


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "train.py changed while launch 1 (A) ran."), (2, "train.py changed while launch 2 (B) ran.")],
)
def test_a_source_that_changes_while_a_launch_runs(
    planned: Plan, folder: Path, number: int, said: str
) -> None:
    script = folder.parent / "train.py"

    def edits(count: int, _: Mapping[str, str]) -> Outcome:
        if count == number:
            script.write_text("print(1)\n", encoding="utf-8")
        generated = folder.parent.parent / "generated.py"
        generated.write_text(str(count), encoding="utf-8")
        return outcome(replace(launch(), sources=(str(generated), str(script.resolve()))))

    found = run(planned, folder, FakeChild(edits))

    assert (found.verdict, found.reasons[0]) == ("not comparable", said)


def test_a_source_that_changes_between_two_runs_of_the_command(planned: Plan, folder: Path) -> None:
    """Also one outside of the script's folder, which is seen only once it was imported."""
    module = folder.parent / ".lib" / "model.py"
    module.parent.mkdir()
    steady = planted()

    def edits(count: int, environment: Mapping[str, str]) -> Outcome:
        if count == 4:
            raise KeyboardInterrupt
        module.write_text(f"{count > 4}\n", encoding="utf-8")
        found = steady._of(count, environment)
        assert found.launch
        return replace(found, launch=replace(found.launch, sources=(str(module.resolve()),)))

    child = FakeChild(edits)
    with pytest.raises(trial.Interrupted):
        run(planned, folder, child)
    found = run(planned, folder, child)

    said = ".lib/model.py changed between launch 1 (A) and launch 4 (A)."
    assert (found.verdict, found.reasons[0]) == ("not comparable", said)


def test_what_no_launch_imports_may_change(planned: Plan, folder: Path) -> None:
    """A test, and a log that the command names; a configuration that it names may not."""
    here, steady = folder.parent, planted()
    (here / "log.txt").write_text("", encoding="utf-8")
    (here / "config.json").write_text("{}", encoding="utf-8")
    side = replace(A, command=(*A.command, "log.txt", "config.json"))
    planned = replace(planned, a=side, b=replace(side, environment=B.environment))

    def writes(count: int, environment: Mapping[str, str]) -> Outcome:
        for name in ("log.txt", "test_model.py"):
            (here / name).write_text(f"{count}", encoding="utf-8")
        return steady._of(count, environment)

    found = run(planned, folder, FakeChild(writes))
    assert found.verdict == "better"
    assert {name for each in launches(planned, folder) for name in each.sources} == {
        "train.py",
        "config.json",
    }

    (folder / "launch-012.json").unlink()
    (folder / "verdict.json").unlink()
    (here / "config.json").write_text("[]", encoding="utf-8")
    said = f"config.json changed between launch 1 (A) and launch 12 ({planned.order[-1]})."
    assert run(planned, folder, planted()).reasons[0] == said


def test_the_time_of_day_may_jump(planned: Plan, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: -1e9)

    found = run(planned, folder, planted())

    assert found.verdict == "better"
    assert all(0 <= each.seconds < 60 for each in launches(planned, folder))


def test_a_full_disk_is_told_in_a_sentence(
    planned: Plan, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(BadOptionError, match=r"plan\.json cannot be written: No space left on device"):
        run(planned, folder, planted())
    assert [path.name for path in folder.iterdir()] == [".gitignore"]
    assert B.environment
