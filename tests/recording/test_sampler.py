"""What watches the machine beside a training: real processes, and machines that are made up."""

from __future__ import annotations

import errno
import getpass
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import psutil
import pytest
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

from tests.processes import tfperf
from tfperf_plugin import cli
from tfperf_plugin.analysis.artifacts.machine.activity import Activity, finish
from tfperf_plugin.recording.launch import REQUEST
from tfperf_plugin.recording.resources import MAX_BYTES, Recorded, Resources, Series, from_json
from tfperf_plugin.recording.sampler import gpus, run, sources, start
from tfperf_plugin.recording.sampler.kept import Kept
from tfperf_plugin.recording.sampler.run import Sampler, until_end
from tfperf_plugin.recording.sampler.sources import Group, Training
from tfperf_plugin.recording.sampler.summaries import FOLDER, Summaries

MIB = 1 << 20
GROWS = f"""
import time
kept = []
for _ in range(10):
    kept.append(bytearray({10 * MIB}))
    until = time.monotonic() + 0.08
    while time.monotonic() < until:
        pass
"""
PAUSES = """
import os, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for number in range(3):
    if number:
        time.sleep(3)
    until = time.monotonic() + 1.2
    while time.monotonic() < until:
        pass
"""
"""Stands twice, and may use one processor."""
WATCHED = """
import os, sys, time
place, until = sys.argv[1], time.monotonic() + 60
while time.monotonic() < until:
    if os.path.isdir(place):
        name = f"-{os.stat(place).st_dev}-{os.stat(place).st_ino}"
        if any(line.rstrip().endswith(name) for line in open("/proc/net/unix")):
            break
until = time.monotonic() + 0.5
while time.monotonic() < until:
    pass
os.kill(os.getpid(), 9)
"""
"""Ends by a signal half a second after it is watched."""


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asks as often as it can."""
    for name, value in {"DEAR_S": 0.1, "BUDGET_RATIO": 9.0, "DEAR_RATIO": 4.0}.items():
        monkeypatch.setattr(run, name, value)
    monkeypatch.setattr(sources, "WALK_S", 0.1)


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def written(place: Path) -> Resources:
    (path,) = place.iterdir()
    return from_json("host", path.read_bytes())


@pytest.mark.usefixtures("often")
def test_a_training_that_computes_and_grows(tmp_path: Path) -> None:
    began_ns = time.time_ns()
    with subprocess.Popen([sys.executable, "-c", GROWS]) as process:
        Sampler(process.pid, tmp_path).run(until_end(process.pid))
    found = written(tmp_path)
    series = {one.name: one for one in found.series}

    assert not found.problems
    assert began_ns <= found.begin_ns <= found.begin_ns + int(found.end_ns[-1]) <= time.time_ns()
    at_work, memory = series["processors.training"], series["memory.training"]
    assert 0.1 < at_work.high.max() <= 1.5  # one thread; ticks of 10 ms are coarse
    assert at_work.limit and 0 < at_work.limit <= (os.cpu_count() or 1)
    assert 0 < series["processors.busy"].high.max() <= 1
    assert 100 * MIB < memory.high.max() < 300 * MIB
    assert memory.mean.max() - memory.mean[0] > 40 * MIB  # the last row may see it end
    assert series["memory.available"].high.max() < psutil.virtual_memory().total
    content = next(tmp_path.iterdir()).read_text()
    for private in (getpass.getuser(), "python", sys.executable, "127.0.0.1", str(tmp_path)):
        assert f'"{private}' not in content and f"{private}/" not in content


@pytest.mark.usefixtures("often")
def test_pauses_of_a_training_on_one_processor_are_found(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PAUSES]) as process:
        Sampler(process.pid, tmp_path).run(until_end(process.pid))
    host = written(tmp_path)

    activity = finish(Recorded((host,), (host.begin_ns, host.begin_ns + 10**9), 100))

    assert isinstance(activity, Activity)
    # A row in which a pause begins or ends counts as steps.
    assert [1.5e9 < pause.idle_ns < 3.2e9 for pause in activity.pauses] == [True, True]
    at_work = host.one("processors.training")
    assert at_work and at_work.limit == (1 if hasattr(os, "sched_setaffinity") else os.cpu_count())


@pytest.mark.usefixtures("often")
def test_a_training_that_is_killed_leaves_a_file(tmp_path: Path, child: subprocess.Popen[bytes]) -> None:
    waits, asked = until_end(child.pid), iter((False, False, True))

    def wait(seconds: float) -> bool:
        if next(asked):
            child.kill()
            return waits(60)
        return waits(seconds)

    Sampler(child.pid, tmp_path).run(wait)

    found = written(tmp_path)
    assert len(found) == 3
    memory = found.one("memory.training")
    assert memory and memory.low.min() > MIB  # also in the row in which it ended


def test_only_one_watches_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one, other = run._only_one(tmp_path), run._only_one(tmp_path / "other")
    with one, other, pytest.raises(OSError, match="in use"), run._only_one(tmp_path):
        pass
    with run._only_one(tmp_path):
        pass


def test_ends_when_its_folder_is_gone(
    tmp_path: Path, child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "EVERY_S", 0.001)
    place = tmp_path / "gone"
    place.mkdir()
    sampler = Sampler(child.pid, place)
    shutil.rmtree(place)

    sampler.run(until_end(child.pid))

    assert child.poll() is None
    assert not place.exists()


def test_a_full_disk_keeps_the_file_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = Sampler(os.getpid(), tmp_path)
    sampler.sample(dear=True)
    assert sampler.write()
    (before,) = tmp_path.iterdir()
    content = before.read_bytes()

    def full(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    sampler.sample(dear=True)
    assert sampler.write()  # it goes on

    assert [path.read_bytes() for path in tmp_path.iterdir()] == [content]


@pytest.mark.parametrize(
    ("cheap_s", "dear_s", "write_s"), [(1e-5, 1e-4, 1e-3), (0.005, 0.01, 0.02), (0.1, 5.0, 1.0)]
)
def test_asks_less_often_where_it_costs_more(
    tmp_path: Path, cheap_s: float, dear_s: float, write_s: float
) -> None:
    sampler = Sampler(os.getpid(), tmp_path)
    costs = {sampler.cheap_cost: cheap_s, sampler.dear_cost: dear_s, sampler.write_cost: write_s}
    for cost, seconds in costs.items():
        cost.mean_s = seconds

    often = (sampler.every_s(), sampler.dear_every_s(), sampler.write_every_s())
    assert sum(cost / each for cost, each in zip(costs.values(), often, strict=True)) <= 0.004 + 1e-9
    assert often >= (0.1, 1.0, 30.0)
    assert (often[0] == 0.1) == (cheap_s < 1e-4)


def test_rows_merge_and_keep_their_extremes() -> None:
    names = ("memory.training", "memory.available", "disk.read", "disk.written", "network.in", "network.out")
    keys = [(name, "") for name in names]
    keys += [(name, str(of)) for of in range(4) for name in ("gpu.memory", "gpu.power", "gpu.clock")]
    kept, random = Kept(keys), np.random.default_rng(1)
    values = random.uniform(1e3, 1e9, (12_000, len(keys)))
    for row, of in enumerate(values):
        kept.add((row + 1) * 10**8, dict(zip(keys, of.tolist(), strict=True)))
        kept.fill({})
    data = kept.file("host", 10**18, {}, ())
    found = from_json("host", data)

    assert MAX_BYTES / 4 < len(data) <= MAX_BYTES
    assert found.end_ns[-1] == 12_000 * 10**8
    for series, of in zip(found.series, values.T, strict=True):
        mean = np.average(series.mean, weights=found.took_ns())
        assert mean == pytest.approx(of.mean(), rel=1e-3)
        assert series.low.min() == pytest.approx(of.min(), rel=1e-3)
        assert series.high.max() == pytest.approx(of.max(), rel=1e-3)


class Nvml:
    """Answers as NVIDIA's library does, of three GPUs."""

    class NVMLError(Exception):
        """As the library raises it."""

    def __init__(self, pids: dict[int, list[int]]) -> None:
        self.pids = pids

    def __getattr__(self, name: str) -> Callable[..., Any]:
        answers: dict[str, Callable[..., Any]] = {
            "nvmlDeviceGetCount": lambda: 3,
            "nvmlDeviceGetUtilizationRates": lambda gpu: SimpleNamespace(gpu=10 * gpu),
            "nvmlDeviceGetMemoryInfo": lambda gpu: SimpleNamespace(used=gpu * MIB, total=80 * MIB),
            "nvmlDeviceGetClockInfo": lambda gpu, clock: 1000 + gpu,
            "nvmlDeviceGetMaxClockInfo": lambda gpu, clock: 1410,
            "nvmlDeviceGetEnforcedPowerLimit": lambda gpu: 400_000,
            "nvmlDeviceGetTemperature": lambda gpu, sensor: 60,
            "nvmlDeviceGetTemperatureThreshold": lambda gpu, kind: 90,
            "nvmlDeviceGetCurrentClocksThrottleReasons": lambda gpu: (0x1, 0x4, 0x44)[gpu],
            "nvmlDeviceGetComputeRunningProcesses": lambda gpu: [
                SimpleNamespace(pid=pid) for pid in self.pids.get(gpu, [])
            ],
        }
        if name in answers:
            return answers[name]
        if name == "nvmlDeviceGetCurrentClocksEventReasons":  # younger than this library
            raise AttributeError(name)
        return self._refuse

    def _refuse(self, *_: object) -> NoReturn:
        raise self.NVMLError("Not Supported")

    def nvmlDeviceGetHandleByIndex(self, number: int) -> int:  # noqa: N802 - its name
        if number > 2:
            raise self.NVMLError("Invalid Argument")
        return number

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> int:  # noqa: N802 - its name
        return 2 if uuid == "GPU-two" else self._refuse()


@pytest.mark.parametrize(
    ("variable", "expected"),
    [(None, [0, 1, 2]), ("2,0", [2, 0]), ("GPU-two", [2]), ("1,7,0", [1]), ("", []), ("-1", [])],
)
def test_gpus_have_the_numbers_that_the_training_sees(
    monkeypatch: pytest.MonkeyPatch, variable: str | None, expected: list[int]
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if variable is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", variable)
    assert gpus.visible(Nvml({})) == expected


def test_what_gpus_say_and_what_they_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,1")
    found = gpus.Gpus(Nvml({}))
    values = found.read()

    assert values["gpu.busy", "0"] == 0.2 and values["gpu.busy", "1"] == 0.1
    assert values["gpu.clock", "0"] == 1.002e9 and found.limits["gpu.clock", "0"] == 1.41e9
    slowed = [values[f"gpu.slowed_by_{why}", of] for of in "01" for why in ("heat", "power", "brake")]
    assert slowed == [1, 1, 0, 0, 1, 0]
    assert ("gpu.power", "0") not in values
    assert found.lacks == ["Power of GPU 0: Not Supported.", "Power of GPU 1: Not Supported."]


def test_others_on_a_gpu_are_told_where_the_training_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    own = os.getppid()
    training = Training(own)
    training.processes()
    others = gpus.Others(Nvml({0: [own, 10**7, 10**7 + 1], 1: [10**7]}), training)

    assert others.read() == {("gpu.others", "0"): 2, ("gpu.others", "1"): 0, ("gpu.others", "2"): 0}
    assert others.ours == {"0"}


def group_of(tmp_path: Path, line: str, files: dict[str, str]) -> Group:
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text(line)
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Group(7, tmp_path / "groups", tmp_path / "proc")


def test_the_lowest_quota_of_version_2(tmp_path: Path) -> None:
    group = group_of(
        tmp_path,
        "0::/a/b\n",
        {
            "cgroup.controllers": "cpu memory",
            "a/cpu.max": "150000 100000",
            "a/cpu.stat": "usage_usec 9000000\nnr_throttled 3\nthrottled_usec 500000\n",
            "a/memory.max": "2147483648",
            "a/b/cpu.max": "max 100000",
            "a/b/memory.max": "max",
        },
    )
    assert (group.quota, group.memory) == (1.5, 2 << 30)
    assert group.counters() == {"used": 9.0, "stopped": 0.5}


def test_a_quota_of_version_1(tmp_path: Path) -> None:
    group = group_of(
        tmp_path,
        "4:memory:/job\n3:cpu,cpuacct:/job\n",
        {
            "cpu/job/cpu.cfs_quota_us": "50000",
            "cpu/job/cpu.cfs_period_us": "100000",
            "cpu/job/cpu.stat": "nr_throttled 3\nthrottled_time 2000000000\n",
            "cpuacct/job/cpuacct.usage": "7000000000",
            "memory/job/memory.limit_in_bytes": "9223372036854771712",
        },
    )
    assert (group.quota, group.memory) == (0.5, None)
    assert group.counters() == {"used": 7.0, "stopped": 2.0}


def test_a_group_without_limits(tmp_path: Path) -> None:
    group = group_of(tmp_path, "0::/\n", {"cgroup.controllers": ""})
    assert (group.quota, group.memory, group.counters()) == (None, None, {})


@pytest.mark.parametrize("command", ["record", "watch"])
def test_a_command_is_watched_until_it_is_killed(tmp_path: Path, command: str) -> None:
    place = tmp_path / "logs/plugins/diagnostics"
    program = ["--", sys.executable, "-c", WATCHED, str(place)]
    done = tfperf(command, "--summaries", *program, folder=tmp_path)
    assert done.returncode == -9
    assert (command == "record") == bool(done.stderr)
    until = time.monotonic() + 30
    while time.monotonic() < until and any(watches(each, tmp_path) for each in psutil.process_iter()):
        pass
    found = written(place)
    assert len(found) >= 2 and found.one("processors.training")
    (point,) = points(tmp_path / "logs")
    assert {series.name for series in found.series} == {
        value.tag.split("/")[1] for value in point.summary.value
    }


def points(logdir: Path) -> list[Any]:
    """The events that TensorBoard reads of the machine's scalars."""
    (path,) = (logdir / FOLDER).iterdir()
    return [event for event in LegacyEventFileLoader(str(path)).Load() if event.summary.value]


def test_scalars_hold_the_mean_of_each_ten_seconds(tmp_path: Path) -> None:
    summaries = Summaries(tmp_path)
    end_ns = np.arange(1, 26) * 10**9
    rows = np.arange(25, dtype=np.float64)

    def until(second: int) -> Resources:
        read = Series("disk.read", rows[:second], rows[:second], rows[:second], "sda")
        return Resources("host", 10**18, end_ns[:second], (read,))

    for second in (5, 12, 25):
        summaries.add(until(second), last=second == 25)

    found = points(tmp_path)
    assert [(event.step, event.wall_time) for event in found] == [(s, 1e9 + s) for s in (10, 20, 25)]
    assert [event.summary.value[0].simple_value for event in found] == [4.5, 14.5, 22.0]
    value = found[0].summary.value[0]
    assert (value.tag, value.metadata.display_name) == ("machine/disk.read/sda", "Read · sda, bytes/s")


def watches(process: psutil.Process, folder: Path) -> bool:
    try:
        return str(folder / "logs") in process.cmdline()
    except psutil.Error:
        return False


def test_tfperf_watch_needs_something_to_watch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["watch", "--out", str(tmp_path), "--", "99999999"]) == 2
    assert cli.main(["watch", "--out", str(tmp_path), "--", "nosuch"]) == 2
    assert cli.main(["watch", "--out", "gs://bucket", "--", "1"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "tfperf: There is no process 99999999.",
        "tfperf: nosuch cannot be started: it is no program.",
        "tfperf: tfperf watch needs Linux or macOS, and a folder on a local disk.",
    ]


def test_a_training_starts_none_where_tfperf_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(start, "start", lambda pid, folder: asked.append(folder))
    start.start_in_training("logs")
    monkeypatch.setenv(REQUEST, "{}")
    start.start_in_training("more")
    assert asked == ["logs"]
