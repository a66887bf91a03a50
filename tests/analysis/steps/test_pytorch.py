"""Steps of PyTorch that nothing numbers: from batch to batch, or from update to update."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, find_steps
from tfperf_plugin.analysis.steps import HostSteps

BATCH = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
UPDATE = "Optimizer.step#SGD.step"


def training(batches: int, every: int = 1, updates: bool = True) -> Host:
    """Batches of 20 ms each: it is fetched for 5 ms, and each ``every``-th ends with an update of 4 ms."""
    host = Host()
    for number in range(batches):
        at = 20 * number
        host.event(BATCH, at, at + 5)
        host.kernel(at + 6, at + 16, launch=(at + 5.5, at + 5.6))
        if updates and (number + 1) % every == 0:
            host.event(UPDATE, at + 15, at + 19)
            host.kernel(at + 18, at + 19, launch=(at + 16, at + 16.1))
    return host


def begins(host: Host) -> list[float]:
    (found,) = find_steps([host.trace()]).hosts
    return [begin / 1e6 for begin in found.host_begin_ns.tolist()]


def test_a_step_lasts_from_one_batch_to_the_next() -> None:
    (found,) = find_steps([training(6, updates=False).trace()]).hosts

    assert (found.source, found.marker_name) == ("markers", BATCH)
    assert begins(training(6, updates=False)) == [0, 20, 40, 60, 80, 100]
    assert found.complete.tolist() == [True] * 5 + [False]
    assert found.end_ns[4] == found.begin_ns[5]


def test_several_batches_make_one_update_which_is_the_step() -> None:
    assert begins(training(16, every=4)) == [79, 159, 239][:3]


def ends(launched: float = 106, updates: int = 1) -> tuple[bool, float]:
    """Whether the last of six steps is whole, and where it ends, by its updates and when it launches last."""
    host = training(5)
    host.event(BATCH, 100, 105)
    host.kernel(106, 116, launch=(105.5, 105.6))
    host.kernel(launched + 11, launched + 12, launch=(launched, launched + 0.1))
    for number in range(updates):
        host.event(UPDATE, 115 + number, 115.9 + number)
    (found,) = find_steps([host.trace()]).hosts
    return bool(found.complete[-1]), found.end_ns[-1] / 1e6


def test_the_last_step_is_whole_once_its_update_has_returned() -> None:
    assert ends() == (True, 118)


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(("launched", "updates"), [(117, 1), (106, 0), (106, 2)])
def test_it_is_not_known_to_be_whole_without_its_update_or_with_work_after_it(
    launched: float, updates: int
) -> None:
    assert not ends(launched, updates)[0]


@pytest.mark.near_miss("few")
def test_three_marks_may_be_chance() -> None:
    (found,) = find_steps([training(3).trace()]).hosts

    assert found.source != "markers"


def test_numbered_steps_come_first() -> None:
    host = training(6)
    for number in range(2):
        host.step(number, 60 * number, 60 * number + 60)

    assert begins(host) == [0, 60]


# ------------------------------------------------------------------- where PyTorch's profiler marks steps


def marked(kernels: list[int], after_ms: float = 0) -> HostSteps:
    """Steps of 20 ms that PyTorch's profiler marks, each with its number of kernels."""
    host = Host()
    for number, count in enumerate(kernels):
        host.step(number, 20 * number, 20 * number + 20, name="ProfilerStep")
        for at in range(count):
            begin = 20 * number + 2 * at + after_ms
            host.kernel(begin + 2, begin + 3, launch=(20 * number + 1, 20 * number + 1.1))
    (found,) = find_steps([host.trace()]).hosts
    return found


@pytest.mark.parametrize("marks", [1, 2])
def test_a_single_mark_that_begins_after_the_work_is_no_step(marks: int) -> None:
    """Each step ends with the profiler's step(), which begins the next mark."""
    host = Host()
    for number in range(marks):
        host.event("aten::linear", 20 * number, 20 * number + 10)
        host.step(number + 1, 20 * number + 15, 20 * number + 35, name="ProfilerStep")
    (found,) = find_steps([host.trace()]).hosts

    assert (found.source == "markers") == (marks > 1)


@pytest.mark.parametrize("last", [4, 6, 0])
@pytest.mark.near_miss("steps")
def test_it_is_incomplete_if_it_holds_other_kernels_than_the_others(last: int) -> None:
    assert marked([5, 5, last]).complete.tolist() == [True, True, False]


@pytest.mark.near_miss("few")
def test_nothing_tells_whether_a_single_step_is_whole() -> None:
    assert marked([5]).complete.tolist() == [False]


@pytest.mark.parametrize(("behind_ms", "whole"), [(1, False), (0.3, True)])
def test_the_first_step_is_whole_if_the_gpu_is_hardly_behind(behind_ms: float, whole: bool) -> None:
    """A GPU that is behind ran, as the recording began, what was launched before."""
    assert marked([5] * 4, after_ms=9 + behind_ms).complete.tolist() == [whole, True, True, True]


# ---------------------------------------------------------------------------------- one pass, no mark


def one_pass(recorded: int = 10, launched: int = 10) -> Host:
    """A pass of 100 ms: launches of kernels that are not alike, of which the first are recorded."""
    host = Host()
    host.event("aten::embedding", 0, 100)
    for number in range(launched):
        at = 10 * number
        if number < recorded:
            host.kernel(at + 1.15, at + 8 + number / 10, name=f"kernel {number}", launch=(at + 1, at + 1.1))
        else:
            host.event("cuLaunchKernel", at + 1, at + 1.1)
    return host


def steps_of(host: Host) -> HostSteps:
    (found,) = find_steps([host.trace()]).hosts
    return found


def begin_with_batches(fetches: list[float], copies: list[float]) -> float:
    """Where one pass begins whose batches are fetched for 0.4 ms each and copied at these moments."""
    host = one_pass()
    for at in fetches:
        host.event(BATCH, at, at + 0.4)
    for at in copies:
        host.kernel(at + 0.2, at + 0.3, name="MemcpyH2D", stream=20, launch=(at, at + 0.1))
    return float(steps_of(host).begin_ns[0]) / 1e6


def test_the_batch_of_the_next_step_makes_one_fetch_too_many_which_comes_before_the_step() -> None:
    assert begin_with_batches([0.5, 2], copies=[1.2]) == 0.9
    assert begin_with_batches([0.5, 2, 50], copies=[1.2, 3]) == 0.9


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("fetches", "copies"),
    [([0.5], [1.2]), ([0.5, 2], [1.2, 3]), ([0.5, 2], []), ([0.5, 2], [0.6]), ([1.5, 3], [2])],
    ids=["one", "both are used", "none is copied", "it uploads itself", "work comes before"],
)
def test_other_fetches_belong_to_the_step(fetches: list[float], copies: list[float]) -> None:
    assert begin_with_batches(fetches, copies) == 0


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("void at::native::reduce_kernel", "recording"),
        ("_ZN2at6native13reduce_kernelE", "recording"),
        ("void reduce_kernel", "none"),
    ],
)
def test_kernels_tell_pytorch_where_its_ops_were_not_recorded(name: str, source: str) -> None:
    host = Host()
    for number in range(10):
        at = 10 * number
        host.kernel(at + 2, at + 8 + number / 10, name=f"{name} {number}", launch=(at + 1, at + 1.1))

    assert steps_of(host).source == source


@pytest.mark.near_miss("few")
def test_a_recording_without_most_of_its_kernels_is_no_step() -> None:
    assert steps_of(one_pass(recorded=5)).source == "recording"
    assert steps_of(one_pass(recorded=4)).source == "none"


@pytest.mark.near_miss("hidden")
def test_the_capture_of_a_cuda_graph_is_no_step() -> None:
    host = one_pass()
    host.event("cudaStreamBeginCapture", 3, 4)

    assert steps_of(host).source == "none"


def of_layers(count: int, embedding: bool, loss: bool, apart: bool = True) -> Host:
    """``count`` times two kernels, launched ``apart`` or by one call, and what may come before and after."""
    host = Host()
    host.event("aten::linear", 0, 1)
    graph = (1.5, 1.6)
    if embedding:
        host.kernel(2, 3, name="embedding", launch=(1, 1.1))
    for number in range(count):
        at = 10 + 10 * number
        host.kernel(at, at + 6, name="product", launch=(at - 2, at - 1.9) if apart else graph)
        host.kernel(at + 6, at + 9, name="softmax", launch=(at - 1, at - 0.9) if apart else graph)
    if loss:
        host.kernel(
            10 * count + 12, 10 * count + 13, name="loss", launch=(10 * count + 11, 10 * count + 11.1)
        )
    return host


@pytest.mark.parametrize(
    ("embedding", "loss", "source"),
    [(True, True, "recording"), (True, False, "period"), (False, True, "period"), (False, False, "period")],
)
def test_layers_between_an_embedding_and_a_loss_are_no_steps(
    embedding: bool, loss: bool, source: str
) -> None:
    assert steps_of(of_layers(12, embedding, loss)).source == source


def test_what_the_host_does_after_earlier_work_until_its_first_launch_belongs_to_the_step() -> None:
    host = Host()
    host.kernel(3, 20, name="adam")
    for number in range(10):
        at = 3_000 + 10 * number
        host.kernel(at + 1, at + 8 + number / 10, name=f"at::native::{number}", launch=(at, at + 0.1))
    found = steps_of(host)

    assert (found.source, found.begin_ns.tolist(), found.lead_ns) == ("recording", [20_000_000], 0)


@pytest.mark.near_miss("hidden")
def test_work_launched_after_what_ran_waits_for_no_older_work() -> None:
    """The first product is loaded for long; a collective that was launched before it has run by then."""
    host = Host()
    host.event("aten::linear", 0, 10)
    host.kernel(3, 4, name=ALL_REDUCE, launch=(2.9, 3), stream=8)
    for number in range(10):
        begin = 3 + number / 10
        host.kernel(60 + number**2, 61 + number**2, name=f"kernel {number}", launch=(begin, begin + 0.05))

    assert steps_of(host).begin_ns.tolist() == [0]


@pytest.mark.near_miss("hidden")
def test_a_call_that_takes_long_is_not_held_up_by_the_gpu() -> None:
    host = Host()
    host.event("aten::linear", 0, 10)
    for number in range(10):
        host.kernel(
            300 + number, 300.5 + number / 20, name=f"kernel {number}", launch=(number, 299.99 + number)
        )

    assert steps_of(host).begin_ns.tolist() == [0]


@pytest.mark.near_miss("hidden")
def test_a_stream_whose_work_comes_later_waits_for_no_older_work() -> None:
    host = one_pass()
    host.event("aten::linear", 150, 152)
    host.kernel(190, 195, name="late", launch=(151, 151.1), stream=8)

    assert steps_of(host).begin_ns.tolist() == [0]


# -------------------------------------------------------------------------------- marks around epochs


def marked_epochs(updates: int) -> Host:
    """Two marks of equal length, each around this number of updates."""
    host = training(2 * updates)
    for number in range(2):
        host.step(number, 20 * updates * number, 20 * updates * (number + 1))
    return host


def test_an_epoch_that_is_marked_is_no_step() -> None:
    (found,) = find_steps([marked_epochs(10).trace()]).hosts

    assert (len(found), found.marker_name) == (20, BATCH)


@pytest.mark.near_miss("few")
def test_a_step_may_have_several_updates() -> None:
    (found,) = find_steps([marked_epochs(4).trace()]).hosts

    assert (len(found), found.marker_name) == (2, "train")
