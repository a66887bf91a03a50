"""The Python interface; ``python_api.md`` describes it with examples."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Literal

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.execution.pipeline import make_report
from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.readers.logdirs.places import require, resolve
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import parse_options
from tfperf_plugin.report.render.export import FORMATS
from tfperf_plugin.report.render.text import to_text


def list_runs(logdir: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of the runs below ``logdir``, newest first; empty if it holds no profile.

    Raises:
        RunNotFound: the directory does not exist.
        UnreadableInput: the directory cannot be read.
    """
    folder = os.fspath(logdir)
    require(folder)
    return tuple(run.name for run in finding.find_runs(folder))


def analyze(
    logdir: str | os.PathLike[str],
    run: str | None = None,
    *,
    parameters: int | str | None = None,
    bandwidth: float | str | None = None,
    steps_per_epoch: int | None = None,
    thresholds: Sequence[str] = (),
    progress: Callable[[str, float], None] | None = None,
    cache: bool = True,
) -> Report:
    """The report of one run, as typed data; ``tfperf report`` prints the same.

    Args:
        logdir: the log directory, as given to TensorBoard, the folder of a run, or a profile; also on
            ``gs://`` and ``s3://``.
        run: the run's name, as ``list_runs`` returns it, or a part that no other run has; by default the
            newest run.
        parameters: the model's number of parameters, as a number or a text such as ``"25.6M"``.
        bandwidth: of one GPU's links, in GB/s in one direction or as a text such as ``"NVLink 3"``.
        steps_per_epoch: training steps of an epoch, where the training wrote scalars of epochs only.
        thresholds: thresholds to try out, such as ``"gpu-stagger:spread-of-first-kernels=3%"``.
        progress: called with the stage and the share 0..1 of the work that is done; not called if the report
            comes from the cache.
        cache: whether to use a cached report and to cache a new one, in the user's cache folder.

    Raises:
        RunNotFound: the directory or run does not exist.
        UnreadableInput: a file is missing, or is no profile.
        OutOfTime: a host takes more than 300 s of processor time, or than ``TFPERF_TIME_LIMIT`` says.
        NotJudgeable: the profile holds nothing that can be judged.
        BadOptionError: ``parameters``, ``bandwidth``, ``steps_per_epoch`` or ``thresholds`` is invalid.
    """
    options = parse_options(_text(parameters), _text(bandwidth), thresholds, _text(steps_per_epoch))
    chosen = resolve(os.fspath(logdir), run)

    def tell(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        if progress:
            progress(stage, share)

    return make_report(chosen, options, tell, cache=ReportCache() if cache else None)


def export(report: Report, form: Literal["text", "markdown", "json", "html"] = "text") -> str:
    """The report as ``tfperf report --format`` prints it. Raises BadOptionError for unknown formats."""
    if form == "text":
        return to_text(report, color=False)
    if form not in FORMATS:
        raise BadOptionError(f"The format must be one of text, {', '.join(FORMATS)}.")
    return FORMATS[form].write(report)


def _text(value: float | str | None) -> str | None:
    return value if value is None else str(value)
