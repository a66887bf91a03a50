"""The input pipelines of the report."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.pipelines import NAMED_RATIO, IteratorRow, Pipelines
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.report import model
from tfperf_plugin.report.rows import row_of

# Pipelines are listed for this many hosts, those whose steps wait longest.
HOSTS_CAP = 16


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
        return (
            f"Steps on the host wait {ms(first.wait_ns)} for a batch ({percent(first.wait_ratio)} of a step)."
        )
    text = f"Steps on the host wait {ms(late.wait_ns)} for a batch ({percent(late.wait_ratio)} of a step)"
    if worst is None:
        return f"{text}; no stage works during {percent(NAMED_RATIO)} of that."
    share, stage = percent(worst.wait_ratio), pipelines.described(worst)
    return f"{text}; during {share} of that {stage} works ({worst.stage})."
