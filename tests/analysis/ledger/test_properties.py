"""What holds for every ledger, whatever was recorded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import ALL_REDUCE, Analysis, Event, Recording, recordings
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS
from tfperf_plugin.analysis.ledger import ACCOUNTS, share_out
from tfperf_plugin.arrays.intervals import clip
from tfperf_plugin.trace.roles import Role

_COPIES = ("MemcpyH2D", "MemcpyD2H", "MemcpyD2D")


def _windows(analysis: Analysis) -> list[tuple[int, int]]:
    steps = analysis.steps
    return list(zip(steps.begin_ns.tolist(), steps.end_ns.tolist(), strict=True))


@given(recordings(units=(1, 1000, 70_000)))
def test_accounts_add_up_to_every_window_exactly(recording: Recording) -> None:
    analysis = recording.analyse()

    assert analysis.ledger is not None
    assert {d.index for d in analysis.ledger.hosts[0].devices} == set(range(recording.gpus))
    lengths = [e - b for b, e in _windows(analysis)]
    for device in analysis.ledger.hosts[0].devices:
        assert device.sums_ns.sum(axis=1).tolist() == lengths
        assert (device.sums_ns >= 0).all()
        assert device.class_sums_ns.sum(axis=1).tolist() == device.sums_ns[:, 0].tolist()


@given(recordings(units=(1, 70_000)))
def test_pieces_tile_the_steps_and_agree_with_the_sums(recording: Recording) -> None:
    analysis = recording.analyse()

    for gpu in range(recording.gpus):
        device = analysis.device(gpu)
        pieces = device.segments
        assert pieces.begin_ns[0] == analysis.steps.begin_ns[0]
        assert pieces.end_ns[-1] == analysis.steps.end_ns[-1]
        assert (pieces.begin_ns[1:] == pieces.end_ns[:-1]).all()
        sums = np.zeros_like(device.sums_ns)
        np.add.at(sums, (device.segment_step, pieces.owner), pieces.end_ns - pieces.begin_ns)
        assert sums.tolist() == device.sums_ns.tolist()


@given(recordings(units=(1, 1000)))
def test_compute_is_the_time_in_which_kernels_run(recording: Recording) -> None:
    analysis = recording.analyse()

    for gpu, device in enumerate(analysis.host.devices):
        busy = device.busy(Role.KERNEL, Role.MEMSET)
        expected = [clip(busy, begin, end).total_ns for begin, end in _windows(analysis)]
        assert analysis.device(gpu).sums_ns[:, 0].tolist() == expected


@given(recordings(units=(1, 1000, 70_000)))
def test_averages_add_up_exactly(recording: Recording) -> None:
    ledger = recording.analyse().ledger

    assert ledger is not None
    average = ledger.average()
    assert sum(average.values()) == ledger.step_ns
    assert sum(ledger.compute_classes().values()) == average["compute"]
    assert min(average.values()) >= 0
    judged = ledger.hosts[0].steps.judged
    for device in ledger.hosts[0].devices:
        length = int(device.sums_ns[judged].sum()) // max(1, int(judged.sum()))
        assert sum(ledger.average_of(device, judged).values()) == length


@given(recordings(units=(1, 1000, 70_000)), st.integers(1, 10**12))
def test_shifting_all_times_changes_nothing(recording: Recording, shift: int) -> None:
    before, after = recording.analyse(), recording.mapped(lambda t: t + shift).analyse()

    assert _windows(after) == [(b + shift, e + shift) for b, e in _windows(before)]
    for gpu in range(recording.gpus):
        assert after.device(gpu).sums_ns.tolist() == before.device(gpu).sums_ns.tolist()
        assert after.device(gpu).class_sums_ns.tolist() == before.device(gpu).class_sums_ns.tolist()


@given(recordings(), st.integers(2, 9))
def test_scaling_all_times_scales_every_account(recording: Recording, factor: int) -> None:
    # The one absolute constant, what counts as one burst of launches, exceeds all times here.
    assert max(e.end_ns for e in recording.events) * factor < LAUNCH_BURST_NS
    before, after = recording.analyse(), recording.mapped(lambda t: t * factor).analyse()

    for gpu in range(recording.gpus):
        assert after.device(gpu).sums_ns.tolist() == (before.device(gpu).sums_ns * factor).tolist()


@given(recordings(collectives=False, units=(1, 1000)), st.data())
def test_hidden_communication_and_copies_cost_nothing(recording: Recording, data: st.DataObject) -> None:
    before = recording.analyse()
    kernels = [e for e in recording.events if e.gpu >= 0 and e.name.endswith(("fusion", "_tn"))]
    over = data.draw(st.sampled_from(kernels))
    begin = data.draw(st.integers(over.begin_ns, over.end_ns - 1))
    end = data.draw(st.integers(begin + 1, over.end_ns))
    name = data.draw(st.sampled_from((*_COPIES, ALL_REDUCE)))
    stats = {k: v for k, v in over.stats.items() if k == "correlation_id"}
    hidden = Event(over.gpu, "20", name, begin, end, stats)
    after = replace(recording, events=[*recording.events, hidden]).analyse()

    for gpu in range(recording.gpus):
        assert after.device(gpu).sums_ns.tolist() == before.device(gpu).sums_ns.tolist()
    inside = sum(max(0, min(end, e) - max(begin, b)) for b, e in _windows(before))
    if name == ALL_REDUCE:
        assert int(after.device(over.gpu).hidden_communication_ns.sum()) == inside
    else:
        grown = after.device(over.gpu).hidden_copy_ns - before.device(over.gpu).hidden_copy_ns
        assert 0 <= int(grown.sum()) <= inside


@given(st.lists(st.integers(0, 10**15), min_size=1, max_size=20), st.integers(1, 1000))
def test_shares_add_up_to_the_shared_total(total: list[int], count: int) -> None:
    shares = share_out(np.array(total, np.int64), count)

    assert sum(shares) == sum(total) // count
    assert all(t // count <= s <= t // count + 1 for s, t in zip(shares, total, strict=True))


def test_average_covers_every_account() -> None:
    recording = Recording()
    recording.step(0, 0, 100)
    recording.run(0, "loop_add_fusion", 10, 20)
    ledger = recording.analyse().ledger

    assert ledger is not None
    assert tuple(ledger.average()) == ACCOUNTS
