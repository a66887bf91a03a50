"""The report as a file to keep or to send: which formats there are, and a name for the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.text import to_markdown
from tfperf_plugin.report.serialize import to_text

_LONGEST_NAME: Final = 120


class Format(NamedTuple):
    """``ending`` of a file of this format, its mime type, and what writes it."""

    ending: str
    mime_type: str
    write: Callable[[Report], str]


FORMATS: Final[dict[str, Format]] = {
    "markdown": Format("md", "text/markdown; charset=utf-8", to_markdown),
    "json": Format("json", "application/json", to_text),
    "html": Format("html", "text/html; charset=utf-8", to_html),
}


def file_name(run: str, form: Format) -> str:
    """A name that says which run it is and is harmless in every file system and header."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", run).strip("-.")[:_LONGEST_NAME]
    return f"diagnostics-{plain or 'run'}.{form.ending}"
