"""The command line: ``tfperf COMMAND``, one of ``COMMANDS``; alone, it shows its help.

Exit codes: 0 done; 1 a finding at or above ``--fail-on``, or a slower run; 2 bad usage, unreadable input or
output that cannot be written; 3 ``--fail-on`` or ``--without``, but the profile cannot be judged, or the runs
cannot be compared, or a trial has no verdict. ``record`` and ``watch`` become their command, whose exit code
is its own.
Each error is one line on stderr; for agents it has the form that ``agents`` makes.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import re
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import NoReturn, TextIO

from tfperf_plugin.cli.output import Output, broken, erase, one_line
from tfperf_plugin.errors import BadOptionError, BadUsageError, OutOfTime, TfperfError, did_you_mean
from tfperf_plugin.version import __version__

COMMANDS = {
    "report": "Print what costs time in a run, most valuable first.",
    "record": "Run a training and record some of its steps, without a change to it.",
    "watch": "Watch the machine while a process or a command runs, without a profile.",
    "show": "Print one finding, check, account, op, step or host of a report, for an agent.",
    "compare": "Compare runs, one or more launches a side: is NEW better than BASE, by how much, where.",
    "try": "Prove that a change makes training faster, by launches with and without it in random order.",
    "tune": "Record a training, try the changes that its findings name, and prove what they bring together.",
    "switches": "List the changes that tfperf can make in a training that it starts.",
    "runs": "List the runs of a log directory, newest first.",
    "history": "List what was measured before, and by how much launches without a change differ.",
    "slice": "Save what one host and its GPUs did in a range as a trace that Perfetto opens.",
    "rules": "List the rules that profiles are held against.",
    "explain": "Explain one rule: what it says, why, how it is measured, what to do, and what it cannot see.",
    "mcp": "Answer an agent that has no shell, over the Model Context Protocol.",
    "completion": "Print what makes a shell complete commands, options, runs and rules.",
}
"""Command → the first line of its module's docstring. The module is imported only if the command is used;
that of ``try`` is called ``try_``, as Python has this word for itself."""
BAD_USAGE = 2
EXAMPLES = """\
examples:
  tfperf record -- python train.py       run a training and record 20 of its steps into logs
  tfperf report logs                     what costs time in the newest run
  tfperf report logs --run resnet        the same of the run with resnet in its name
  tfperf compare logs/before logs/after  whether training became faster
"""
GARBAGE_COUNT = 100_000
"""Python searches for reference cycles after this many new objects. tfperf makes no cycles, and at the
default threshold the searches make a report take 8 % longer."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code. ``arguments`` default to those of the process."""
    gc.set_threshold(GARBAGE_COUNT)
    atexit.register(gc.freeze)  # no search for cycles at exit either
    lost = sys.stdout is None  # the caller closed it, as ``>&-`` does
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for the whole process
    given = sys.argv[1:] if arguments is None else arguments
    if not {"mcp", "record", "try", "tune", "watch"} & set(
        given[:1]
    ):  # their trainings have the environment of the user
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a second thread of NumPy would spin without work
        # Where remote storage cannot be read, the answer says why.
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        output = output_of(given)
    except TfperfError as error:
        code = _refuse(error, given)
        if isinstance(error, OutOfTime):
            from tfperf_plugin.arrays.threads import any_at_work

            if any_at_work():
                os._exit(code)  # an exit would wait for what took too long
        return code
    except KeyboardInterrupt:
        return _fail("Interrupted.", 130)
    except Exception as error:
        if os.environ.get("TFPERF_TRACEBACK"):
            raise
        return _fail(broken(error), BAD_USAGE)
    erase()
    if output.note:
        _write(sys.stderr, f"tfperf: {one_line(output.note)}\n")
    try:
        _write(sys.stdout, output.text)
    except OSError as error:
        _to_nowhere(sys.stdout)
        return _fail(f"The output cannot be written: {error.strerror or error}.", BAD_USAGE)
    if lost:
        return _fail("The output cannot be written: stdout is closed.", output.exit_code)
    return output.exit_code


def output_of(given: Sequence[str]) -> Output:
    """The result of a command. Raises TfperfError."""
    if not given:
        return Output(parser(()).format_help())
    command = next((each for each in given if not each.startswith("-")), "")
    if command == given[0] and command not in COMMANDS:
        known = f"the commands are {', '.join(COMMANDS)}."
        hint = f"did you mean tfperf report {command}?" if "/" in command or Path(command).exists() else ""
        raise BadOptionError(
            f"There is no command {command!r:.200}; {hint or did_you_mean(command, COMMANDS) or known}"
        )
    parsed, unknown = parser((command,)).parse_known_args(given)
    if unknown:
        parsed.parser.refuse(unknown)
    output: Output = parsed.run(parsed)
    return output


class _Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line and suggests what may have been meant."""

    def error(self, message: str) -> NoReturn:
        if match := re.match(r"argument (\S+): invalid choice: '(.*)' \(choose from", message):
            of = (a for a in self._actions if match[1] in (*a.option_strings, a.metavar))
            if hint := did_you_mean(match[2], next((map(str, a.choices) for a in of if a.choices), ())):
                message = f"argument {match[1]}: invalid choice: {match[2]!r:.100}; {hint}"
            else:
                message = message.replace("'", "").replace(match[2], repr(match[2]), 1)
        raise BadUsageError(f"{message} (see {self.prog} --help)")

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Ends with an error for arguments that nothing takes."""
        option = next((each for each in unknown if each.startswith("-")), "").partition("=")[0]
        hint = did_you_mean(option, self._option_string_actions, most=1)
        self.error(f"unrecognized arguments: {' '.join(unknown)}" + (f"; {hint}" if hint else ""))


def parser(chosen: Collection[str]) -> argparse.ArgumentParser:
    """The parser of all commands. Declares arguments only for the chosen ones."""
    found = _Parser(
        prog="tfperf",
        description="Finds what costs time in profiles of training on GPUs.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--version", action="version", version=f"tfperf {__version__}")
    subparsers = found.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name in chosen:
            command = import_module(f"tfperf_plugin.cli.{name}{'_' * iskeyword(name)}")
            command.add_arguments(subparser)
            subparser.set_defaults(run=command.run, parser=subparser)
    return found


def _refuse(error: TfperfError, given: Sequence[str]) -> int:
    """Tells an error in the form of the output that was asked for."""
    from tfperf_plugin.cli.agents import error_text, is_for_agent

    if not is_for_agent(given):
        return _fail(str(error), error.exit_code)
    erase()
    _write(sys.stderr, error_text(error, given))
    return error.exit_code


def _fail(sentence: str, exit_code: int) -> int:
    erase()
    _write(sys.stderr, f"tfperf: {one_line(sentence)}\n")
    return exit_code


def _write(stream: TextIO, text: str) -> None:
    """Writes ``text``; a closed pipe (``| head``) and characters outside the encoding are no errors."""
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        _to_nowhere(stream)


def _to_nowhere(stream: TextIO) -> None:
    """Redirects what the interpreter flushes again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
