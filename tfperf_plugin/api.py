"""The Python interface; ``python_api.md`` describes it with examples."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Literal

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.execution.pipeline import make_report
from tfperf_plugin.readers import logdir as runs
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import parse_options
from tfperf_plugin.report.render.export import FORMATS
from tfperf_plugin.report.render.text import to_text


def list_runs(logdir: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of the runs below ``logdir``, newest first; none if it holds no profile.

    Raises:
        RunNotFound: there is no such directory.
        UnreadableInput: it cannot be read.
    """
    place = os.fspath(logdir)
    runs.require(place)
    return tuple(run.name for run in runs.find_runs(place))


def analyze(
    logdir: str | os.PathLike[str],
    run: str | None = None,
    *,
    parameters: int | str | None = None,
    bandwidth: float | str | None = None,
    thresholds: Sequence[str] = (),
    progress: Callable[[str, float], None] | None = None,
    cache: bool = True,
) -> Report:
    """The report of one run: what ``tfperf report`` prints, as typed data.

    Args:
        logdir: the log directory, as given to TensorBoard; also on ``gs://`` and ``s3://``.
        run: its name as ``list_runs`` gives it; by default the newest one.
        parameters: how many parameters the model has, a number or a text such as ``"25.6M"``.
        bandwidth: what the links of one GPU carry, GB/s in one direction or a text such as ``"NVLink 3"``.
        thresholds: to be tried out, such as ``"step-gaps:idle-between-steps=2%"``.
        progress: called with the stage and the share 0..1 of the work that is done; a report that was
            cached is there at once, without any call.
        cache: whether a report that was made before is used, and a new one kept in the user's cache.

    Raises:
        RunNotFound: there is no such directory or run.
        UnreadableInput: a file is missing, or no profile.
        NotJudgeable: the profile holds nothing from which a report could be made.
        BadOptionError: ``parameters``, ``bandwidth`` or ``thresholds`` cannot be used.
    """
    options = parse_options(_text(parameters), _text(bandwidth), thresholds)
    chosen = runs.resolve(os.fspath(logdir), run)

    def tell(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        if progress:
            progress(stage, share)

    return make_report(chosen, options, tell, cache=ReportCache() if cache else None)


def export(report: Report, form: Literal["text", "markdown", "json", "html"] = "text") -> str:
    """The report as ``tfperf report --format`` prints it. Raises BadOptionError for another format."""
    if form == "text":
        return to_text(report, color=False)
    if form not in FORMATS:
        raise BadOptionError(f"The format must be one of text, {', '.join(FORMATS)}.")
    return FORMATS[form].write(report)


def _text(value: float | str | None) -> str | None:
    return value if value is None else str(value)
