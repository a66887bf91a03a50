"""Real traces, held against what a plain reading of their JSON finds; skipped where there are none."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import REPOSITORY
from tests.readers.kineto.traces import read
from tfperf_plugin.trace.roles import HostRole, Role

REAL = REPOSITORY.parent / "shared" / "corpus" / "data"
FILES = sorted(
    path for name in ("hta", "kineto", "torchrec", "tracelens") for path in REAL.glob(f"{name}/**/*.json.gz")
)
GPU = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
RUNTIME = {"cuda_runtime", "cuda_driver", "Runtime"}
HOST = RUNTIME | {"cpu_op", "user_annotation", "python_function", "Operator"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", FILES or [None], ids=lambda path: path.parent.name + "/" + path.name[:12] if path else "none"
)
def test_a_real_trace_is_read_as_it_is(path: Path | None) -> None:
    if path is None:
        pytest.skip("no real traces are beside this repository")
    data = path.read_bytes()
    events: list[dict[str, Any]] = json.loads(gzip.decompress(data))["traceEvents"]
    on_gpu = [event for event in events if event.get("cat") in GPU]
    on_threads = [event for event in events if event.get("cat") in HOST]

    host = read(data)

    assert sum(len(device.start_ns) for device in host.devices) == len(on_gpu)
    assert len(host.events.start_ns) == len(on_threads)
    for device in host.devices:
        mine = [event for event in on_gpu if event["args"]["device"] == device.ordinal]
        spent = sum(event["dur"] for event in mine)
        assert float((device.end_ns - device.start_ns).sum()) == pytest.approx(1000 * spent, abs=1)
        kernels = Counter(event["name"] for event in mine if event["cat"] in ("kernel", "Kernel"))
        rows = np.isin(device.role, (Role.KERNEL, Role.COLLECTIVE))
        assert Counter(device.names[code] for code in device.name[rows].tolist()) == kernels
        launches = {event["args"].get("correlation") for event in on_threads if event["cat"] in RUNTIME}
        launched = sum(event["args"]["correlation"] in launches for event in mine)
        assert int((device.launch >= 0).sum()) == launched
    steps = [event for event in on_threads if event["name"].startswith("ProfilerStep#")]
    assert int((host.events.step_num >= 0).sum()) == len(steps)
    waits = [event for event in on_threads if event["name"].startswith("enumerate(DataLoader)")]
    assert int((host.events.role == HostRole.INPUT_WAIT).sum()) == len(waits)
    parent = np.asarray(host.events.parent)
    inner = parent >= 0
    assert (host.events.end_ns[inner] <= host.events.end_ns[parent[inner]]).all()
    assert (host.events.start_ns[inner] >= host.events.start_ns[parent[inner]]).all()
