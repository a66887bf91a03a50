"""The source of a training: its files and their hashes, and another revision of it side by side."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.proof.files import hash_of
from tfperf_plugin.records import Record

# Beside a script without git may lie an environment or what packages installed.
_NO_SOURCE: Final = frozenset({"site-packages", "node_modules", "__pycache__"})
_TIMEOUT_S: Final = 120
# Of a larger file that the command names, size and time of change stand for the content.
_MAX_BYTES: Final = 64 << 20


class Code(Record, frozen=True):
    """The source of a training. ``commit``: of the git work tree, "" without git; ``diff``: hash of what git
    tracks and is not committed, "" if all is; ``digest``: hash of everything, of ``candidates`` too."""

    commit: str
    diff: str
    digest: str


def code_of(folder: Path, command: Sequence[str]) -> Code:
    """The source as it lies there."""
    commit = diff = ""
    if top := work_tree(_around(folder, command)):
        commit = (_git(top, "rev-parse", "--verify", "--quiet", "HEAD") or b"").decode().strip()
        against = ["HEAD"] if commit else ["--cached"]
        changes = _git(top, "diff", "--no-ext-diff", "--no-textconv", "--binary", *against)
        diff = hash_of(changes) if changes else ""
    files = sorted(contents(candidates(folder, command), folder).items())
    return Code(commit, diff, hash_of(f"{commit} {diff} {files}".encode(errors="replace")))


def candidates(folder: Path, command: Sequence[str]) -> list[Path]:
    """What ``command``, run in ``folder``, may import, and the files that it names: Python files around its
    script that git does not ignore; without git, those in the script's folder and below."""
    around, files = _around(folder, command), named(folder, command)
    if top := work_tree(around):
        listed = _git(top, "ls-files", "-zco", "--exclude-standard", "--", "*.py") or b""
        return [*files, *(top / os.fsdecode(name) for name in listed.split(b"\0") if name)]
    return [*files, *(_python_files(around) if _script(files) else ())]


def named(folder: Path, command: Sequence[str]) -> list[Path]:
    """The files that ``command`` names."""
    return [path.resolve() for each in command if (path := folder / each).is_file()]


def of_training(sources: Iterable[str], folder: Path, command: Sequence[str]) -> list[Path]:
    """Of the files that a launch imported, those below ``folder`` or around the script: not what TensorFlow
    generates elsewhere."""
    around = _around(folder, command)
    places = {folder.resolve(), work_tree(around) or around}
    return [path for path in map(Path, sources) if places.intersection(path.parents)]


def contents(paths: Iterable[Path], folder: Path) -> dict[str, str]:
    """Files, as seen from ``folder``, with the hashes of their contents."""
    return {os.path.relpath(path, folder.resolve()): _content(path) for path in paths}


def _around(folder: Path, command: Sequence[str]) -> Path:
    script = _script(named(folder, command))
    return script.parent if script else folder


def _script(files: Iterable[Path]) -> Path | None:
    return next((path for path in files if path.suffix == ".py"), None)


def _python_files(folder: Path) -> list[Path]:
    found = []
    for above, folders, names in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not (name.startswith(".") or name in _NO_SOURCE or Path(above, name, "pyvenv.cfg").exists())
        ]
        found += [Path(above, name) for name in names if name.endswith(".py")]
    return found


def _content(path: Path) -> str:
    try:
        status = path.stat()
        if status.st_size > _MAX_BYTES:
            return f"{status.st_size} {status.st_mtime_ns}"
        return hash_of(path.read_bytes())
    except OSError:
        return "unreadable"


def work_tree(folder: Path) -> Path | None:
    """The top of the git work tree that ``folder`` lies in; None without git."""
    found = _git(folder, "rev-parse", "--show-toplevel")
    return Path(os.fsdecode(found).rstrip("\n")) if found else None


def commit_of(folder: Path, revision: str) -> str:
    """The full hash of the commit that ``revision`` names. Raises BadOptionError."""
    found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if not found:
        raise BadOptionError(f"--base {revision!r:.100} names no commit of a git work tree around {folder}.")
    return found.decode().strip()


@contextlib.contextmanager
def checked_out(folder: Path, commit: str, place: Path) -> Iterator[Path]:
    """Checks ``commit`` out at ``place``, a git worktree, and removes it in the end.

    Yields the folder in it that corresponds to ``folder``. Raises BadOptionError.
    """
    top = work_tree(folder)
    assert top
    _remove(top, place)  # one that a killed process left
    if _git(top, "worktree", "add", "--force", "--detach", str(place.resolve()), commit) is None:
        raise BadOptionError(f"git cannot check {commit[:12]} out at {place}.")
    try:
        yield place.resolve() / folder.resolve().relative_to(top.resolve())
    finally:
        _remove(top, place)


def _remove(top: Path, place: Path) -> None:
    _git(top, "worktree", "remove", "--force", str(place.resolve()))
    _git(top, "worktree", "prune")


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints; None if there is no git, or it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
