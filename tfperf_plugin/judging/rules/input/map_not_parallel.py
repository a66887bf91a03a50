"""Steps wait for a map that handles one element after the other."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow
from tfperf_plugin.analysis.artifacts.input.stages import PREPROCESSING, has_parallel_calls, ops_of
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Passed, Verdict, declared
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.rules.input._stage import judge_stage, waited_for, works

WORKS = works("the map works")

PARALLEL = "{stage} runs in parallel already, at most {n} calls at the same time."
ONE_BY_ONE = "{stage} handles one element after the other and takes {batch:ms} for a batch, while the GPU waits for it."
ONE_BY_ONE_HOST = "{stage} handles one element after the other and takes {batch:ms} for a batch, while the step waits for it."
BASIS = "the map's own work per step, as far as GPUs wait for input: enough parallel calls hide it"


def judge(late: LateInput) -> Verdict:
    """Checks whether the stage that steps wait for is a map without parallel calls."""
    row = waited_for(late, "map", _is_map)
    if not isinstance(row, IteratorRow):
        return row
    if has_parallel_calls(row.kind, row.parallelism):
        return Passed(say(PARALLEL, stage=row.written, n=row.at_once))
    return judge_stage(
        late, row,
        what=row.written,
        summary=say(
            ONE_BY_ONE if late.on_gpu else ONE_BY_ONE_HOST, stage=late.described, batch=row.batch_ns
        ),
        share="it works",
        basis=BASIS,
        more=(Evidence("calls of it at the same time", row.at_once, "count", None, "iterator events"),),
        values={"stage": row.written},
    )  # fmt: skip


def _is_map(row: IteratorRow) -> bool:
    return row.stage == PREPROCESSING and bool({"Map", "ParallelMap"} & set(ops_of(row.kind, row.dataset)))


RULE = declared(judge, thresholds=(WORKS,), explained_by=("input-bound",))
