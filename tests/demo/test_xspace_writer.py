"""The encoder against the programs that read such files."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from demo.xspace_writer import Ref, SpaceBuilder

_PRINT_WITH_TENSORFLOW = """
import sys
from google.protobuf import json_format
from tensorflow.tsl.profiler.protobuf import xplane_pb2
space = xplane_pb2.XSpace.FromString(open(sys.argv[1], "rb").read())
assert space.SerializeToString(deterministic=True) == open(sys.argv[2], "rb").read(), "other bytes"
print(json_format.MessageToJson(space, preserving_proto_field_name=True, sort_keys=True))
"""


def example() -> SpaceBuilder:
    space = SpaceBuilder("worker-0")
    space.error("an error")
    space.warning("a warning")
    gpu = space.plane("/device:GPU:0", id=3, stats={"memory_size": 80 << 30, "device_vendor": Ref("Nvidia")})
    stream = gpu.line(7, "Stream #7(Compute)", timestamp_ns=1000)
    stream.event("gemm", 2000, 250, {"id": 3, "op": Ref("dense")}, display_name="GEMM", share=0.5, text="t")
    stream.event("copy", 3000, 250, {"hash": (1 << 64) - 1, "raw": b"\xff", "is_eager": True})
    stream.aggregate("total", 2, 500, {"id": 4})
    gpu.event_metadata_stats("total", {"flops": 12})
    return space


def test_tensorflow_reads_every_field(tmp_path: Path) -> None:
    """Read and written again by TensorFlow's own schema, no byte changes."""
    if find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed")
    file, deterministic = tmp_path / "host.xplane.pb", tmp_path / "deterministic"
    file.write_bytes(example().to_bytes())
    deterministic.write_bytes(example().message.SerializeToString(deterministic=True))

    done = subprocess.run(
        [sys.executable, "-c", _PRINT_WITH_TENSORFLOW, str(file), str(deterministic)],
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    for text in (
        "worker-0",
        "an error",
        "a warning",
        "Stream #7(Compute)",
        "GEMM",
        "dense",
        "num_occurrences",
    ):
        assert f'"{text}"' in done.stdout


def test_xprof_shows_the_events(tmp_path: Path) -> None:
    if find_spec("xprof") is None:
        pytest.skip("XProf is not installed")
    file = tmp_path / "worker-0.xplane.pb"
    file.write_bytes(example().to_bytes())
    code = (
        "import sys\n"
        "from xprof.convert import raw_to_tool_data\n"
        "data, _ = raw_to_tool_data.xspace_to_tool_data(sys.argv[1:], 'trace_viewer', {})\n"
        "sys.stdout.write(data if isinstance(data, str) else data.decode())\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )

    assert done.returncode == 0, done.stderr
    for text in ("/device:GPU:0", "Stream #7(Compute)", "GEMM"):
        assert text in done.stdout
