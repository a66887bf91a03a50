"""The input pipelines of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.input.idle_input import ready_batches
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow, Pipelines
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.report import model
from tfperf_plugin.report.tables import Described, column, row_of, table, wide

# Pipelines are listed for this many hosts, those whose steps wait longest.
HOSTS_CAP = 16
# Number of stages, of the pipeline that steps wait for, in a text.
BRIEF: Final = 24
_PARTLY: Final = "They take batches that lay ready, and the table counts only what stages do while steps run."


def input_report(pipelines: Pipelines) -> model.Input | None:
    """The input pipelines; ``None`` if no iterator was recorded."""
    if not pipelines.rows:
        return None
    hosts, needed_ns = tuple(dict.fromkeys(row.host for row in pipelines.rows)), pipelines.needed_ns
    if len(hosts) > HOSTS_CAP:
        # Ordered by waiting time; hosts without waiting come last.
        worst_first = dict.fromkeys([*(p.host for p in pipelines.pipelines), *hosts])
        pipelines = pipelines.of_hosts(tuple(worst_first)[:HOSTS_CAP])
    late, path = pipelines.late, pipelines.path
    worst = None if late is None else late.bottleneck
    rows = tuple(_iterator(r, i in path, i == worst) for i, r in enumerate(pipelines.rows))
    return model.Input(
        iterators=rows,
        pipelines=tuple(row_of(model.Pipeline, p, iterators=p.rows) for p in pipelines.pipelines),
        critical_path=tuple(pipelines.rows[i].name for i in path),
        bottleneck=None if worst is None else pipelines.rows[worst].name,
        sentence=_sentence(pipelines),
        hosts_total=len(hosts),
        needed_ns=needed_ns,
    )


def _iterator(found: IteratorRow, on_path: bool, is_bottleneck: bool) -> model.Iterator:
    dropped = None
    if found.passed is not None and found.filtered is not None and found.passed + found.filtered > 0:
        dropped = found.filtered / (found.passed + found.filtered)
    return row_of(
        model.Iterator, found, filtered_ratio=dropped, on_critical_path=on_path, is_bottleneck=is_bottleneck
    )


def _sentence(pipelines: Pipelines) -> str:
    late, worst = pipelines.late, pipelines.bottleneck
    if late is None:
        first = pipelines.pipelines[0] if pipelines.pipelines else None
        if first is None:
            return "No step was seen asking for a batch."
        waited = (
            f"Steps on the host wait {ms(first.wait_ns)} for a batch ({percent(first.wait_ratio)} of a step)."
        )
        ready = ready_batches(pipelines)
        # A batch takes longer than a step, of which the wait is a share.
        slower = ready and ready.making_ns and ready.making_ns * first.wait_ratio > first.wait_ns
        return f"{waited} {_PARTLY}" if slower else waited
    text = f"Steps on the host wait {ms(late.wait_ns)} for a batch ({percent(late.wait_ratio)} of a step)"
    if worst is None:
        return f"{text}; no stage alone explains that."
    share, stage = percent(worst.wait_ratio), pipelines.described(worst)
    return f"{text}; during {share} of that {stage} works ({worst.stage})."


_MEANINGS: Final = {
    "stage": "A part of the pipeline as the program writes it; what feeds it stands below, further in.",
    "path": "Whether it lies on the path of the slowest request for a batch.",
    "batch_ns": "Its own work while steps run, per batch that they take; calls at the same time count once.",
    "wait_ratio": "In how much of the time that steps wait for input this stage works.",
    "at_once": "The most calls that ran at the same time, of those that the program allows.",
    "ready": "Elements that lay ready in its buffer, on average, of those that fit.",
    "slow_calls": "Calls that took longer than 50 µs: what is ready is handed out faster.",
    "self_ns": "Its own work in all calls, without that of the stages that it asks.",
    "total_ns": "All its calls, with those of the stages that it asks.",
    "element_bytes": "How large one element is that this stage gives on.",
    "iterator": "A stage by the name that TensorFlow gives it: the stages that it feeds come first.",
}
_Placed = tuple[model.Iterator, int]
"""A stage, and how far it is indented."""

_STAGES: Final[tuple[Described[_Placed], ...]] = (
    column("stage", "Stage", "name", lambda of: f"{'  ' * of[1]}{of[0].written}"),
    column("verdict", "Verdict", "mark", lambda of: "bottleneck" if of[0].is_bottleneck else ""),
    column("path", "Critical path", "text", lambda of: "on it" if of[0].on_critical_path else ""),
    column("does", "Does", "text", lambda of: _does(of[0])),
    column("batch_ns", "Works per batch taken", "ns", lambda of: of[0].batch_ns),
    column("wait_ratio", "Of the wait", "ratio", lambda of: of[0].wait_ratio),
    column("at_once", "At once", "text", lambda of: _at_once(of[0])),
    column("ready", "Ready", "text", lambda of: _ready(of[0])),
    wide("calls", "Calls", "count", lambda of: of[0].calls_count),
    wide("slow_calls", "Above 50 µs", "count", lambda of: of[0].slow_calls_count),
    wide("self_ns", "Own", "ns", lambda of: of[0].self_ns),
    wide("total_ns", "Total", "ns", lambda of: of[0].total_ns),
    wide("element_bytes", "Element", "bytes", lambda of: of[0].element_bytes),
)
_OTHERS: Final[tuple[Described[_Placed], ...]] = (
    column("host", "Host", "name", lambda of: of[0].host, under=True),
    column("iterator", "Iterator", "name", lambda of: of[0].name, under=True),
)


def input_blocks(found: model.Input, is_bound: bool) -> Iterator[model.SectionBlock]:
    """The pipeline that steps wait longest for, from the step upstream, and the iterators of all others.

    A text speaks of it if the run ``is_bound`` by its input.
    """
    first = found.pipelines[0].iterators if found.pipelines else range(len(found.iterators))
    rows, shown = [found.iterators[i] for i in first], set(first)
    others = [row for i, row in enumerate(found.iterators) if i not in shown]
    said = is_bound and bool(found.pipelines)
    title = "Input pipeline, work of each stage while steps run"
    yield table("input", title, _indented(rows), _STAGES, BRIEF if said else 0, meanings=_MEANINGS)
    if said:
        yield model.Sentence(found.sentence)
    if others:
        columns = (*_STAGES[:1], *_OTHERS, *_STAGES[3:])
        yield table("other_input", "Other pipelines", _indented(others), columns, 0, meanings=_MEANINGS)


def _indented(rows: Sequence[model.Iterator]) -> list[_Placed]:
    """Each stage with its level. What feeds the prefetching to a GPU is a tree of its own, below it."""
    device = next((row for row in rows if row.stage == "transfer"), None)
    below = device.depth + 1 if device else 0
    return [(row, row.depth + (below if device and row.pipeline != device.pipeline else 0)) for row in rows]


def _does(row: model.Iterator) -> str:
    return f"{row.stage}, drops {percent(row.filtered_ratio)}" if row.filtered_ratio else row.stage


def _at_once(row: model.Iterator) -> str:
    if row.parallelism is None:
        return f"{row.at_once:,}"
    return f"{row.at_once:,} of {row.parallelism:,}{', tuned' if row.autotune else ''}"


def _ready(row: model.Iterator) -> str:
    if row.buffered_elements is None:
        return ""
    limit = "" if row.buffer_limit is None else f" of {row.buffer_limit:,}"
    return f"{row.buffered_elements:,}{limit}"
