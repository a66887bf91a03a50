"""Workers: limited, stoppable, never a hang, and gone with their parent."""

from __future__ import annotations

import io
import re
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from tests.conftest import REPOSITORY
from tests.execution.tasks import (
    LONG_S,
    ROOM,
    allocate,
    break_inside,
    burn,
    burn_apart,
    die,
    double,
    fail,
    fail_oddly,
    interrupt,
    lack_memory_for_a_lock,
    lack_memory_in_ctypes,
    lack_memory_in_numpy,
    lie,
    limit_apart,
    silent,
    sleep,
    spend,
    talk,
)
from tests.logdirs import many_hosts
from tests.processes import gone, processor_s
from tfperf_plugin import cli
from tfperf_plugin.errors import BadOptionError, Canceled, OutOfTime, UnreadableInput
from tfperf_plugin.execution import limits, process
from tfperf_plugin.execution import pool as workers
from tfperf_plugin.execution.analyze import Analysis, Progress, analyze_run
from tfperf_plugin.execution.limits import TimeUp, limited, timed
from tfperf_plugin.execution.pool import (
    Budget,
    HostPool,
    IsolatedAnalyzer,
    analyze_here,
    plan,
    run_limit,
)
from tfperf_plugin.execution.process import WorkerLost
from tfperf_plugin.readers.logdirs import files, finding
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.recording import machine
from tfperf_plugin.report.options import Options
from tfperf_plugin.tensorboard.jobs import WORKERS, ReportService, Running

TASKS = "tests.execution.tasks"


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    (found,) = finding.find_runs(str(many_hosts(tmp_path_factory.mktemp("many"), 3, steps=4)))
    return found


@pytest.fixture(scope="module")
def pool() -> Iterator[HostPool]:
    """One worker, which takes a second to start."""
    with HostPool(1, ROOM, TASKS) as found:
        yield found


def test_a_pool_says_what_one_process_says(run: Run) -> None:
    found = analyze_here(run, Options(), silent, jobs=2)

    assert replace(found.report, timing=()) == replace(analyze_run(run).report, timing=())


@pytest.mark.parametrize(
    "work",
    [allocate, lack_memory_in_ctypes, lack_memory_in_numpy, lack_memory_for_a_lock],
    ids=lambda work: work.__name__,
)
def test_a_lack_of_memory_is_one_however_it_is_told_and_the_worker_goes_on(
    pool: HostPool, work: Callable[[int], object]
) -> None:
    with pytest.raises(MemoryError):
        pool.submit(work, 2 * ROOM).result(LONG_S)
    assert pool.submit(allocate, 1000).result(LONG_S) == 1000


@pytest.mark.parametrize("work", [break_inside, interrupt], ids=lambda work: work.__name__)
def test_a_worker_whose_interpreter_breaks_is_lost_at_once(
    pool: HostPool, work: Callable[[int], None]
) -> None:
    with pytest.raises(WorkerLost, match="exit code 1"):
        pool.submit(work, 1).result(LONG_S)
    assert pool.submit(double, 4).result(LONG_S) == 8


def test_who_uses_up_the_time_is_ended_and_replaced() -> None:
    with HostPool(1, ROOM, TASKS, time_limit_s=1) as pool:
        with pytest.raises(TimeUp) as caught:
            pool.submit(burn, 1).result(LONG_S)
        assert caught.value.limit_s == 1
        assert pool.submit(double, 4).result(LONG_S) == 8


def test_both_passes_over_a_host_share_its_time() -> None:
    with HostPool(1, ROOM, TASKS, time_limit_s=3) as pool:
        pool.submit(spend, 1, 2.2).result(LONG_S)
        pool.submit(spend, 2, 2.2).result(LONG_S)  # another host
        with pytest.raises(TimeUp):
            pool.submit(spend, 1, 2.2).result(LONG_S)


def test_a_host_that_takes_too_long_is_named(run: Run) -> None:
    sentence = (
        r"host worker000 was stopped: it took more than 1 s of processor time a host\. Capture fewer steps, "
        r"or allow more time: TFPERF_TIME_LIMIT for the tab, --time-limit for tfperf report\.$"
    )
    with HostPool(1, ROOM, TASKS, time_limit_s=1) as pool, pytest.raises(OutOfTime, match=sentence):
        analyze_run(run, Options(), silent, Instead(pool, burn, 1))


def test_time_is_limited_in_this_process_too(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = resource.getrlimit(resource.RLIMIT_CPU), signal.getsignal(signal.SIGXCPU)
    monkeypatch.setattr(workers, "analyze_run", lambda *_, **__: burn(0))
    folder = str(run.path.parent.parent.parent)

    assert cli.main(["report", folder, "--no-cache", "--time-limit", "1"]) == 2

    sentence = f"was stopped: it took more than {run_limit(run, 1)} s of processor time. Capture"
    assert sentence in capsys.readouterr().err
    assert (resource.getrlimit(resource.RLIMIT_CPU), signal.getsignal(signal.SIGXCPU)) == before


@pytest.mark.parametrize(("own_s", "within_s"), [(1000, 1000), (100_000, 5000)], ids=["lower", "higher"])
def test_a_limit_of_time_that_the_process_has_stays(own_s: int, within_s: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used_s = int(time.process_time())
    own = used_s + own_s, hard
    resource.setrlimit(resource.RLIMIT_CPU, own)
    try:
        with timed(5000):
            within = resource.getrlimit(resource.RLIMIT_CPU)
        after = resource.getrlimit(resource.RLIMIT_CPU)
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))

    assert used_s + within_s <= within[0] < used_s + within_s + 10
    assert after == own


def test_threads_that_take_too_long_are_left_behind(run: Run) -> None:
    script = f"""
import sys
from tests.execution.tasks import burn
from tfperf_plugin import cli
from tfperf_plugin.arrays.threads import WORTH_BYTES, each
from tfperf_plugin.execution import pool

pool.analyze_run = lambda *_, **__: each(burn, [0, 1], WORTH_BYTES)
sys.exit(cli.main(["report", {str(run.path.parent.parent.parent)!r}, "--no-cache", "--time-limit", "1"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, timeout=LONG_S
    )

    assert done.returncode == 2
    assert re.fullmatch(r"tfperf: The analysis .* was stopped: it took more than \d s of .*\n", done.stderr)


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "forever", "9" * 30])
def test_a_time_limit_that_makes_no_sense_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("TFPERF_TIME_LIMIT", text)
    for analyze in (analyze_here, IsolatedAnalyzer()):
        with pytest.raises(BadOptionError, match="TFPERF_TIME_LIMIT must be a whole number of seconds"):
            analyze(run, Options(), silent)


def test_hostile_runs_do_not_keep_the_tab_from_others(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there are workers, each of which would go on without end."""
    monkeypatch.setenv("TFPERF_TIME_LIMIT", "1")
    monkeypatch.setattr(workers, "__name__", TASKS)
    monkeypatch.setattr(workers, "analyze_apart", burn_apart)
    apart, hostile = IsolatedAnalyzer(), replace(run, hosts=run.hosts[:1])

    def build(asked: Run, options: Options, progress: Progress) -> Analysis:
        return (apart if asked == hostile else analyze_run)(asked, options, progress)

    service = ReportService(build)
    options = [Options(parameters=number + 1) for number in range(WORKERS)]
    for each in options:
        service.request(hostile, each, 0)
    honest = service.request(run, Options(), LONG_S)
    assert not isinstance(honest, Running) and honest.run == run.name

    for each in options:
        for _ in range(2):  # asking again starts nothing
            with pytest.raises(Canceled, match="more than 1 s of processor time a host"):
                service.request(hostile, each, LONG_S)
    assert not apart.working


def test_hosts_that_take_too_long_do_not_add_up(run: Run) -> None:
    """Each host of 64 may take 2 s, but all together hardly more: their files are small. Of 4 s, two calls of
    0.9 s are within, even where a worker takes two seconds to start. The fifth call may end in time, as it
    gets whole seconds; the sixth never does."""
    many = replace(run, hosts=run.hosts[:1] * 64)

    assert run_limit(replace(run, hosts=run.hosts[:1]), 2) == 2
    assert run_limit(many, 2) < 2 + 64
    pool = HostPool(1, ROOM, TASKS, time_limit_s=4, total_s=4)
    try:
        calls = [pool.submit(spend, number, 0.9) for number in range(6)]
        late = calls[-1].exception(LONG_S)
    finally:
        pool.shutdown()
    assert [call.exception() for call in calls[:2]] == [None, None]
    assert isinstance(late, TimeUp) and (late.limit_s, late.each) == (4, " for all hosts")


def test_errors_keep_their_type_and_say_where(pool: HostPool) -> None:
    with pytest.raises(ValueError, match="odd") as caught:
        pool.submit(fail, 1).result(LONG_S)
    assert "in fail" in str(caught.value.__cause__)


def test_other_errors_say_what_they_were(pool: HostPool) -> None:
    with pytest.raises(RuntimeError, match="Odd: unheard of"):
        pool.submit(fail_oddly, 1).result(LONG_S)
    with pytest.raises(WorkerLost, match=r"not understood.*Expected `int`, got `str`"):
        pool.submit(lie, 1).result(LONG_S)
    with pytest.raises(RuntimeError, match=r"BadMessage.*Expected `int`, got `str`"):
        pool.submit(double, "two").result(LONG_S)
    with pytest.raises(TypeError, match="cannot be sent"):
        pool.submit(double, object()).result(LONG_S)


def test_what_is_printed_does_not_get_among_the_answers(pool: HostPool) -> None:
    assert [pool.submit(talk, n).result(LONG_S) for n in range(3)] == [0, 1, 2]


class Instead(Executor):
    """Has the pool do something else."""

    def __init__(self, pool: HostPool, work: Callable[..., object], argument: object) -> None:
        self.pool, self.work, self.argument = pool, work, argument

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self.pool.submit(self.work, self.argument)


class Failing(Executor):
    """Lacks memory for everything, at once."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(MemoryError())
        return future


def test_of_several_hosts_that_fail_together_the_first_is_named(run: Run) -> None:
    for _ in range(5):  # sets of futures are in no order
        with pytest.raises(UnreadableInput, match="Host worker000 needs more memory than it may use"):
            analyze_run(run, Options(), silent, Failing())


def test_a_worker_that_is_killed_fails_its_call_names_its_host_and_is_replaced(
    run: Run, pool: HostPool
) -> None:
    first = replace(run, hosts=run.hosts[:1])
    with pytest.raises(
        UnreadableInput, match=r"Host worker000: .*it was killed, perhaps because memory ran out"
    ):
        analyze_run(first, Options(), silent, Instead(pool, die, 1))
    assert pool.submit(double, 4).result(LONG_S) == 8


def test_an_analysis_apart_is_the_same_and_can_be_stopped(run: Run) -> None:
    apart = IsolatedAnalyzer()
    pids: list[int] = []

    def stop(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        pids.extend(worker.pid for worker in apart.working)
        raise Canceled("enough")

    # The first analysis of a worker tells its progress: what it tells later depends on how fast it is.
    with pytest.raises(Canceled):
        apart(run, Options(), stop)
    found = apart(run, Options(), silent)

    assert replace(found.report, timing=()) == replace(analyze_run(run).report, timing=())
    assert pids
    assert all(map(gone, pids))


def test_a_limit_holds_in_this_process_and_ends() -> None:
    with limited(64 << 20), pytest.raises(MemoryError):
        allocate(ROOM)

    assert allocate(128 << 20)


def test_workers_end_with_their_parent_however_that_ends() -> None:
    script = """
import os, signal
from tests.execution.tasks import begin_and_sleep
from tests.execution.test_workers import ROOM, TASKS
from tfperf_plugin.execution.pool import Worker

def end(stage, *_):
    if stage == "asleep":
        print(worker.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

worker = Worker(TASKS, ROOM)
worker.run(begin_and_sleep, (1,), end)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, timeout=LONG_S
    )

    pid = int(done.stdout)
    until(lambda: gone(pid))


def test_closing_a_pool_ends_what_runs_though_a_future_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one is after Ctrl-C at a bad moment."""
    monkeypatch.setattr(workers, "END_S", 0.1)
    pool = HostPool(1, ROOM, TASKS)
    future = pool.submit(sleep, LONG_S)
    until(lambda: future.running() and bool(pool.pids()))
    pids = pool.pids()
    with future._condition:
        before = time.monotonic()
        pool.shutdown()
        assert time.monotonic() - before < 5
    with pytest.raises(WorkerLost):
        future.result(LONG_S)
    until(lambda: all(map(gone, pids)))


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("worked_s", [0, 0.5], ids=["as they start", "as they work"])
def test_ctrl_c_ends_at_once_and_leaves_nobody(tmp_path: Path, worked_s: float) -> None:
    """The hosts are work for so long that it is seen on a busy machine, too."""
    logdir = many_hosts(tmp_path, 200, steps=4)
    resources = ["--jobs", "2", "--memory", "4GB"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tfperf_plugin.cli", "report", str(logdir), "--no-cache", *resources],
        cwd=REPOSITORY, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    children: list[int] = []

    def started() -> bool:
        assert process.poll() is None, process.communicate()
        children[:] = [child.pid for child in psutil.Process(process.pid).children()]
        return len(children) == 2 and all(processor_s(pid) >= worked_s for pid in children)

    until(started)
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LONG_S)

    assert (process.returncode, out, err) == (130, "", "tfperf: Interrupted.\n")
    assert time.monotonic() - before < 10
    assert all(map(gone, children))


def test_plans_keep_within_the_budget(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    many = replace(run, hosts=run.hosts * 20)
    monkeypatch.setattr(limits, "processors", lambda: 8)
    monkeypatch.setattr(limits, "available_bytes", lambda: 10 << 30)

    assert plan(run).workers == 1  # small: not worth a process
    assert plan(many, jobs=4).workers == 4
    assert plan(many, jobs=4, memory=400 << 20).workers == 1  # two, and one that merges what they find
    assert plan(many, jobs=4, memory=600 << 20).workers == 2
    assert plan(many, jobs=4, memory=1 << 20).workers == 1
    for memory in (400 << 20, 4 << 30):
        chosen = plan(many, jobs=64, memory=memory)
        assert chosen.together_bytes <= memory


def test_limits_of_analyses_that_run_at_once_add_up_to_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "available_bytes", lambda: 10_000)
    budget = Budget()

    small, other = budget.take(0), budget.take(100)
    assert (small, other) == (3_000, 3_000)  # of 6000
    assert budget.take(0) is None
    monkeypatch.setattr(limits, "available_bytes", lambda: 1_000)  # they use the rest
    budget.give_back(3_000)
    assert budget.take(4_000) is None
    budget.give_back(3_000)
    assert budget.take(4_000) == 600
    assert budget.take(0) is None
    budget.give_back(600)
    monkeypatch.setattr(limits, "available_bytes", lambda: 10_000)
    assert [budget.take(4_000), budget.take(0)] == [4_000, None]


def test_an_analysis_may_use_what_it_was_granted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though its worker was started while less memory was free."""
    monkeypatch.setattr(workers, "__name__", TASKS)
    monkeypatch.setattr(workers, "analyze_apart", limit_apart)
    monkeypatch.setattr(limits, "available_bytes", lambda: 1 << 30)
    apart = IsolatedAnalyzer(2 * ROOM)
    apart.prepare(run)
    before = apart._idle.get_nowait()
    apart._idle.put(before)

    granted = [apart(run, Options(), silent) for _ in range(2)]

    after = apart._idle.get_nowait()
    after.kill()
    assert all(isinstance(limit, int) and limit >= ROOM for limit in granted)
    assert not before.alive and apart._idle.empty()


def test_a_large_analysis_is_not_overtaken_by_small_ones(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    apart = IsolatedAnalyzer(memory=1 << 30)
    sizes = {"large": 1 << 30, "small": 1}
    monkeypatch.setattr(files, "size_and_time", lambda path: (sizes[path], 0))
    large, small = (replace(run, hosts=(replace(run.hosts[0], path=name),)) for name in ("large", "small"))
    waited: list[str] = []

    def stop(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        raise Canceled("enough")

    def others_come(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        with pytest.raises(Canceled):  # there is room for it
            apart._take(small, stop)
        waited.append(stage)
        if len(waited) == 2:
            apart._budget.give_back(first)

    first = apart._take(small, silent)
    assert first == 1 << 29
    assert apart._take(large, others_come) == 1 << 30
    assert waited == ["waiting"] * 2
    apart._budget.give_back(1 << 30)
    assert apart._take(small, silent) == 1 << 29


def test_who_stops_waiting_for_memory_lets_others_have_it(run: Run) -> None:
    apart = IsolatedAnalyzer(memory=1 << 30)

    def stop(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        raise Canceled("enough")

    assert apart._budget.take(1 << 30) == 1 << 30
    with pytest.raises(Canceled):
        apart(run, Options(), stop)
    apart._budget.give_back(1 << 30)
    assert apart._budget.take(1 << 30) == 1 << 30


def test_an_analysis_asks_for_as_much_memory_as_its_processes_need(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 1 << 30
    monkeypatch.setattr(limits, "processors", lambda: 8)
    monkeypatch.setattr(files, "size_and_time", lambda path: (size, 0))
    need = workers.BASE_BYTES + workers.NEED_RATIO * size
    for hosts, processes in ((1, 1), (2, 3), (3, 4)):
        asked = replace(run, hosts=run.hosts[:hosts])
        granted = IsolatedAnalyzer(memory=6 * need)._take(asked, silent)
        assert granted == max(3, processes) * need  # at least half
        alone = IsolatedAnalyzer(memory=processes * need)._take(asked, silent)
        assert plan(asked, memory=alone).workers == hosts
    assert IsolatedAnalyzer(memory=2 * need)._take(replace(run, hosts=run.hosts[:1]), silent) == need


def test_an_analysis_waits_for_memory_that_another_one_uses(run: Run) -> None:
    apart = IsolatedAnalyzer(memory=1 << 30)
    stages: list[str] = []

    def progress(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        if stage == "waiting":
            apart._budget.give_back(1 << 30)
        stages.append(stage)

    assert apart._budget.take(1 << 30) == 1 << 30
    found = apart(run, Options(), progress)

    assert stages[0] == "waiting" and "waiting" not in stages[1:]
    assert found.report.run == run.name
    assert apart._budget.take(1 << 30) == 1 << 30  # it was given back


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="only Linux has it")
def test_workers_are_killed_before_others_when_memory_runs_out() -> None:
    with HostPool(1, ROOM, TASKS) as pool:
        pool.submit(double, 1).result(LONG_S)
        (pid,) = pool.pids()
        assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "1000\n"
        cores = re.search(r"Max core file size +(\d+)", Path(f"/proc/{pid}/limits").read_text())
        assert cores and cores[1] == "0"  # whoever is ended for its time writes no file


VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               12345.
Pages active:                            300000.
Pages inactive:                          200000.
Pages speculative:                         1000.
Pages throttled:                              0.
Pages wired down:                         90000.
"""


@pytest.mark.parametrize(
    ("text", "size"), [(VM_STAT, 213_345 * 16384), ("Pages free: 5.\n", None), ("", None)]
)
def test_free_memory_of_a_mac(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, size: int | None
) -> None:
    command = tmp_path / "vm_stat"
    command.write_text(f"#!/bin/sh\ncat <<'END'\n{text}END\n")
    monkeypatch.setattr(machine, "VM_STAT", str(command))
    monkeypatch.setattr(sys, "platform", "darwin")
    assert machine._vm_stat() is None  # it cannot be run
    command.chmod(0o700)
    assert machine._vm_stat() == size


@pytest.mark.parametrize(
    ("typed", "size"),
    [("8GB", 8_000_000_000), ("1.5 GiB", 1610612736), ("512MiB", 512 << 20), ("300000000", 300_000_000)],
)
def test_sizes_as_they_are_typed(typed: str, size: int) -> None:
    from tfperf_plugin.cli.report import _memory

    assert _memory(typed) == size


@pytest.mark.parametrize(("option", "typed"), [("--memory", "1MB"), ("--memory", "much"), ("--jobs", "0")])
def test_what_cannot_be_used_is_said(option: str, typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "logs", option, typed]) == 2
    assert re.search(f"{option}.*must be", capsys.readouterr().err)


def frames(data: bytes, most: int = 1000) -> list[process.Frame | None]:
    found: list[process.Frame | None] = []
    process._read_frames(io.BytesIO(data), most, found.append)
    return found


def test_frames_come_as_they_were_sent_and_then_the_end() -> None:
    stream = io.BytesIO()
    process._send(stream, ["done", "ü"], [b"ab", memoryview(b"c")])
    process._send(stream, ["progress", "rules", 0.5, [1, 2]], ())

    assert frames(stream.getvalue()) == [
        (["done", "ü"], bytearray(b"abc")),
        (["progress", "rules", 0.5, [1, 2]], bytearray()),
        None,
    ]
    for cut in range(1, 20):
        assert frames(stream.getvalue()[:-cut])[1:] == [None]


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ((b"tfp0", 2, 0), b"[]"),
        ((b"tfp1", 1 << 31, 0), b"[]"),
        ((b"tfp1", 2, 1001), b"[]"),
        ((b"tfp1", 2, (1 << 64) - 1), b"[]"),
        ((b"tfp1", 1, 0), b"[]"),
        ((b"tfp1", 200_000, 0), b"[" * 200_000),
    ],
    ids=["other magic", "long text", "long body", "endless body", "no JSON", "nested too deeply"],
)
def test_what_is_no_frame_ends_the_talk(head: tuple[bytes, int, int], text: bytes) -> None:
    assert frames(process._HEAD.pack(*head) + text + bytes(5000)) == [None]


def test_a_body_takes_memory_as_it_comes() -> None:
    tracemalloc.start()
    try:
        assert frames(process._HEAD.pack(b"tfp1", 2, 1 << 40) + b"[]abc", 1 << 50) == [None]
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
