"""What a GPU that others wait for, and its host, do meanwhile, in words."""

from __future__ import annotations

from tfperf_plugin.artifacts.lateness import LateGpu
from tfperf_plugin.engine.words import ms


def meanwhile(late: LateGpu | None, stage: str = "", subject: str = "It") -> str:
    """A sentence with a space before it, "" where nothing is to be said.

    ``stage``: the stage of the input pipeline that is too slow, as the user wrote it, "" if none is known;
    ``subject``: what the sentences before call the GPU.
    """
    if late is None:
        return ""
    if late.by_input:
        named = f"; the stage that it waits for is {stage}" if stage else ""
        return f" Its host waits {ms(late.input_ns)} for a batch meanwhile{named}."
    if late.by_host:
        named = f"; the host is in \u201c{late.doing}\u201d then" if late.doing else ""
        idle = f"{subject} has nothing to do for {ms(late.idle_ns)} meanwhile"
        return f" {idle}, because its host launches late{named}."
    return f" {subject} works meanwhile." if late.works else ""
