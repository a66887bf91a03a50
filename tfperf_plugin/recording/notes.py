"""What the processes of a launch note for tfperf, how they are asked to, and what is said of it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.readers.logdirs.files import is_remote, reason
from tfperf_plugin.recording import machine
from tfperf_plugin.recording.hook import path as hook
from tfperf_plugin.recording.launch import MACHINE, NOTES, PASSED, RECORDING, REQUEST, STEPS, Request
from tfperf_plugin.recording.record import TrainingRecord, to_json

_CUT: Final = "Nothing was recorded: the training ended at once, as by a signal"
_LEFT_OUT: Final = re.compile(r"-[a-zA-DF-HJ-RT-Z]*[EIS][a-zA-Z]*")


class Notes:
    """A folder with a file to which each process of a launch appends lines (``sitecustomize.note``).

    The file stays open here, so that what was noted is known even if somebody removes it. Once the folder is
    removed, no process begins to record.
    """

    def __init__(self) -> None:
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="tfperf-"))
        except OSError as error:
            raise BadOptionError(f"No temporary folder can be made: {reason(error)}. Set TMPDIR.") from error
        self._path = self._folder / "notes"
        self._file = self._path.open("x+b", buffering=0)
        self._rest = b""
        self._noted: dict[str, dict[str, str]] = {}

    def fileno(self) -> int:
        """The descriptor of the file."""
        return self._file.fileno()

    def environment(self, request: Request, variables: Mapping[str, str]) -> dict[str, str]:
        """``variables``, and those that let each Python of the launch record what ``request`` says."""
        paths = [*hook.__path__, *filter(None, [variables.get("PYTHONPATH")])]
        return {
            **variables,
            REQUEST: msgspec.json.encode(request).decode(),
            NOTES: str(self._path),
            "PYTHONPATH": os.pathsep.join(paths),
        }

    def tell_machine(self) -> None:
        """Tells the launch which driver and links the machine has: to ask for them takes processes, which
        would be the training's."""
        facts = TrainingRecord(versions=machine.versions(), links=machine.links())
        with contextlib.suppress(OSError):
            Path(f"{self._path}{MACHINE}").write_bytes(to_json(facts))

    def read(self) -> Mapping[str, Sequence[str]]:
        """What was noted until now: kind → texts, each once, the latest last; of progress, the latest of each
        process."""
        *lines, self._rest = (self._rest + (self._file.read() or b"")).split(b"\n")
        for line in lines:
            process, kind, text = f"{line.decode(errors='replace')}\t\t".split("\t")[:3]
            texts = self._noted.setdefault(kind, {})
            key = process if kind in (PASSED, RECORDING) else text
            texts.pop(key, None)
            texts[key] = text
        return {kind: tuple(texts.values()) for kind, texts in self._noted.items()}

    def remove(self) -> None:
        """Ends the noting."""
        self._file.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def given() -> dict[str, str]:
    """The environment that tfperf was given. Where Python finds the locale C, it sets LC_CTYPE (PEP 538)."""
    variables = dict(os.environ)
    with contextlib.suppress(OSError):  # Linux only
        if b"\0LC_CTYPE=" not in b"\0" + Path("/proc/self/environ").read_bytes():
            variables.pop("LC_CTYPE", None)
    return variables


def made(folder: str) -> str:
    """Makes ``folder`` and returns its whole path. Raises BadOptionError if it cannot be written; a remote
    one is not tried."""
    if is_remote(folder):
        return folder
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return str(Path(folder).absolute())
    except OSError as error:
        raise BadOptionError(f"{folder} cannot be written: {reason(error)}. Name another folder.") from error


def furthest(noted: Mapping[str, Sequence[str]]) -> tuple[int, int]:
    """The most steps that a process made, and after how many a recording begins at the earliest; 0 and 1 if
    none was made."""
    pairs = [text.split() for kind in (PASSED, STEPS) for text in noted.get(kind, ())]
    return max(((int(made), int(fewest)) for made, fewest in pairs), default=(0, 1))


def unseen(
    noted: Mapping[str, Sequence[str]], request: Request, command: Sequence[str], code: int = 0
) -> str:
    """One sentence, where nothing was recorded: how far the training came, and what would let its steps be
    seen. ``code``: the exit code, 0 if it is unknown."""
    made, _ = furthest(noted)
    if code:
        steps = f" ({made} were)" if made else ""
        return f"The command ended with exit code {code} before enough steps were made{steps}."
    if failures := noted.get("failed"):
        return f"Nothing was recorded: {failures[-1]}."
    if made or RECORDING in noted:
        return _too_short(noted, request)
    if noted.get("imported") and STEPS not in noted:
        return f"{_CUT}, without a word on its steps."
    if "fit" in noted:
        return "Keras' fit was called, but made no step."
    return _never(noted, request, command)


def _too_short(noted: Mapping[str, Sequence[str]], request: Request) -> str:
    """One sentence, where steps were seen."""
    made, fewest = furthest(noted)
    if RECORDING in noted:
        fewer = f"--steps {max(1, request.steps // 4)} --end, which ends it by itself"
        if request.after_s is not None:
            fewer = "a smaller --after-seconds"
        return f"{_CUT}, within its recording. Ctrl-C saves what has come; or try {fewer}."
    ended = "The training ended" if STEPS in noted else f"{_CUT},"
    if made > fewest:
        after = max(fewest, min(5, made // 4))
        need = (
            f"{max(request.after, fewest)} pass before the recording begins; "
            f"try --after {after} --steps {max(1, min(made // 2, made - after))}"
        )
    elif fewest > 1:
        need = f"a function is known as the step once {fewest} calls have passed; {_clock(request)}"
    else:
        need = "one passes before a recording begins; let it make more"
    more = "" if STEPS in noted else " or more"
    return f"{ended} after {made} step{'s' * (made != 1)}{more}, and {need}."


def _never(noted: Mapping[str, Sequence[str]], request: Request, command: Sequence[str]) -> str:
    """One sentence, where no step was seen."""
    imported = noted.get("imported", ())
    if "JAX" in imported and "Keras" not in imported:
        return f"JAX was imported, but no function of jax.jit was called 20 times; {_clock(request)}."
    if "PyTorch" in imported:
        return "PyTorch was imported, but no optimizer made an update."
    if "Keras" in imported or "TensorFlow" in imported:
        return (
            "TensorFlow or Keras was imported, but Keras' fit was never called, and no tf.function or "
            f"GradientTape.gradient 20 times; {_clock(request)}."
        )
    if "python" in noted:
        return "Python ran, but imported neither Keras, JAX nor PyTorch."
    options = next((word for word in command[1:] if _LEFT_OUT.fullmatch(word)), "")
    if options:
        return f"{shlex.join([command[0], options])} leaves out PYTHONPATH, through which tfperf sees steps."
    return (
        "The command started no Python that tfperf could watch: python -E, -I and -S leave out PYTHONPATH, "
        "and so do sudo and containers."
    )


def _clock(request: Request) -> str:
    """What helps where steps are not seen, or too few."""
    if not request.profile:
        return "tfperf try needs steps that it can see"
    return "for a loop of your own, --after-seconds 30 records five seconds by the clock"
