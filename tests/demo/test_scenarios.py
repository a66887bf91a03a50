"""Every scenario is written, can be read by TensorFlow and XProf, and shows the effect of its one cause."""

import json
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest

from demo.build import RUN, main, scenario_names, training
from demo.formats import OTHERS
from demo.reports import demo_logdir
from demo.simulator import Simulation, simulate

READ_WITH_TENSORFLOW = """
import json, sys
from tensorflow.tsl.profiler.protobuf import xplane_pb2
answer = {}
for path in sys.argv[1:]:
    space = xplane_pb2.XSpace.FromString(open(path, "rb").read())
    answer[path] = {plane.name: sum(len(line.events) for line in plane.lines) for plane in space.planes}
print(json.dumps(answer))
"""
READ_WITH_XPROF = """
import json, sys
from pathlib import Path
from xprof.convert.raw_to_tool_data import xspace_to_tool_data
answer = {}
for folder in map(Path, sys.argv[1:]):
    paths = [str(path) for path in folder.glob("*.xplane.pb")]
    options = {"trace_viewer_options": {"resolution": 8000}}
    trace = json.loads(xspace_to_tool_data(paths, "trace_viewer@", options)[0])
    overview = json.loads(xspace_to_tool_data(paths, "overview_page", {})[0])
    numbers = {key: value for table in overview for key, value in table.get("p", {}).items()}
    answer[folder.name] = [len(trace["traceEvents"]), float(numbers["steptime_ms_average"])]
print(json.dumps(answer))
"""


def ask(script: str, *arguments: str) -> dict[str, object]:
    """What a script prints as JSON in a process of its own."""
    command = [sys.executable, "-c", script, *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(answer.stdout.strip().splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def logdir() -> Path:
    """The folder of all demo runs, as reports on them are made from."""
    (folder,) = {demo_logdir(name) for name in scenario_names()}
    return Path(folder)


@cache
def simulation(name: str) -> Simulation:
    return simulate(training(name))


def busy_ratio(name: str) -> float:
    """Share of time in which the least busy GPU works, over the complete steps."""
    truth = simulation(name).truth
    steps = [step for step in truth.steps["worker0"] if step.number in truth.complete]
    ratios = []
    for gpu in steps[0].gpus:
        pairs = pairwise(steps)
        periods = [after.gpus[gpu].start_ns - before.gpus[gpu].start_ns for before, after in pairs]
        ratios.append(mean(step.gpus[gpu].busy_ns for step in steps) / mean(periods))
    return min(ratios)


def test_all_files_lie_where_tensorboard_looks_for_them(logdir: Path) -> None:
    files = [path.relative_to(logdir).as_posix() for path in sorted(logdir.rglob("*.xplane.pb"))]

    assert files == [
        f"{name}/plugins/profile/{RUN}/worker{number}.xplane.pb"
        for name in scenario_names()
        if name not in OTHERS
        for number in range(training(name).recorded_hosts or training(name).hosts)
    ]
    assert all((logdir / path).stat().st_size < 1_400_000 for path in files)


def test_only_builds_the_named_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--only", "idle_gpus"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["idle_gpus"]
    assert capsys.readouterr().out.strip().endswith("worker0.xplane.pb")


@pytest.mark.slow
def test_tensorflow_reads_every_scenario(logdir: Path) -> None:
    pytest.importorskip("tensorflow")
    paths = [str(path) for path in logdir.rglob("*.xplane.pb")]
    for path, planes in ask(READ_WITH_TENSORFLOW, *paths).items():
        assert isinstance(planes, dict)
        assert planes["/host:CPU"] > 0, path
        recorded = sum(count for name, count in planes.items() if name.startswith("/device:GPU:"))
        assert (recorded == 0) == any(name in path for name in ("no_device_events", "gpu_not_used")), path


@pytest.mark.slow
def test_xprof_opens_the_trace_and_finds_steps(logdir: Path, tmp_path: Path) -> None:
    pytest.importorskip("xprof")
    names = (
        "healthy_single_gpu",
        "gpu_stagger",
        "excessive_memcpy",
        "iterator_outside_step",
        "d2d_copies",
        "slow_host",
    )
    for name in names:
        # XProf writes caches beside its input, so it gets folders of its own.
        folder = tmp_path / name
        folder.mkdir()
        for path in (logdir / name).rglob("*.xplane.pb"):
            (folder / path.name).symlink_to(path)
    answer = ask(READ_WITH_XPROF, *(str(tmp_path / name) for name in names))

    for name in names:
        found = answer[name]
        assert isinstance(found, list)
        trace_events, step_ms = found
        assert trace_events > 1_000, name
        assert step_ms > 1, name


@pytest.mark.parametrize("name", ["healthy_single_gpu", "healthy_four_gpus", "healthy_four_hosts"])
def test_healthy_trainings_keep_every_gpu_busy(name: str) -> None:
    assert busy_ratio(name) > 0.95
    truth = simulation(name).truth
    assert len(truth.complete) >= 5
    capacity = training(name).device.memory_bytes
    assert all(0.7 < peak / capacity < 0.95 for peak in truth.peak_bytes.values())


@pytest.mark.parametrize("name", ["healthy_four_hosts", "slow_host"])
def test_wall_clocks_of_hosts_are_off_by_milliseconds(name: str) -> None:
    clocks = training(name).clocks
    assert max(clocks.errors_ns) - min(clocks.errors_ns) > 3_000_000
    assert len(set(simulation(name).truth.clock_offsets_ns.values())) == 4
