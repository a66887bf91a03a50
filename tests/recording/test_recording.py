"""What is written beside the profiles: all that matters, whole, and nothing private."""

from __future__ import annotations

import getpass
import json
import os
import socket
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from etils import epath

from tests.readers.logdirs.remote import remote_in_memory
from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.recording import frameworks, machine, record_training
from tfperf_plugin.recording.record import Link, TrainingRecord, from_json, read_records
from tfperf_plugin.recording.write import write

START = datetime(2026, 11, 21, 11, 0, tzinfo=timezone.utc)

# As printed on a machine with four GPUs and two network cards, with its escape codes and tabs.
TOPOLOGY = (
    "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    "GPU0\t X \tNV12\tSYS\tNODE\tPXB\tSYS\t0-31,64-95\t0\t\tN/A\n"
    "GPU1\tNV12\t X \tPHB\tPXB\tPXB\tSYS\t0-31,64-95\t0\t\tN/A\n"
    "GPU2\tSYS\tPHB\t X \tPIX\tSYS\tPXB\t32-63,96-127\t1\t\tN/A\n"
    "GPU3\tNODE\tPXB\tPIX\t X \tSYS\tPXB\t32-63,96-127\t1\t\tN/A\n"
    "NIC0\tPXB\tPXB\tSYS\tSYS\t X \tSYS\n"
    "NIC1\tSYS\tSYS\tPXB\tPXB\tSYS\t X \n"
    "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe\n\nNIC Legend:\n\n  NIC0: mlx5_secret\n"
)
LINKS = (
    Link(0, 1, "NV12"),
    Link(0, 2, "SYS"),
    Link(0, 3, "NODE"),
    Link(1, 2, "PHB"),
    Link(1, 3, "PXB"),
    Link(2, 3, "PIX"),
)


@pytest.fixture
def nvidia_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``nvidia_smi(script)`` puts a program of that name on the path."""
    folder = tmp_path / "bin"

    def install(script: str) -> None:
        folder.mkdir()
        program = folder / "nvidia-smi"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return install


def contents(logdir: Path) -> list[TrainingRecord]:
    files = sorted((logdir / "plugins" / "diagnostics").iterdir())
    parsed = [from_json(file.read_bytes()) for file in files]
    assert all(problems == () for _, problems in parsed)
    return [record for record, _ in parsed]


def test_a_loop_of_ones_own_records_what_it_is_told(tmp_path: Path) -> None:
    variables = [SimpleNamespace(shape=(3, 4), dtype="float32"), SimpleNamespace(shape=(), dtype="bfloat16")]

    path = record_training(
        tmp_path,
        parameters=20,
        trainable_variables=variables,
        batch_size=64,
        flops_per_step=1.5e12,
        precision_policy="mixed_bfloat16",
        jit_compile=True,
        steps_per_execution=8,
    )

    (record,) = contents(tmp_path)
    assert path and json.loads(Path(path).read_bytes())["batch_size"] == 64
    assert (record.parameters, record.trainable) == (20, {"float32": 12, "bfloat16": 1})
    assert (record.policy, record.jit_compile) == ("mixed_bfloat16", True)
    assert (record.batch_size, record.steps_per_execution) == (64, 8)
    assert (record.flops_per_step, type(record.flops_per_step)) == (1_500_000_000_000, int)
    assert record.versions and record.versions["python"] == sys.version.split()[0]


def test_recording_imports_no_tensorflow_and_works_without(tmp_path: Path) -> None:
    script = """
import sys
from tfperf_plugin.recording import record_training
assert record_training(sys.argv[1])
print(sorted({"tensorflow", "keras", "numpy", "tensorboard", "tfperf_plugin.keras"} & set(sys.modules)))
"""
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr, done.stdout) == (0, "", "[]\n")


def test_each_worker_writes_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("a", "b:1", "b:1"):
        monkeypatch.setattr(socket, "gethostname", lambda host=host: host)
        record_training(tmp_path)

    files = sorted(path.name for path in (tmp_path / "plugins" / "diagnostics").iterdir())
    assert [name.partition(".")[0] for name in files] == ["a", "b_1", "b_1"]


SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "hunter2-aws",
    "HOME": "/secret/hunter2-home",
    "NCCL_SOCKET_IFNAME": "hunter2-eth",
    "NCCL_IB_HCA": "hunter2-mlx",
    "NCCL_DEBUG_FILE": "/secret/hunter2-nccl",
    "TF_CONFIG": '{"cluster": {"worker": ["hunter2-worker:1"]}}',
    "XLA_FLAGS": "--xla_dump_to=/secret/hunter2-dump --xla_gpu_autotune_level=2 --xla_secret=hunter2-flag",
    "TF_XLA_FLAGS": "--tf_xla_auto_jit=2 /secret/hunter2",
    "CUDA_VISIBLE_DEVICES": "GPU-8932f937-d72c,MIG-GPU-8932f937-d72c/1/0,2",
    "TF_GPU_THREAD_MODE": "/secret/hunter2-mode",
    "NCCL_DEBUG": "x" * 65,
    "NCCL_ALGO": "^Tree,Ring",
}


def test_nothing_private_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nvidia_smi: Any) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(socket, "gethostname", lambda: "hunter2-host")
    monkeypatch.setattr(sys, "argv", ["train.py", "--token=hunter2-token"])
    topology = tmp_path / "topology"
    topology.write_text(TOPOLOGY)
    nvidia_smi(f'[ "$1" = topo ] && cat {topology} || echo 550.54.15')

    path = record_training(tmp_path)

    assert path
    text = Path(path).read_text()
    for secret in ("hunter2", "secret", "/", "8932f937", str(tmp_path), str(Path.cwd()), getpass.getuser()):
        assert secret not in text, secret
    (record,) = contents(tmp_path)
    assert record.environment == {
        "CUDA_VISIBLE_DEVICES": "GPU,MIG,2",
        "NCCL_ALGO": "^Tree,Ring",
        "NCCL_DEBUG": "…",
        "TF_GPU_THREAD_MODE": "…",
        "TF_XLA_FLAGS": "--tf_xla_auto_jit=2 …",
        "XLA_FLAGS": "--xla_gpu_autotune_level=2 …",
    }
    assert record.versions and record.versions["driver"] == "550.54.15"
    assert record.links == LINKS


@pytest.mark.parametrize(
    "script",
    ["exit 1", "echo No devices were found; exit 6", "exec sleep 1000", "printf '\\377\\0\\t\\n'", ""],
)
def test_a_driver_that_does_not_answer_is_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nvidia_smi: Any, script: str
) -> None:
    monkeypatch.setattr(machine, "TIMEOUT_S", 0.2)
    nvidia_smi(script)

    record_training(tmp_path)

    (record,) = contents(tmp_path)
    assert record.versions is None or "driver" not in record.versions
    assert record.links is None


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("\tGPU0\tCPU Affinity\nGPU0\t X \t0-7\n", None),
        ("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n", (Link(0, 1, "NV4"),)),
        ("GPU0\tGPU1\nGPU0 X ???\nGPU1 ??? X\n", None),
        ("", None),
    ],
    ids=["one", "two", "unknown", "empty"],
)
def test_links_between_gpus(text: str, links: tuple[Link, ...] | None) -> None:
    assert machine.parse_links(text) == links


def strategy(resolver: object = None) -> Any:
    class MirroredStrategy:
        num_replicas_in_sync = 2
        cluster_resolver = resolver

    return MirroredStrategy()


def resolver(cluster: dict[str, list[str]], job: str | None, index: int | None) -> SimpleNamespace:
    spec = SimpleNamespace(as_dict=lambda: cluster)
    return SimpleNamespace(cluster_spec=lambda: spec, task_type=job, task_id=index)


CLUSTER = {"chief": ["secret:1"], "worker": ["secret:2", "secret:3"], "evaluator": ["secret:4"]}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (strategy(), {"workers": 1}),
        (strategy(resolver({}, "", 0)), {"workers": 1}),
        (strategy(resolver(CLUSTER, "worker", 1)), {"workers": 3, "worker": 2}),
        (strategy(resolver({"worker": ["x", "y"]}, "worker", 0)), {"workers": 2, "worker": 0}),
        (strategy(resolver({"chief": ["x"], "worker": ["y"]}, "chief", 0)), {"workers": 2, "worker": 0}),
        (strategy(resolver({"worker": ["y"]}, "evaluator", 0)), {"workers": 1}),
    ],
)
def test_workers(given: object, expected: dict[str, int]) -> None:
    assert frameworks.distribution(given) == {"strategy": "MirroredStrategy", "replicas": 2, **expected}


def test_variables_of_a_type_without_a_gradient_are_no_parameters() -> None:
    assert frameworks.by_type([SimpleNamespace(shape=(2,), dtype="int64")]) is None
    assert frameworks.by_type([SimpleNamespace(shape=(2,), dtype=SimpleNamespace(name="float64"))]) == {
        "float64": 2
    }


def test_a_log_directory_that_cannot_be_written_costs_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")

    assert record_training(tmp_path / "file" / "logs") is None
    assert len(caplog.records) == 1
    assert "The Diagnostics tab will not know this training" in caplog.text


def test_arguments_that_make_no_sense_cost_only_themselves(tmp_path: Path) -> None:
    odd: Any = "sixty four"

    assert record_training(tmp_path, parameters=5, batch_size=odd, precision_policy="a/b")
    (record,) = contents(tmp_path)
    assert (record.parameters, record.batch_size, record.policy) == (5, None, None)


def test_a_file_that_fails_half_way_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, START, TrainingRecord(batch_size=1))

    def fail(*_: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(epath.Path()), "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path, START, TrainingRecord(batch_size=2))

    assert contents(tmp_path) == [TrainingRecord(batch_size=1)]


def test_a_remote_log_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remote_in_memory(monkeypatch)
    monkeypatch.setattr(socket, "gethostname", lambda: "vm")
    memory.pipe("/bucket/logs/train/plugins/profile/2026_11_21_12_00_00/vm.xplane.pb", b"profile")

    path = write("gs://bucket/logs", START, TrainingRecord(batch_size=64))

    (run,) = finding.find_runs("gs://bucket/logs")
    assert path == "gs://bucket/logs/plugins/diagnostics/vm.20261121T110000.000000+0000.training.json"
    assert [record.content.batch_size for record in read_records(run.records)] == [64]
    assert [name for name in memory.find("/bucket") if "training" in name] == [path.replace("gs://", "/")]
