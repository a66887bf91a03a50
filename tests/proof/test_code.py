"""What counts as the source of a training, with git and without, and another revision beside it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.proof import code
from tfperf_plugin.proof.code import candidates, checked_out, code_of, commit_of

COMMAND = ("python", "train.py", "--lr", "0.1")


def git(folder: Path, *arguments: str) -> None:
    identity = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **identity},
        check=True,
        capture_output=True,
    )


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A script with a module beside it, without git."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "train.py").write_text("import pkg\n", encoding="utf-8")
    (tmp_path / "pkg" / "__init__.py").write_text("", encoding="utf-8")
    return tmp_path


@pytest.fixture
def repository(plain: Path) -> Path:
    git(plain, "init", "-q")
    (plain / ".gitignore").write_text("logs/\n", encoding="utf-8")
    git(plain, "add", ".")
    git(plain, "commit", "-qm", "first")
    return plain


def write(path: Path, text: str = "x = 1\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", ["train.py", "pkg/__init__.py", "pkg/new.py", "new.py"])
def test_python_files_count(request: pytest.FixtureRequest, name: str) -> None:
    for kind in ("plain", "repository"):
        folder = request.getfixturevalue(kind)
        before = code_of(folder, COMMAND)
        assert code_of(folder, COMMAND) == before
        write(folder / name, f"# {kind}\n")
        assert code_of(folder, COMMAND).digest != before.digest


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("plain", name) for name in ("model.h5", "history.json", ".venv/x.py", "env/site-packages/x.py")),
        *(("repository", name) for name in ("logs/events.py", "model.h5", "history.json")),
    ],
)
def test_what_a_training_writes_does_not_count(request: pytest.FixtureRequest, kind: str, name: str) -> None:
    folder = request.getfixturevalue(kind)
    before = code_of(folder, COMMAND)
    write(folder / name)

    assert code_of(folder, COMMAND) == before
    assert (len(before.commit), before.diff) == (40 if kind == "repository" else 0, "")


def test_a_tracked_file_of_any_kind_counts(repository: Path) -> None:
    write(repository / "config.yaml", "lr: 1\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "config")
    before = code_of(repository, COMMAND)
    write(repository / "config.yaml", "lr: 2\n")
    after = code_of(repository, COMMAND)

    assert (before.commit, before.diff) == (after.commit, "")
    assert after.diff and after.digest != before.digest


def test_a_file_that_the_command_names_counts_wherever_it_is(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path_factory.mktemp("data") / "data.csv"
    write(data, "1\n")
    named = (*COMMAND, str(data))
    before = code_of(repository, named)
    write(data, "2\n")
    assert code_of(repository, named).digest != before.digest

    monkeypatch.setattr(code, "_MAX_BYTES", 1)  # of large ones, size and time stand for the content
    before = code_of(repository, named)
    write(data, "22\n")
    assert code_of(repository, named).digest != before.digest


def test_a_repository_without_a_commit(plain: Path) -> None:
    git(plain, "init", "-q")
    before = code_of(plain, COMMAND)
    write(plain / "train.py", "changed\n")

    assert before.commit == ""
    assert code_of(plain, COMMAND).digest != before.digest


def test_without_the_program_git(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    files = candidates(plain, COMMAND)
    assert sorted({path.name for path in files}) == ["__init__.py", "train.py"]


def test_another_revision_stands_beside_the_work_tree(repository: Path) -> None:
    write(repository / "pkg" / "train.py", "old\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "old")
    commit = commit_of(repository, "HEAD")
    write(repository / "pkg" / "train.py", "new\n")
    out = repository / "out"
    write(out / ".gitignore", "*\n")

    for _ in range(2):  # the second time, as after a process that was killed
        with checked_out(repository / "pkg", commit, out / "base") as place:
            assert (place / "train.py").read_text(encoding="utf-8") == "old\n"
            assert code_of(place, ("python", "train.py")).commit == commit
            assert code_of(place, ("python", "train.py")).diff == ""
            before = code_of(repository / "pkg", ("python", "train.py"))
        assert not (out / "base").exists()
        assert code_of(repository / "pkg", ("python", "train.py")) == before


def test_a_worktree_that_a_killed_process_left_is_replaced(repository: Path) -> None:
    commit, base = commit_of(repository, "HEAD"), repository / "out" / "base"
    left = checked_out(repository, commit, base)
    left.__enter__()
    write(base / "train.py", "changed\n")

    with checked_out(repository, commit, base) as place:
        assert (place / "train.py").read_text(encoding="utf-8") == "import pkg\n"


@pytest.mark.parametrize(
    ("kind", "revision"),
    [("plain", "HEAD"), *(("repository", name) for name in ("nowhere", "--all", "HEAD:train.py", ""))],
)
def test_what_is_no_revision(request: pytest.FixtureRequest, kind: str, revision: str) -> None:
    with pytest.raises(BadOptionError, match="names no commit"):
        commit_of(request.getfixturevalue(kind), revision)
