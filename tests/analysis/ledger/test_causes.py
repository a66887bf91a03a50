"""Why a GPU is idle: what counts as waiting for input, launching, synchronising and the rest."""

from __future__ import annotations

import pytest

from tests.builders import Host
from tests.strategies import ADD, INPUT_WAIT, MS, Recording
from tfperf_plugin.analysis.host_activity import already_launched
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS

_US = 1_000


def _step(gpus: int = 1) -> Recording:
    """Step 0 lasts 100 ms; GPU 0 computes during its first and its last 10 ms."""
    recording = Recording(gpus)
    recording.steps(2, 100 * MS)
    recording.run(0, ADD, 0, 10 * MS)
    recording.run(0, ADD, 90 * MS, 100 * MS)
    recording.run(0, ADD, 110 * MS, 111 * MS)
    return recording


def test_an_input_request_of_the_steps_own_function_is_waiting() -> None:
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
    recording.host(INPUT_WAIT, 20 * MS, 50 * MS, "tf_Compute/1", id=7)

    assert recording.analyse().accounts(0)["idle.input"] == 30 * MS


@pytest.mark.parametrize(
    ("thread", "stats"),
    [
        ("tf_Compute/1", {"id": 8}),  # another function's id: tf.data's own background work
        ("tf_data_iterator_resource/1", {}),
        ("tf_data_private_threadpool/1", {}),
    ],
)
def test_background_work_of_the_input_pipeline_makes_nobody_wait(thread: str, stats: dict[str, int]) -> None:
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
    recording.host("InstantiatedCapturedFunction::Run", 19 * MS, 51 * MS, "tf_Compute/1")
    recording.host("FunctionRun", 19 * MS + 1, 51 * MS - 1, "tf_Compute/1", id=8)
    recording.host(INPUT_WAIT, 20 * MS, 50 * MS, thread, **stats)

    assert "idle.input" not in recording.analyse().accounts(0)


def test_waiting_for_input_while_the_gpu_works_costs_nothing() -> None:
    recording = _step()
    recording.host(INPUT_WAIT, 5 * MS, 15 * MS, "tf_Compute/1")

    assert recording.analyse().accounts(0)["idle.input"] == 5 * MS


@pytest.mark.parametrize("late", [LAUNCH_BURST_NS, LAUNCH_BURST_NS + 1])
def test_a_launch_that_takes_longer_than_a_burst_waits_for_something_else(late: int) -> None:
    recording, called = _step(), 20 * MS + 10 * _US
    recording.launch(0, ADD, (20 * MS, called), called + late, 50 * MS)
    recording.host("cudaStreamSynchronize", called + _US, 50 * MS)
    analysis = recording.analyse()

    in_flight = late <= LAUNCH_BURST_NS
    assert analysis.accounts(0)["idle.launch"] == 10 * _US + late * in_flight
    assert analysis.owner_at(called + 5 * _US) == ("idle.launch" if in_flight else "idle.unknown")


@pytest.mark.parametrize(("pause", "launching"), [(LAUNCH_BURST_NS, True), (2 * LAUNCH_BURST_NS, False)])
def test_launches_that_follow_each_other_closely_are_one_burst(pause: int, launching: bool) -> None:
    recording, at = _step(), 20 * MS
    for _ in range(10):
        recording.launch(0, ADD, (at, at + 5 * _US), at + 5 * _US, at + 6 * _US)
        at += 5 * _US + pause
    found = recording.analyse().accounts(0)["idle.launch"]

    assert found == 10 * 5 * _US + (9 * (pause - _US) if launching else 0)


def test_launches_for_another_gpu_keep_this_one_idle_for_no_known_reason() -> None:
    recording = _step(gpus=2)
    recording.launch(1, "MemcpyH2D", (20 * MS, 40 * MS), 80 * MS, 81 * MS)
    recording.run(1, ADD, 0, 100 * MS)

    assert "idle.launch" not in recording.analyse().accounts(0)


def test_an_op_that_launches_is_launching_and_one_that_does_not_runs_on_the_host() -> None:
    recording = _step()
    recording.host("model/dense:MatMul", 20 * MS, 30 * MS, "tf_gpu_private_0/1")
    recording.launch(0, ADD, (28 * MS, 29 * MS), 29 * MS, 35 * MS, thread="tf_gpu_private_0/1")
    recording.host("model/unique:Unique", 40 * MS, 50 * MS, "tf_gpu_private_0/1")
    recording.host("model/x:_Recv", 60 * MS, 70 * MS, "tf_gpu_private_0/1")
    accounts = recording.analyse().accounts(0)

    assert accounts["idle.launch"] == 9 * MS
    assert accounts["idle.host_op"] == 10 * MS
    assert accounts["idle.unknown"] == 80 * MS - 9 * MS - 6 * MS - 10 * MS


def test_ops_of_the_input_pipeline_are_not_the_steps() -> None:
    recording = _step()
    recording.host("resize/ResizeBilinear:ResizeBilinear", 20 * MS, 50 * MS, "tf_data_private_threadpool/1")
    recording.host("XlaCompile", 20 * MS, 50 * MS, "tf_data_private_threadpool/1")

    assert set(recording.analyse().accounts(0)) == {"compute", "idle.unknown"}


def test_a_synchronising_call_lasts_until_the_launch_that_follows_it() -> None:
    recording = _step()
    recording.host("cuStreamSynchronize", 5 * MS, 30 * MS)
    begin = 30 * MS + 50 * _US
    recording.launch(0, ADD, (begin, begin + 5 * _US), begin + 5 * _US, 35 * MS)
    accounts = recording.analyse().accounts(0)

    assert accounts["idle.sync"] == 20 * MS + 50 * _US
    assert accounts["idle.launch"] == 5 * _US


def test_python_between_two_calls_of_the_steps_function_is_between_steps() -> None:
    """Keras' marker spans its callbacks; the calls of tf.functions tell when the host is inside the step."""
    recording = Recording()
    for number in range(3):
        begin = number * 100 * MS
        recording.step(number, begin, begin + 100 * MS, "Profiled batch", root=False)
        recording.host("train_function", begin, begin + 60 * MS, tf_function_call="notTraced-nonXla")
        recording.launch(0, ADD, (begin + 10 * MS, begin + 11 * MS), begin + 11 * MS, begin + 50 * MS)
    accounts = recording.analyse().accounts(0)

    assert accounts["idle.between_steps"] == 40 * MS
    assert accounts["idle.unknown"] == 20 * MS


def test_a_gpu_that_ran_nothing_has_no_ledger() -> None:
    recording = _step(gpus=2)
    recording.run(1, "MemcpyH2D", 20 * MS, 30 * MS)
    analysis = recording.analyse()

    assert analysis.ledger is not None
    assert [d.device for d in analysis.ledger.hosts[0].devices] == ["GPU:0"]


def _two_gpus(wait: tuple[int, int], second: int) -> Recording:
    """GPU 0 is launched for from 0 to 10 ms and works until 40 ms; GPU 1 works from ``second`` on."""
    recording = Recording(2)
    recording.steps(2, 100 * MS)
    for at in (0, 100 * MS):
        for k in range(4):
            launch = at + k * 3 * MS
            recording.launch(
                0, ADD, (launch, launch + MS), at + k * 10 * MS, at + (k + 1) * 10 * MS, thread="tf_Compute/1"
            )
        begin = at + second * MS
        recording.launch(1, ADD, (begin, begin + MS // 2), begin + MS, at + 90 * MS, thread="tf_Compute/2")
        recording.host(INPUT_WAIT, at + wait[0] * MS, at + wait[1] * MS, "tf_data_iterator_get_next/3")
    return recording


def test_a_batch_that_is_late_for_one_gpu_only_is_input_and_no_stagger() -> None:
    analysis = _two_gpus(wait=(0, 50), second=51).analyse()

    assert analysis.accounts(0, gpu=1)["idle.input"] == 50 * MS
    assert analysis.accounts(0, gpu=1).get("idle.stagger", 0) == 2 * MS  # from the batch to the kernel
    # GPU 0 got its batch: it was launched for meanwhile. It idles because its sibling ends later.
    assert analysis.owner_at(30 * MS, gpu=0) == "compute"
    assert analysis.owner_at(60 * MS, gpu=0) == "idle.stagger"


def test_a_wait_that_ends_long_before_the_launch_is_not_why_the_gpu_starts_late() -> None:
    analysis = _two_gpus(wait=(0, 20), second=51).analyse()

    assert analysis.accounts(0, gpu=1)["idle.stagger"] == 52 * MS
    assert "idle.input" not in analysis.accounts(0, gpu=1)


def test_a_gpu_that_is_launched_for_meanwhile_does_not_wait_for_the_batch() -> None:
    recording = _two_gpus(wait=(0, 9), second=10)

    assert recording.analyse().owner_at(5 * MS, gpu=1) == "idle.input"
    assert recording.analyse().accounts(0, gpu=0).get("idle.input", 0) == 0


def test_a_kernel_without_duration_does_not_part_the_time_in_which_work_is_queued() -> None:
    host = Host()
    host.kernel(0, 10, launch=(0, 1))
    host.kernel(20, 20, launch=(1, 2))
    host.kernel(30, 40, launch=(2, 3))
    trace = host.trace()

    queued = already_launched(trace.devices[0], trace.events)

    assert (queued.begin_ns.tolist(), queued.end_ns.tolist()) == ([10 * MS], [30 * MS])


def test_ops_that_the_executor_runs_without_an_event_are_dispatch() -> None:
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
    recording.host("ExecutorState::Process", 20 * MS, 50 * MS, "tf_Compute/1", id=7)
    recording.host("ExecutorState::Process", 60 * MS, 80 * MS, "tf_Compute/2", id=8)  # tf.data's
    accounts = recording.analyse().accounts(0)

    assert accounts["idle.dispatch"] == 30 * MS
    assert accounts["idle.unknown"] == 50 * MS


CALL = "model/lstm/PartitionedCall:PartitionedCall"


@pytest.mark.parametrize(
    ("caller", "begin_us", "belongs"),
    [
        ({"id": 7}, 20_030, True),  # a thread takes the function over just after the op
        ({"id": 7}, 20_500, False),  # nobody called it: it is tf.data's
        ({"id": 6}, 20_030, False),  # tf.data's function called it
    ],
)
def test_functions_that_an_op_of_the_step_calls_are_the_steps(
    caller: dict[str, int], begin_us: int, belongs: bool
) -> None:
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
    recording.host("ExecutorState::Process", 20 * MS, 20 * MS + 10 * _US, "tf_Compute/1", **caller)
    recording.host(CALL, 20 * MS, 20 * MS + 10 * _US, "tf_Compute/1")
    recording.host("ExecutorState::Process", begin_us * _US, 50 * MS, "tf_Compute/2", id=8)
    recording.host("while_1/body/_2/while/MatMul:MatMul", begin_us * _US, 50 * MS, "tf_Compute/2")
    recording.host("ExecutorState::Process", 40 * MS, 40 * MS + 10 * _US, "tf_Compute/3", id=8)
    recording.host(CALL, 40 * MS, 40 * MS + 10 * _US, "tf_Compute/3")  # which calls another one
    recording.host("ExecutorState::Process", 40 * MS + 20 * _US, 60 * MS, "tf_Compute/4", id=9)

    accounts = recording.analyse().accounts(0)

    assert accounts.get("idle.host_op", 0) == (50 * MS - begin_us * _US if belongs else 0)
    assert accounts.get("idle.dispatch", 0) == (
        10 * MS + 10 * _US if belongs else 10 * _US * (caller["id"] == 7)
    )


@pytest.mark.parametrize(
    ("name", "waits_ms"), [("decode/DecodeJpeg:DecodeJpeg", 0), ("model/Unique:Unique", 20)]
)
def test_the_name_tells_whose_an_op_is_that_the_recording_cut_off(name: str, waits_ms: int) -> None:
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
    recording.host("ExecutorState::Process", 20 * MS, 30 * MS, "tf_Compute/1", id=8)  # tf.data's
    recording.host("decode/DecodeJpeg:DecodeJpeg", 20 * MS, 30 * MS, "tf_Compute/1")
    recording.host(name, 60 * MS, 80 * MS, "tf_Compute/2")

    assert recording.analyse().accounts(0).get("idle.host_op", 0) == waits_ms * MS


def test_a_call_on_its_way_to_the_first_op_and_back_is_dispatch() -> None:
    recording = _step()
    recording.host("step", 20 * MS, 80 * MS, tf_function_call="notTraced-nonXla")
    recording.host("FunctionRun", 25 * MS, 79 * MS, id=7)
    recording.host("ExecutorState::Process", 30 * MS, 40 * MS, "tf_Compute/1", id=7)

    assert recording.analyse().accounts(0)["idle.dispatch"] == 60 * MS


def _one_batch(read_ms: int, tail_ms: int) -> Recording:
    """One call of 60 ms whose kernel ends at 100 ms; a result is read, then a callback runs an op."""
    recording = Recording()
    recording.host("train_function", 0, 60 * MS, tf_function_call="notTraced-nonXla")
    recording.host("FunctionRun", 1 * MS, 59 * MS, id=7)
    recording.launch(0, ADD, (MS, 2 * MS), 2 * MS, 100 * MS)
    read = (100 + read_ms) * MS
    recording.launch(0, "MemcpyD2H", (read - MS, read - MS + _US), read - _US, read, stream="15")
    tail = read + tail_ms * MS
    recording.host("EagerLocalExecute: LogicalAnd", tail, tail + 5 * MS)
    recording.launch(0, ADD, (tail + MS, tail + 2 * MS), tail + 3 * MS, tail + 4 * MS)
    recording.launch(
        0, "MemcpyD2H", (tail + 6 * MS, tail + 7 * MS), tail + 8 * MS, tail + 9 * MS, stream="15"
    )
    return recording


@pytest.mark.parametrize("tail_ms", [0, 3, 7_000])
@pytest.mark.parametrize("marked", [False, True])
def test_one_step_has_no_time_between_steps_and_no_callback(tail_ms: int, marked: bool) -> None:
    recording = _one_batch(10, tail_ms)
    if marked:
        recording.step(2, 0, 110 * MS, "Profiled batch", root=False)
    analysis = recording.analyse()
    accounts = analysis.accounts(0)

    assert analysis.steps.device_step[0].tolist() == [0, 0, -1, -1]
    assert (int(analysis.steps.begin_ns[0]), sum(accounts.values())) == (0, 110 * MS)
    assert accounts["idle.sync"] == pytest.approx(10 * MS, abs=MS)
    assert "idle.between_steps" not in accounts


def test_reading_many_results_is_no_part_of_the_function() -> None:
    """Most launches are then copies to the host, outside of the call; that of the kernel is inside."""
    recording = _one_batch(100, 3)
    recording.step(2, 0, 200 * MS, "Profiled batch", root=False)
    for number in range(8):
        at = (110 + 10 * number) * MS
        recording.launch(0, "MemcpyD2H", (at, at + _US), at + 2 * _US, at + 3 * _US, stream="15")

    assert recording.analyse().accounts(0)["idle.sync"] == pytest.approx(100 * MS, abs=2 * MS)


def test_what_tf_data_copies_ahead_keeps_no_gpu_idle() -> None:
    """Its copy ends just before the kernel, which waits for the executor."""
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
    recording.host("ExecutorState::Process", 10 * MS, 90 * MS, "tf_Compute/1", id=7)
    copy = ((70 * MS, 70 * MS + _US), 70 * MS, 90 * MS)
    recording.launch(0, "MemcpyH2D", *copy, thread="tf_data_iterator_resource/1", stream="14")
    assert "copy.h2d" not in recording.analyse().accounts(0)

    recording = _step()
    recording.launch(0, "MemcpyH2D", *copy, thread="tf_Compute/2", stream="14")
    assert recording.analyse().accounts(0)["copy.h2d"] == 20 * MS


def test_a_copy_that_its_call_waits_for_holds_up_the_step_whatever_kernel_follows_when() -> None:
    """A kernel of another op comes later; another thread's launch call is stuck meanwhile."""

    def drawn(returns: int) -> Recording:
        recording = _step()
        recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
        recording.host("ExecutorState::Process", 15 * MS, 60 * MS, "tf_Compute/1", id=7)
        recording.launch(
            0, "MemcpyH2D", (20 * MS, returns), 21 * MS, 55 * MS, thread="tf_Compute/1", stream="14"
        )
        recording.launch(0, ADD, (22 * MS, 55 * MS), 56 * MS, 57 * MS, thread="tf_Compute/2")
        return recording

    assert drawn(returns=55 * MS).analyse().accounts(0)["copy.h2d"] == 34 * MS
    assert "copy.h2d" not in drawn(returns=20 * MS + _US).analyse().accounts(0)


def test_the_host_waits_for_the_copy_with_which_its_wait_ends() -> None:
    """No kernel follows, so none waits for it; a wait that goes on is for something else."""

    def drawn(until: int) -> Recording:
        recording = _step()
        recording.launch(0, "MemcpyH2D", (20 * MS, 20 * MS + _US), 21 * MS, 55 * MS, stream="14")
        recording.host("cudaEventSynchronize", 22 * MS, until)
        return recording

    assert drawn(until=55 * MS + _US).analyse().accounts(0)["copy.h2d"] == 34 * MS
    longer = drawn(until=70 * MS).analyse().accounts(0)
    assert (longer.get("copy.h2d", 0) <= MS, longer["idle.sync"] >= 47 * MS) == (True, True)
