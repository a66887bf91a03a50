"""The source of a training: its hash, and another revision of it side by side."""

from __future__ import annotations

import contextlib
import hashlib
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
    """The source of a training. ``commit``: of the git work tree, "" without git; ``diff``: hash of what is
    not committed, "" if all is; ``files``: how many files outside of git's index are hashed; ``digest``: hash
    of everything, of the script and other files that the command names too."""

    commit: str
    diff: str
    files: int
    digest: str


def code_of(folder: Path, command: Sequence[str]) -> Code:
    """The source around the script of ``command``, run in ``folder``: files that git tracks and Python files
    that it does not ignore; without git the Python files in the script's folder and below.

    Data that the training reads is not hashed, unless the command names the file.
    """
    named = [path for each in command if (path := folder / each).is_file()]
    script = next((path for path in named if path.suffix == ".py"), None)
    around = script.resolve().parent if script else folder
    top = work_tree(around)
    if top is None:
        commit, diff, others = "", "", _python_files(around) if script else []
    else:
        commit = (_git(top, "rev-parse", "--verify", "--quiet", "HEAD") or b"").decode().strip()
        against = ["HEAD"] if commit else ["--cached"]
        changes = _git(top, "diff", "--no-ext-diff", "--no-textconv", "--binary", *against) or b""
        listed = _git(top, "ls-files", "-z", "--others", "--exclude-standard", "--", "*.py") or b""
        others = [top / os.fsdecode(name) for name in listed.split(b"\0") if name]
        diff = hash_of(changes + _digest(others, top).encode()) if changes or others else ""
    files = sorted({*others, *(named if top is None else [each for each in named if _outside(each, top)])})
    digest = hash_of(f"{commit} {diff} {_digest(files, around)}".encode())
    return Code(commit, diff, len(files), digest)


def _outside(path: Path, top: Path) -> bool:
    """Whether git does not track the file, so that no commit and no diff tells of it."""
    return not _git(top, "ls-files", "--", str(path.resolve()))


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


def _digest(paths: Iterable[Path], folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(paths):
        name = os.path.relpath(path, folder)
        whole.update(f"{name}\0{_content(path)}\n".encode(errors="replace"))
    return whole.hexdigest()


def _content(path: Path) -> str:
    try:
        status = path.stat()
        if status.st_size > _MAX_BYTES:
            return f"{status.st_size} {status.st_mtime_ns}"
        return hashlib.sha256(path.read_bytes()).hexdigest()
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
