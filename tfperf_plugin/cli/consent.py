"""Tools of ``tfperf mcp`` that run a training: only once the user has agreed to the command line.

Annotations are evaluated where they stand, since the library of the protocol reads those of inner functions.
"""

import re
import shlex
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

import anyio
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

from tfperf_plugin.cli.output import LONGEST_LINE, LONGEST_WORD, one_line
from tfperf_plugin.proof.child import Running

TOOLS: Final = {
    "record": "Run a training until some of its steps are recorded in `folder`/logs. Options: --after 30, "
    "--steps 20, --after-seconds S, --out LOGDIR.",
    "try": "Run a training 12 times, with a change and without: is it faster? Options: --switch NAME, "
    "--env K=V, --args TEXT, --base REV, --quick.",
    "tune": "Record a training, try the switches that its findings name, prove what they bring. Options: "
    "--only and --skip SWITCH,SWITCH. A further call goes on where one was interrupted.",
}
"""Command → what is said of its tool."""
_CANNOT_ASK: Final = (
    "Nothing ran: this client cannot ask its user, as it lacks elicitation. A server that is started as "
    "`tfperf mcp --run-commands` runs commands unasked."
)
_UNCLEAR: Final = (
    f"Nothing ran: the user can judge no command of more than {LONGEST_LINE} characters, or with some that "
    "do not print. Write it into a script."
)
_FOUND: Final = {"record": (0,)}
"""Exit codes of commands that did their work; of others, those of all verdicts."""
_POLL_S: Final = 0.2
_TELL_S: Final = 5.0


class Consent(BaseModel):  # type: ignore[misc]
    """What the user is asked for."""

    run: bool = Field(title="Run it")


def tool(name: str, asks: bool, most_lines: int) -> Callable[..., Awaitable[str]]:
    """The tool that runs ``tfperf NAME``. ``asks``: whether the user has to agree."""

    def ask(
        command: list[str], folder: str, options: list[str], context: Context
    ) -> Consent | Elicit[Consent]:
        line = shlex.join(["tfperf", *_words(name, options, command)])
        if not (folder + line).isprintable() or len(folder + line) > LONGEST_LINE:
            raise ToolError(_UNCLEAR)
        if not Path(folder).is_dir():
            raise ToolError(f"Nothing ran: there is no folder {folder}.")
        if not asks:
            return Consent(run=True)
        if not (context.client_capabilities and context.client_capabilities.elicitation):
            raise ToolError(_CANNOT_ASK)
        return Elicit(f"Run this command in {Path(folder).absolute()}, with your rights?\n\n{line}", Consent)

    async def run(
        command: list[str],
        folder: str,
        context: Context,
        consent: Annotated[ElicitationResult[Consent], Resolve(ask)],
        options: list[str] = [],  # noqa: B006 - nobody changes it
    ) -> str:
        if not (isinstance(consent, AcceptedElicitation) and consent.data.run):
            raise ToolError("Nothing ran: the user did not agree.")
        running = Running(_words(name, options, command), folder)
        await _end_of(running, context)
        lines = _lines(await anyio.to_thread.run_sync(running.output))
        cut = ["…"] if len(lines) > most_lines else []
        text = "\n".join((*cut, *lines[-most_lines:], f"exit code {running.exit_code()}")) + "\n"
        if running.exit_code() not in _FOUND.get(name, (0, 1, 3)):
            raise ToolError(text)
        return text

    return run


def _words(name: str, options: Sequence[str], command: Sequence[str]) -> list[str]:
    return [name, *(["--end"] if name == "record" else []), *options, "--", *command]


async def _end_of(running: Running, context: Context) -> None:
    """Returns when the command has ended; ends it if the call is canceled."""
    began_s = told_s = time.monotonic()
    try:
        while running.exit_code() is None:
            await anyio.sleep(_POLL_S)
            if time.monotonic() > told_s + _TELL_S:  # clients give up on calls that say nothing
                told_s = time.monotonic()
                await context.report_progress(told_s - began_s, message=_lines(running.output())[-1])
    except BaseException:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(running.end)
        raise


def _lines(output: str) -> list[str]:
    return [one_line(line)[:LONGEST_WORD] for line in re.split(r"[\r\n]+", output.strip())]
