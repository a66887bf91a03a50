"""The GPUs wait for data."""

from __future__ import annotations

from tests.builders import GET_NEXT, Host, each, finding, fires, judge, value
from tfperf_plugin.engine.rule import Missing, Passed
from tfperf_plugin.rules.input_bound import RULE


def training(wait: float, busy_from: float | None = None) -> Host:
    """Steps of 100 ms that ask ``wait`` ms for a batch; the GPU works from then, or ``busy_from``, on."""
    host = Host()
    host.steps(5, 100)

    def step(at: float) -> None:
        host.event(GET_NEXT, at, at + wait, thread="tf_Compute/1")
        host.kernel(at + (wait if busy_from is None else busy_from), at + 100)

    each(5, 100, step)
    return host


def test_idle_time_during_the_request_is_the_finding() -> None:
    found = finding(RULE, training(wait=40))

    assert found.severity == "critical"
    assert found.saving is not None
    assert (found.saving.ns, found.saving.ratio) == (40_000_000, 0.4)
    assert value(found, "GPU idle while") == 40_000_000
    assert value(found, "share of the step") == 0.4
    assert "40.0 ms" in found.summary
    assert [(p.begin_ms, p.end_ms, p.step, p.device) for p in found.where] == [
        (100.0 * i, 100.0 * i + 40, i, "GPU:0") for i in range(4)
    ]


def test_only_the_part_that_no_kernel_hides_is_claimed() -> None:
    assert fires(RULE, training(wait=40, busy_from=30)).claims == {"idle.input": 30_000_000}


def test_the_slowest_stage_is_named_with_its_parallelism() -> None:
    host = training(wait=40)

    def pipeline(at: float) -> None:
        thread = "tf_data_iterator_get_next/2"
        host.event("Iterator::Prefetch", at, at + 1, thread, id=1, buffer_limit=2, buffered_elements=0)
        host.event(
            "Iterator::Prefetch::Map", at + 1, at + 39, "tf_data_prefetch/3", id=2, parent_id=1, parallelism=1
        )
        host.event(
            "Iterator::Prefetch::Map::TFRecord", at + 2, at + 8, "tf_data_prefetch/3", id=3, parent_id=2
        )

    each(5, 100, pipeline)
    found = fires(RULE, host)

    assert "Iterator::Prefetch::Map (preprocessing)" in found.summary
    # Five calls of 38 ms, of which the reader below takes 6 ms each.
    assert value(found, "self time of") == 5 * (38 - 6) * 1_000_000
    assert value(found, "parallelism of Map") == 1
    assert value(found, "mean fill of the prefetch buffer of 2") == 0


def test_less_than_one_percent_is_no_finding() -> None:
    passed = judge(RULE, training(wait=0.9))

    assert isinstance(passed, Passed)
    assert "0.9 %" in passed.reason
    assert fires(RULE, training(wait=1)).claims == {"idle.input": 1_000_000}


def test_a_request_under_a_kernel_costs_nothing() -> None:
    assert isinstance(judge(RULE, training(wait=40, busy_from=0)), Passed)


def test_one_slow_batch_counts_with_its_average() -> None:
    def once(wait: float) -> Host:
        host = Host()
        host.steps(5, 100)
        each(5, 100, lambda at: host.kernel(at + (wait if at == 200 else 0), at + 100))
        host.event(GET_NEXT, 200, 200 + wait, thread="tf_Compute/1")
        return host

    assert fires(RULE, once(wait=40)).claims == {"idle.input": 10_000_000}  # in one of four steps
    assert isinstance(judge(RULE, once(wait=3)), Passed)


def test_without_a_gpu_the_hosts_own_waiting_is_judged() -> None:
    host = Host(gpus=0)
    host.steps(5, 100)
    each(5, 100, lambda at: host.event(GET_NEXT, at, at + 40, thread="tf_Compute/1"))
    found = finding(RULE, host)

    assert found.title == "Steps wait for input data"
    assert found.severity == "critical"
    assert found.saving is None  # there is no GPU whose step would become shorter
    assert value(found, "the step waits for a batch") == 40_000_000
    assert value(found, "share of the host's step") == 0.4
    assert "not a GPU's" in found.summary


def test_without_a_gpu_less_than_one_percent_is_no_finding() -> None:
    host = Host(gpus=0)
    host.steps(5, 100)
    each(5, 100, lambda at: host.event(GET_NEXT, at, at + 0.9, thread="tf_Compute/1"))

    assert isinstance(judge(RULE, host), Passed)


def test_without_steps_it_cannot_be_judged() -> None:
    host = Host()
    host.event(GET_NEXT, 0, 40)
    missing = judge(RULE, host)

    assert isinstance(missing, Missing)
    assert "where a step begins and ends" in missing.reason
    assert "profile_batch=(10, 20)" in missing.how
