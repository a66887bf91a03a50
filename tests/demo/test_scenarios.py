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
from tests.demo.reading import events

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


def exposed_ratios(name: str) -> dict[str, float]:
    """What no compute hides, as shares of a step, averaged over steps and GPUs; waiting before transfer."""
    found = simulation(name)
    truth = found.truth
    totals = dict.fromkeys(("wait", "transfer", "copy", "idle"), 0)
    whole = 0
    for host, offset_ns in truth.clock_offsets_ns.items():
        for gpu in truth.steps[host][0].gpus:
            starts = {step.number: step.gpus[gpu].start_ns + offset_ns for step in truth.steps[host]}
            limits = starts[truth.complete[0]], starts[truth.complete[-1]]
            kinds: dict[str, list[tuple[int, int]]] = {"compute": [], "wait": [], "transfer": [], "copy": []}
            for row in events(found, host, f"/device:GPU:{gpu}"):
                span = row.start_ps // 1000 + offset_ns, row.end_ps // 1000 + offset_ns
                if row.name == "MemcpyP2P":
                    kinds["copy"].append(span)
                elif "kernel_details" in row.stats and "ccl" not in row.name:
                    kinds["compute"].append(span)
            for item in truth.collectives:
                if (host, gpu) in item.arrivals_ns:
                    ready_ns = item.end_ns - item.transfer_ns
                    kinds["wait"].append((item.arrivals_ns[host, gpu], ready_ns))
                    kinds["transfer"].append((ready_ns, item.end_ns))
            covered: list[tuple[int, int]] = []
            reached = 0
            for kind in ("compute", "transfer", "wait", "copy"):
                covered += kinds[kind]
                before, reached = reached, union_ns(covered, limits)
                if kind != "compute":
                    totals[kind] += reached - before
            totals["idle"] += limits[1] - limits[0] - reached
            whole += limits[1] - limits[0]
    return {kind: total / whole for kind, total in totals.items()}


def union_ns(spans: list[tuple[int, int]], limits: tuple[int, int]) -> int:
    total = 0
    reached = limits[0]
    for begin, end in sorted(spans):
        total += max(0, min(end, limits[1]) - max(begin, reached))
        reached = max(reached, min(end, limits[1]))
    return total


def test_all_files_lie_where_tensorboard_looks_for_them(logdir: Path) -> None:
    files = [path.relative_to(logdir).as_posix() for path in sorted(logdir.rglob("*.xplane.pb"))]

    assert files == [
        f"{name}/plugins/profile/{RUN}/worker{number}.xplane.pb"
        for name in scenario_names()
        if name not in OTHERS
        for number in range(training(name).recorded_hosts or training(name).hosts)
    ]
    assert all((logdir / path).stat().st_size < 1_400_000 for path in files)


def test_every_scenario_says_what_is_wrong() -> None:
    for name in scenario_names():
        module = sys.modules[f"demo.scenarios.{name}"] if training(name) else None
        assert module is not None
        assert (module.__doc__ or "").strip(), name


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


@pytest.mark.parametrize(
    ("name", "highest"),
    [("input_bound", 0.75), ("step_gaps", 0.75), ("kernel_launch_bound", 0.5), ("gpus_run_serially", 0.5)],
)
def test_a_starved_gpu_idles(name: str, highest: float) -> None:
    assert busy_ratio(name) < highest


def test_staggered_gpus_start_in_order_and_far_apart() -> None:
    truth = simulation("gpu_stagger").truth
    for step in truth.steps["worker0"]:
        starts = [step.gpus[gpu].start_ns for gpu in range(4)]
        assert starts == sorted(starts)
        assert starts[3] - starts[0] > 0.2 * (step.end_ns - step.begin_ns)


def test_the_loaded_replica_computes_longer_and_starts_with_the_others() -> None:
    truth = simulation("replica_imbalance").truth
    for step in truth.steps["worker0"][2:]:
        computed = [step.gpus[gpu].compute_ns for gpu in range(4)]
        assert computed[0] > 1.2 * max(computed[1:])
        starts = [step.gpus[gpu].start_ns for gpu in range(4)]
        assert max(starts) - min(starts) < 0.02 * (step.end_ns - step.begin_ns)


def test_gpus_that_take_turns_never_compute_together() -> None:
    truth = simulation("gpus_run_serially").truth
    for step in truth.steps["worker0"]:
        spans = sorted((gpu.start_ns, gpu.end_ns) for gpu in step.gpus.values())
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_the_short_capture_holds_fewer_than_three_complete_steps() -> None:
    assert 1 <= len(simulation("too_few_steps").truth.complete) < 3


def test_the_first_captured_step_of_a_warm_up_is_far_longer() -> None:
    steps = simulation("warm_up_captured").truth.steps["worker0"]
    assert steps[0].number == 0
    assert steps[0].end_ns - steps[0].begin_ns > 4 * (steps[3].end_ns - steps[3].begin_ns)


def test_the_overfull_collector_warns_and_keeps_what_fits(logdir: Path) -> None:
    data = next((logdir / "events_dropped").rglob("*.xplane.pb")).read_bytes()
    assert b"events dropped because total device(activity) events reaches max" in data


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("allreduce_slow", "transfer"),
        ("allreduce_exposed", "transfer"),
        ("allreduce_fragmented", "transfer"),
        ("allreduce_wait", "wait"),
        ("d2d_copies", "copy"),
        ("slow_host", "wait"),
    ],
)
def test_what_is_wrong_between_gpus_costs_a_fifth_of_the_step_and_the_rest_is_well(
    name: str, cause: str
) -> None:
    ratios = exposed_ratios(name)
    assert ratios.pop(cause) > 0.195
    assert max(ratios.values()) < 0.03, ratios
    capacity = training(name).device.memory_bytes
    assert all(0.7 < peak / capacity < 0.95 for peak in simulation(name).truth.peak_bytes.values())


@pytest.mark.parametrize("name", ["healthy_four_gpus", "healthy_four_hosts"])
def test_nothing_between_healthy_gpus_costs_anything_to_speak_of(name: str) -> None:
    assert max(exposed_ratios(name).values()) < 0.03


def test_exposed_gradients_travel_at_full_speed_in_few_calls() -> None:
    truth = simulation("allreduce_exposed").truth
    device = training("allreduce_exposed").device
    for item in truth.collectives:
        bus_gbps = 1.5 * item.payload_bytes / item.transfer_ns
        assert bus_gbps > 0.95 * device.bus_gbps


def test_fragments_cost_their_calls_not_their_bytes() -> None:
    truth = simulation("allreduce_fragmented").truth
    device = training("allreduce_fragmented").device
    step = [item for item in truth.collectives if item.step == truth.complete[0]]
    moving_ns = sum(1.5 * item.payload_bytes / device.bus_gbps for item in step)

    assert len(step) >= 200
    assert moving_ns < 0.1 * sum(item.transfer_ns for item in step)


def test_each_gpu_is_the_last_one_in_some_step() -> None:
    truth = simulation("allreduce_wait").truth
    last = {
        max(item.arrivals_ns, key=lambda key: item.arrivals_ns[key])
        for item in truth.collectives
        if item.step in truth.complete
    }
    assert len(last) == 4


def test_only_the_slow_host_comes_last() -> None:
    truth = simulation("slow_host").truth
    last = {
        max(item.arrivals_ns, key=lambda key: item.arrivals_ns[key])[0]
        for item in truth.collectives
        if item.step in truth.complete
    }
    assert last == {"worker2"}


@pytest.mark.parametrize("name", ["healthy_four_hosts", "slow_host"])
def test_wall_clocks_of_hosts_are_off_by_milliseconds(name: str) -> None:
    clocks = training(name).clocks
    assert max(clocks.errors_ns) - min(clocks.errors_ns) > 3_000_000
    assert len(set(simulation(name).truth.clock_offsets_ns.values())) == 4
