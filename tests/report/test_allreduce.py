"""AllReduce beside its estimates: by nccl-tests' definition, GB = 10^9 bytes, waiting split off."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import ALL_REDUCE, Host, inputs
from tests.exchange import A100, STEPS, training
from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import AllReduceEstimate, Stated
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.communication import allreduce_card, known_quantities

SIZE = 100_000_000  # 25 million float32 gradients


def times(*hosts: Host) -> AllReduceTimes:
    found = inputs(*hosts)
    assert found.ledger is not None
    return found.of(AllReduceTimes)


def card_of(*hosts: Host, stated: Stated | None = None) -> model.AllReduce:
    every = inputs(*hosts, stated=stated)
    estimate, found = every.get(AllReduceEstimate), every.get(AllReduceTimes)
    assert isinstance(estimate, AllReduceEstimate)
    return allreduce_card(found if isinstance(found, AllReduceTimes) else None, estimate)


@pytest.mark.parametrize(
    ("op", "trains"), [("aten::mm", False), ("autograd::engine::evaluate_function: MmBackward0", True)]
)
@pytest.mark.near_miss("different")
def test_without_a_backward_pass_no_gradients_are_exchanged(op: str, trains: bool) -> None:
    host = training([50, 50])
    host.event(op, 1, 2)
    card = card_of(host)

    assert (card.guide_applies, card.parameters is not None) == (trains, trains)
    assert card.title == ("AllReduce" if trains else "AllReduce between parts of the model")
    assert card.difference.startswith("No backward pass was recorded: these calls join") != trains


def test_card_compares_guide_and_ring_bound() -> None:
    card = card_of(training([50, 50, 50, 50]), stated=Stated(None, 100))

    assert (card.parameters, card.parameters_source) == (25_000_000, "estimated")
    assert (card.kinds, card.guide_applies) == (("all_reduce",), True)
    assert card.guide_ns == 1_000_000  # 25 M × 4 B / 100 GB/s
    assert card.ring_bound_ns == 1_500_000
    assert card.achievable_ns is None  # the link is not known
    assert card.transfer_ns is not None
    assert card.wait_ns is not None
    assert card.measured_ns == card.transfer_ns + card.wait_ns == 10_000_000
    assert card.exposed_ns == 10_000_000
    assert card.hidden_ns == 0
    assert "each byte crosses a link 1.5 times" in card.difference
    assert "reaches 15 of 100 GB/s" in card.difference


def test_a_bandwidth_that_the_measured_one_rules_out_is_refused() -> None:
    """Four GPUs reach 15 GB/s; where a switch adds up, links of 10 GB/s may do so, those of 9 may not."""
    drawn = training([50, 50, 50, 50])
    possible, refused = (card_of(drawn, stated=Stated(None, gbps)) for gbps in (10, 9))

    assert (possible.bandwidth_gbps, possible.bandwidth_source) == (10, "as given")
    assert (refused.bandwidth_gbps, refused.guide_ns, refused.ring_bound_ns) == (None, None, None)
    assert refused.bandwidth_source.startswith("9 GB/s is refused: the largest calls reach 15 GB/s; ")
    shown = [one.term for one in refused.numbers if one.at == "card"]
    assert shown == ["measured transfer"] and "ring bound" in [one.term for one in refused.numbers]


def test_a_card_that_may_be_several_offers_their_links() -> None:
    """At 15 GB/s either is possible; 300 GB/s is more than an H800 carries."""
    model = "H100 80GB HBM3 or H800 (inferred)"
    drawn = training([50, 50, 50, 50], model=model)
    unknown, fast = card_of(drawn), card_of(training([50, 50, 50, 50], size=2_000_000_000, model=model))

    assert unknown.bandwidth_gbps is None
    assert [(link.gpu, link.typed) for link in unknown.links] == [
        ("H100 80GB HBM3", "NVLink 4"),
        ("H800", "200 GB/s"),
    ]
    assert [link.gpu for link in fast.links] == ["H100 80GB HBM3"]
    assert card_of(drawn, stated=Stated(None, 450)).links == ()
    assert card_of(training([50, 50, 50, 50], model=A100)).links == ()  # its name says enough
    assert card_of(training([50, 50, 50, 50], model="H100 PCIe")).links == ()


def test_what_nobody_measured_does_not_stand_beside_a_stated_bandwidth() -> None:
    def shown(card: model.AllReduce) -> list[str]:
        return [one.term for one in card.numbers if one.at == "card"]

    drawn = training([50, 50, 50, 50])
    assert shown(card_of(drawn, stated=Stated(None, 100))) == [
        "measured transfer",
        "guide estimate",
        "ring bound",
    ]
    assert shown(card_of(training([50, 50, 50, 50], model=A100)))[-1] == "achievable"


def test_without_collectives_it_asks_for_the_bandwidth() -> None:
    silent = training([50, 50], name="add_kernel")
    asks, estimates = (card_of(silent, stated=Stated(25_600_000, rate)) for rate in (None, 230))

    assert (asks.measured_ns, asks.guide_ns) == (None, None)
    assert asks.difference.endswith("With the bandwidth, estimates say what AllReduce should take.")
    assert "nothing to compare the estimates with" in estimates.difference


def test_sixteen_bit_gradients_count_two_bytes() -> None:
    name = ALL_REDUCE.replace("_f32_", "_bf16_")
    assert card_of(training([50, 50], name=name)).parameters == 50_000_000


def test_reduce_scatter_and_all_gather_stand_for_an_all_reduce() -> None:
    card = card_of(sharded(loss=False), stated=Stated(None, 10))

    assert card.bytes_per_step == SIZE
    assert card.transfer_ns == 20_000_000
    assert card.busbw_gbps == pytest.approx(5)  # half the bytes cross each link in either half
    assert "reduce-scatter and all-gather" in card.difference


def sharded(loss: bool) -> Host:
    host = Host(gpus=2).steps(STEPS, 100)
    for at in range(0, 100 * STEPS, 100):
        for gpu in range(2):
            host.kernel(at, at + 50, gpu)
            for begin, name, size in ((50, "ReduceScatter_Sum_f32", SIZE // 2), (60, "AllGather", SIZE)):
                host.kernel(
                    at + begin, at + begin + 10, gpu, f"ncclDevKernel_{name}_RING_LL", stream=9,
                    stats={"buffer_size": size},
                )  # fmt: skip
            if loss:
                host.kernel(at + 70, at + 70.02, gpu, ALL_REDUCE, stream=9, stats={"buffer_size": 4})
    return host


def test_one_small_call_does_not_hide_a_sharded_exchange() -> None:
    with_loss, without = card_of(sharded(loss=True)), card_of(sharded(loss=False))

    assert with_loss.transfer_ns == without.transfer_ns == 20_000_000
    assert with_loss.parameters == without.parameters == 25_000_000


def exchange(calls: Sequence[tuple[str, int, Sequence[int]]], hosts: int = 1) -> list[Host]:
    """Four GPUs a host, each with these calls of 4 ms, one after the other: name, size, which GPUs."""
    drawn = []
    for number in range(hosts):
        host = Host(f"worker{number}", gpus=4).steps(STEPS, 100)
        for at in range(0, 100 * STEPS, 100):
            for gpu in range(4):
                host.kernel(at, at + 20, gpu)
                for place, (name, size, members) in enumerate(calls):
                    begin = at + 20 + 6 * place + gpu / 2
                    # Each host ends on its own what its GPUs do among themselves.
                    own = 0.9 * (at // 100 * (number + 1) % 3) if hosts > 1 and len(members) == 4 else 0
                    if gpu in members:
                        host.kernel(
                            begin, at + 24 + 6 * place + own, gpu, f"ncclDevKernel_{name}_RING_LL", stream=9,
                            stats={"buffer_size": size},
                        )  # fmt: skip
        drawn.append(host)
    return drawn


EVERY = (0, 1, 2, 3)


def test_all_gathers_of_sharded_weights_exchange_no_gradients() -> None:
    """Fully sharded: weights are gathered for the forward and for the backward pass."""
    gather, scatter = ("AllGather", SIZE, EVERY), ("ReduceScatter_Sum_f32", SIZE // 4, EVERY)
    both, once = times(*exchange([gather, gather, scatter])), times(*exchange([scatter]))
    card = card_of(*exchange([gather, gather, scatter]))

    assert (both.size_bytes, both.wire_bytes) == (SIZE, SIZE * 3 // 4) == (once.size_bytes, once.wire_bytes)
    assert both.transfer_ns == once.transfer_ns
    assert both.calls_per_step == 1
    assert "fetch weights" in card.difference
    assert (card.kinds, card.guide_applies, card.guide_ns) == (("reduce_scatter",), False, None)
    assert known_quantities(card).title.startswith("ReduceScatter as recorded on 4 GPUs")
    assert card.difference.endswith("So parameters × 4 bytes / bandwidth does not apply.")
    assert times(*exchange([gather, scatter])).calls_per_step == 2  # a sharded optimizer gathers once


def test_both_levels_of_a_hierarchical_exchange_count() -> None:
    """Scattered within each host, summed between the hosts by one GPU of each, gathered within each."""
    calls = [
        ("ReduceScatter_Sum_f32", SIZE // 4, EVERY),
        ("AllReduce_Sum_f32", SIZE // 4, (3,)),
        ("AllGather", SIZE, EVERY),
    ]
    found = times(*exchange(calls, hosts=2))

    assert found.exchange == "two_level"
    assert found.participants == 8
    assert found.size_bytes == SIZE
    assert found.calls_per_step == 2.25


def test_calls_that_are_found_on_few_of_the_gpus_do_not_tell_how_many_take_part() -> None:
    """Of four GPUs that communicate two are found together, in one call of five."""
    host = Host(gpus=4).steps(STEPS, 100)
    for at in range(0, 100 * STEPS, 100):
        for gpu in range(4):
            host.kernel(at, at + 20, gpu)
            for call in range(5):
                apart = 0.0 if gpu < 2 and not call else 0.7 * gpu
                begin, end = at + 20 + 10 * call, at + 26 + 10 * call + apart
                host.kernel(begin, end, gpu, ALL_REDUCE, stream=9, stats={"buffer_size": SIZE})
    found = times(host)

    assert found.matched_ratio < 0.8
    assert found.participants == 4
    assert found.wire_bytes == 5 * SIZE * 3 // 2


def test_stated_parameters_that_do_not_fit_the_bytes_are_said_to_do_so() -> None:
    fits = card_of(training([50, 50]), stated=Stated(25_000_000, 100))
    contradicts = card_of(training([50, 50]), stated=Stated(100_000_000, 100))

    assert "rests on the former" not in fits.difference
    assert "100,000,000 parameters make 400 MB of gradients" in contradicts.difference
