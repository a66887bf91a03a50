"""Real trainings on this machine's CPU, by Keras and by a loop of one's own, record themselves."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.recording.record import TrainingRecord, from_json, read_records

pytestmark = pytest.mark.slow

Logdirs = tuple[Path, str]
FILES = "plugins/diagnostics/*.training.json"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Logdirs:
    """Where the trainings recorded themselves, and what they printed."""
    pytest.importorskip("tensorflow")
    out = tmp_path_factory.mktemp("trainings")
    # Only where XLA_FLAGS and the like are as on a fresh machine is what is recorded known.
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("TF_", "XLA_", "CUDA"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.recording.fit", str(out)],
        env={
            **inherited,
            "TF_GPU_THREAD_MODE": "gpu_private",
            "TF_GPU_THREAD_COUNT": "3",
            "SECRET": "hunter2",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out, done.stderr


def records(trained: Logdirs, name: str) -> list[TrainingRecord]:
    """The records in the log directory ``name``, from the first to the last."""
    found = [from_json(path.read_bytes()) for path in sorted((trained[0] / name).glob(FILES))]
    assert [problems for _, problems in found] == [()] * len(found)
    return [record for record, _ in found]


def test_several_steps_per_execution_and_fits_leave_one_record(trained: Logdirs) -> None:
    """165 examples are 16 batches of 10 and half a one: it is not the mean that is recorded."""
    (record,) = records(trained, "several_steps_per_execution")

    assert (record.batch_size, record.steps_per_execution, record.jit_compile) == (10, 4, True)
    assert record.steps_per_epoch == 17
    assert (record.parameters, record.trainable) == (52, {"float32": 44})
    assert (record.strategy, record.replicas, record.workers) == ("none", 1, 1)
    assert record.policy == "float32"


def test_replicas_and_precision_policy(trained: Logdirs) -> None:
    (record,) = records(trained, "mirrored")

    assert (record.strategy, record.replicas, record.workers) == ("MirroredStrategy", 2, 1)
    assert (record.policy, record.batch_size) == ("mixed_float16", 10)
    assert record.trainable == {"float32": 44}


def test_a_loop_of_ones_own_in_the_scope_of_a_strategy(trained: Logdirs) -> None:
    (record,) = records(trained, "loop")

    assert (record.strategy, record.replicas, record.policy) == ("MirroredStrategy", 2, "mixed_float16")
    assert (record.parameters, record.trainable) == (17, {"float32": 15, "float16": 2})
    assert (record.batch_size, record.jit_compile) == (64, None)


@pytest.mark.parametrize(("name", "size"), [("one_step_an_epoch", None), ("own_step", None), ("told", 77)])
def test_a_batch_size_that_cannot_be_measured_is_unknown_unless_told(
    trained: Logdirs, name: str, size: int | None
) -> None:
    (record,) = records(trained, name)

    assert record.batch_size == size


def test_a_model_that_changed_is_recorded_anew(trained: Logdirs) -> None:
    before, after = records(trained, "changed")

    assert (before.trainable_parameters, after.trainable_parameters) == (44, 8)


def test_a_log_directory_that_cannot_be_written_costs_one_warning(trained: Logdirs) -> None:
    """The training goes on, and the trainings after it ran."""
    assert trained[1].count("The Diagnostics tab will not know this training") == 1
    assert records(trained, "unwritable") == []


def test_environment_and_versions(trained: Logdirs) -> None:
    (record,) = records(trained, "mirrored")

    assert record.environment == {"TF_GPU_THREAD_COUNT": "3", "TF_GPU_THREAD_MODE": "gpu_private"}
    assert record.versions is not None
    assert re.fullmatch(r"2\.\d+\.\d+.*", record.versions["tensorflow"])
    assert record.versions["keras"] == importlib.metadata.version("keras")


def test_each_profile_finds_its_record(trained: Logdirs) -> None:
    """Also where Keras puts it below LOGDIR, and where the training began while the profiler ran."""
    for name in ("several_steps_per_execution", "mirrored", "loop"):
        for run in finding.find_runs(str(trained[0] / name)):
            (stored,) = read_records(run.records)
            assert stored.content in records(trained, name)
    names = {run.name.rpartition("/")[0] for run in finding.find_runs(str(trained[0]))}
    assert {"mirrored/train", "loop"} <= names


def test_nothing_of_it_is_in_the_profile(trained: Logdirs) -> None:
    """Keras profiles the second step, before which the batch size could be measured first."""
    (profile,) = (trained[0] / "mirrored").rglob("*.xplane.pb")
    (record,) = (trained[0] / "mirrored").glob(FILES)

    assert record.stat().st_mtime_ns > profile.stat().st_mtime_ns
