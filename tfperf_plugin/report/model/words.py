"""The sentences of the report, made once for all outputs."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.records import Record

SectionId = Literal["communication", "hosts", "kernels", "input", "memory", "checks", "training"]


class Section(Record, frozen=True):
    """A section of the page that the run has.

    ``answer``: what it says, in one sentence; ``chip``: its one number, "" if there is none.
    """

    id: SectionId
    answer: str
    chip: str
