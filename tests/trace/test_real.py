"""What is known of the real profiles: device names, steps and where time goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.strategies import Analysis, analyse
from tfperf_plugin.analysis.artifacts.input.pipelines import Pipelines

RealProfile = Callable[[str], Path]


def _read(folder: Path) -> Analysis:
    (file,) = folder.glob("*.xplane.pb")
    return analyse(file.read_bytes())


def test_the_input_pipeline_of_the_cpu_profile(real_profile: RealProfile) -> None:
    analysis = _read(real_profile("tf-cpu-input"))
    pipelines = analysis.inputs().get(Pipelines)

    assert pipelines.bottleneck is not None
    worst = pipelines.bottleneck
    # MapAndBatch works 64 elements in two calls at a time, the map that feeds it one after the other.
    assert (worst.kind, worst.stage, worst.dataset) == ("Map", "preprocessing", "MapDataset:1")
    assert pipelines.described(worst) == ".map(...) after tf.data.Dataset.from_tensor_slices(...)"
    assert [pipelines.rows[i].kind for i in pipelines.path] == [
        "Root", "Prefetch", "ForeverRepeat", "MapAndBatch", "Map",
    ]  # fmt: skip
    prefetch = next(r for r in pipelines.rows if r.kind == "Prefetch")
    assert (prefetch.buffer_limit, prefetch.autotune, prefetch.buffered_elements) == (2, True, 1)
    batch = next(r for r in pipelines.rows if r.kind == "MapAndBatch")
    assert (batch.written, batch.parallelism, batch.at_once) == (".map(...).batch(64)", 2, 2)
    assert 3 * batch.batch_ns < worst.batch_ns
    assert batch.element_bytes == 3_145_984  # 64 images of 64 × 64 × 3 floats and 64 labels
    assert worst.element_bytes == 64 * 64 * 3 * 4
