"""The formats in which a report can be saved, and the name of the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.plain import in_file_name
from tfperf_plugin.report.render.text import to_markdown
from tfperf_plugin.report.serialize import to_text
from tfperf_plugin.report.timeline.arrays import Arrays
from tfperf_plugin.report.timeline.step import usual_timeline


class Format(NamedTuple):
    """A file format: its file ending, its mime type, and its writer."""

    ending: str
    mime_type: str
    write: Callable[[Report], str]


FORMATS: Final[dict[str, Format]] = {
    "markdown": Format("md", "text/markdown; charset=utf-8", to_markdown),
    "json": Format("json", "application/json", to_text),
    "html": Format("html", "text/html; charset=utf-8", to_html),
    "agent": Format("txt", "text/plain; charset=utf-8", to_agent),
}


def written(report: Report, form: str, arrays: Arrays | None) -> str:
    """The file of a report in one of ``FORMATS``; in HTML with its usual step, drawn from ``arrays``."""
    step = usual_timeline(report, arrays) if arrays and form == "html" else None
    return to_html(report, step) if step else FORMATS[form].write(report)


def file_name(run: str, form: Format) -> str:
    """A name that identifies the run and is safe in every file system and HTTP header."""
    return f"diagnostics-{in_file_name(run) or 'run'}.{form.ending}"
