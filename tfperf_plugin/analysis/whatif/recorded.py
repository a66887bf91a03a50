"""The data that a replay needs of a recorded run, as flat columns that can be stored beside the report.

A *lane* is one GPU in one judged step, a *window* the same step of the whole host: all lanes of a window
begin and end together. A lane is cut into the ledger's *pieces*, a *row* is one GPU's part in a collective.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import asdict, replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.input.pipelines import PipelineRow, Pipelines
from tfperf_plugin.analysis.collectives import Collectives
from tfperf_plugin.analysis.communication import STRAIGHT_NS
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS
from tfperf_plugin.analysis.ledger import ACCOUNTS, DeviceLedger, HostLedger
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Bools, Ints, distinct, searchsorted
from tfperf_plugin.arrays.threads import each
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace, HostTrace

Accounts = npt.NDArray[np.int8]
COMPUTE = ACCOUNTS.index("compute")
TRANSFER = ACCOUNTS.index("communication.transfer")
WAIT = ACCOUNTS.index("communication.wait")
STAGGER = ACCOUNTS.index("idle.stagger")
# Stagger at a lane's end: not a cause but waiting for siblings.
TAIL = len(ACCOUNTS)
# Longer than any recording: no limit.
FAR = 1 << 60
# In place of a margin: the host had paused before it launched this kernel.
WAITED = -1
# A pause between launches is at least this many times as long as the median.
_PAUSES = 20
# Rounds within which the common order of any recorded collectives is found.
_ROUNDS = 64


class Recorded(Record, frozen=True):
    """Columns for a replay: int64, but for accounts of int8; see the module's description. Pieces are sorted
    by lane and time, rows by ``row_order``, then ``row_call``."""

    #: Length of the piece.
    piece_ns: Ints
    #: Index into ``ACCOUNTS``, or ``TAIL``.
    piece_account: Accounts
    #: How long before the piece's first kernel began its launch had ended; ``FAR`` if there is no kernel or
    #: it is not recorded, ``WAITED`` if it was launched after a pause.
    piece_margin_ns: Ints
    #: Index after the lane's last piece.
    lane_end: Ints
    #: Index of the lane's window.
    lane_window: Ints
    #: Time of waiting for siblings at the end of the lane.
    lane_tail_ns: Ints
    #: Length of the window.
    window_ns: Ints
    #: Index of the same host's window just before, −1 if that step is not judged.
    window_before: Ints
    #: Number of the step, the same for all hosts.
    window_number: Ints
    #: Position of the call in the common order of all calls.
    row_order: Ints
    #: Number of the call.
    row_call: Ints
    #: Index of the row's lane.
    row_lane: Ints
    #: Index of the first piece after the call's begin.
    row_piece: Ints
    #: Index after the last piece in which the GPU only waits for this call.
    row_join: Ints
    #: Waiting for the last participant.
    row_slack_ns: Ints
    #: The rest of the call.
    row_transfer_ns: Ints
    #: Where the call directly follows the one before: how much earlier than the other GPUs this one was
    #: there.
    row_lead_ns: Ints
    #: Time since the end of the GPU's call before, ``FAR`` if there is none.
    row_gap_ns: Ints
    #: Time from the call's end to the window's.
    row_rest_ns: Ints
    #: int64[1]: time that the slowest stage of the input pipeline needs for a step's batch, −1 if not
    #: recorded.
    input_ns: Ints

    def arrays(self) -> dict[str, Ints]:
        """The columns by name."""
        return {f"replay/{name}": column for name, column in asdict(self).items()}

    @staticmethod
    def from_arrays(arrays: Mapping[str, Any]) -> Recorded:
        """The columns that ``arrays`` stored. Raises KeyError if one is missing."""
        return Recorded(**{name: arrays[f"replay/{name}"] for name in Recorded.__struct_fields__})

    @property
    def joined(self) -> bool:
        """Whether hosts take part in the same calls."""
        return bool((Groups(self.row_call).distinct(self.lane_window[self.row_lane]) > 1).any())


class HostPart(Record, frozen=True):
    """One host's pieces, lanes, windows and rows; indices count on this host."""

    lanes: tuple[_Lanes, ...]
    window_ns: Ints
    window_before: Ints
    window_number: Ints


def part(view: View) -> HostPart | None:
    """The judged steps of one host; ``None`` if no GPU of it has any."""
    host = view.ledger
    if host is None:
        return None
    judged = np.flatnonzero(host.steps.judged)
    window = np.full(len(host.steps) + 1, -1)
    window[judged] = np.arange(len(judged))
    return HostPart(
        tuple(
            each(
                lambda device: _lanes(view.trace, host, device, window[:-1], judged),
                host.devices,
                view.trace.work_bytes,
            )
        ),
        (host.steps.end_ns - host.steps.begin_ns)[judged],
        window[judged - 1],
        host.numbers[judged],
    )


def finish(hosts: Sequence[HostPart], pipelines: Pipelines | None) -> Recorded:
    """The columns of a run from the parts of its hosts."""
    parts: list[_Lanes] = []
    before: list[Ints] = []
    windows = lanes = pieces = 0
    for host in hosts:
        for mine in host.lanes:
            parts.append(mine.counted_on(windows, lanes, pieces))
            lanes += len(mine.lane_end)
            pieces += len(mine.piece_ns)
        before.append(np.where(host.window_before >= 0, host.window_before + windows, -1))
        windows += len(host.window_ns)
    rows = {name: np.concatenate([p.rows[name] for p in parts]) for name in _ROW_COLUMNS}
    number = np.concatenate([h.window_number for h in hosts])
    lane_window = np.concatenate([p.lane_window for p in parts])
    rows["call"] = _within_steps(rows["call"], number[lane_window[rows["lane"]]])
    order = _order(rows["call"], rows["lane"])
    at = np.lexsort((rows["call"], order))
    return Recorded(
        window_ns=np.concatenate([h.window_ns for h in hosts]),
        window_before=np.concatenate(before),
        window_number=number,
        row_order=order[at],
        input_ns=np.array([_input_ns(pipelines)], np.int64),
        **{name: np.concatenate([getattr(p, name) for p in parts]) for name in _PIECE_COLUMNS},
        **{f"row_{name}": column[at] for name, column in rows.items()},
    )


def _within_steps(call: Ints, number: Ints) -> Ints:
    """Calls numbered anew: a call that begins in several steps counts for each, as gains begin in a step."""
    return Groups(call, number).of_row


_PIECE_COLUMNS = ("piece_ns", "piece_account", "piece_margin_ns", "lane_end", "lane_window", "lane_tail_ns")
_ROW_COLUMNS = ("call", "lane", "piece", "join", "slack_ns", "transfer_ns", "lead_ns", "gap_ns", "rest_ns")


class _Lanes(Record, frozen=True):
    """The lanes of one GPU; windows count on its host, the other indices on this GPU."""

    piece_ns: Ints
    piece_account: Accounts
    piece_margin_ns: Ints
    lane_end: Ints
    lane_window: Ints
    lane_tail_ns: Ints
    rows: dict[str, Ints]

    def counted_on(self, windows: int, lanes: int, pieces: int) -> _Lanes:
        """The lanes with indices that continue after ``windows``, ``lanes`` and ``pieces`` of a run."""
        moved = {
            "lane": self.rows["lane"] + lanes,
            "piece": self.rows["piece"] + pieces,
            "join": self.rows["join"] + pieces,
        }
        return replace(
            self,
            lane_end=self.lane_end + pieces,
            lane_window=self.lane_window + windows,
            rows={**self.rows, **moved},
        )


def _lanes(
    source: HostTrace, host: HostLedger, device: DeviceLedger, window_of: Ints, judged: Ints
) -> _Lanes:
    steps, trace = host.steps, source.devices[device.index]
    mine = np.flatnonzero(host.calls.device == device.index)
    mine = mine[host.steps.judged_at(host.calls.start_ns[mine])[0]]
    keep = window_of[device.segment_step] >= 0
    segments, account = device.segments, device.segments.owner[keep].astype(np.int8)
    begin, end, margin = _cut(
        segments.begin_ns[keep], segments.end_ns[keep], account, trace, source, host.calls.start_ns[mine]
    )
    account = account[searchsorted(segments.begin_ns[keep], begin, "right") - 1]
    step = searchsorted(steps.begin_ns, begin, "right") - 1
    lane = window_of[step] - window_of[judged[0]] if len(judged) else step
    lane_end = searchsorted(lane, np.arange(len(judged)), "right")
    tails = _tails(account, lane, lane_end)
    tail = np.bincount(lane[tails], (end - begin)[tails], len(lane_end)).astype(np.int64)
    account[tails] = TAIL
    rows = _rows(host.calls, mine, host, begin, account, lane_end, window_of, judged)
    return _Lanes(
        piece_ns=end - begin,
        piece_account=account,
        piece_margin_ns=margin,
        lane_end=lane_end,
        lane_window=window_of[judged],
        lane_tail_ns=tail,
        rows=rows,
    )


def _cut(
    begin: Ints, end: Ints, account: Accounts, trace: DeviceTrace, source: HostTrace, calls_ns: Ints
) -> tuple[Ints, Ints, Ints]:
    """The pieces cut at begins of calls, at kernels after pauses, and at the last kernel; their margins."""
    kernels = np.flatnonzero(trace.is_kernel())
    kernels = kernels[np.argsort(trace.start_ns[kernels], kind="stable")]
    start, launch = trace.start_ns[kernels], trace.launch[kernels]
    computes = account == COMPUTE
    last = searchsorted(start, end[computes]) - 1
    last = last[last >= 0]
    waited = _after_pause(source, launch)
    points = distinct(np.concatenate([begin, calls_ns, start[last], start[waited]]))
    piece = searchsorted(begin, points, "right") - 1
    inside = (piece >= 0) & (points < end[np.maximum(piece, 0)]) if len(begin) else piece >= 0
    points, piece = points[inside], piece[inside]
    until = end[piece]
    until[:-1] = np.minimum(until[:-1], points[1:])
    margin = np.full(len(points), FAR)
    begins = np.flatnonzero(account[piece] == COMPUTE)
    kernel = searchsorted(start, points[begins])
    known = kernel < len(start)
    begins, kernel = begins[known], kernel[known]
    known = (start[kernel] == points[begins]) & (launch[kernel] >= 0)
    begins, kernel = begins[known], kernel[known]
    ahead = points[begins] - source.events.end_ns[launch[kernel]]
    margin[begins] = np.where(waited[kernel], WAITED, np.maximum(0, ahead))
    return points, until, margin


def _after_pause(source: HostTrace, launch: Ints) -> Bools:
    """For each kernel whether the host paused before it launched it, as it does when it waits for the GPU."""
    found = np.zeros(len(launch), np.bool_)
    rows = np.flatnonzero(launch >= 0)
    if len(rows) < 2:
        return found
    order = rows[np.argsort(source.events.start_ns[launch[rows]], kind="stable")]
    pause = source.events.start_ns[launch[order[1:]]] - source.events.end_ns[launch[order[:-1]]]
    found[order[1:]] = pause > max(LAUNCH_BURST_NS, _PAUSES * int(np.median(pause)))
    return found


def _tails(account: Accounts, lane: Ints, lane_end: Ints) -> Ints:
    """The pieces of stagger after a lane's last compute and collective."""
    works = np.flatnonzero((account == COMPUTE) | (account == TRANSFER) | (account == WAIT))
    last = searchsorted(works, lane_end) - 1
    since = np.where(last >= 0, works[np.maximum(last, 0)], -1) if len(works) else np.full(len(lane_end), -1)
    found = np.flatnonzero(account == STAGGER)
    return found[found > since[lane[found]]]


def _rows(
    calls: Collectives,
    mine: Ints,
    host: HostLedger,
    begin: Ints,
    account: Accounts,
    lane_end: Ints,
    window_of: Ints,
    judged: Ints,
) -> dict[str, Ints]:
    mine = mine[np.argsort(calls.start_ns[mine], kind="stable")]
    start, end = calls.start_ns[mine], calls.end_ns[mine]
    step = searchsorted(host.steps.begin_ns, start, "right") - 1
    of_lane = window_of[step] - window_of[judged[0]] if len(judged) else step
    piece = searchsorted(begin, start)
    following = np.append(piece[1:], len(begin))
    same = np.append(of_lane[1:] == of_lane[:-1], False)[: len(mine)]
    following = np.where(same, following[: len(mine)], lane_end[of_lane] if len(mine) else following[:0])
    waiting = np.flatnonzero((account == TRANSFER) | (account == WAIT))
    last = searchsorted(waiting, following) - 1
    found = waiting[np.maximum(last, 0)] if len(waiting) else np.zeros(len(mine), np.int64)
    joins = (last >= 0) & (found >= piece) & (len(waiting) > 0)
    gap = np.full(len(mine), FAR)
    if len(mine) > 1:
        since = start[1:] - end[:-1]
        gap[1:] = np.where(same[:-1] & (since >= 0), since, FAR)
    slack = calls.wait_ns[mine]
    return {
        "call": calls.call[mine].astype(np.int64),
        "lane": of_lane.astype(np.int64),
        "piece": piece,
        "join": np.where(joins, found + 1, piece),
        "slack_ns": slack,
        "transfer_ns": end - start - slack,
        "lead_ns": _lead(slack, gap),
        "gap_ns": gap,
        "rest_ns": np.maximum(0, host.steps.end_ns[step] - end),
    }


def _lead(slack: Ints, gap: Ints) -> Ints:
    """The time by which a GPU was early for the preceding calls, as long as each call follows the previous
    one directly.

    For such a call the recording does not show when the GPU was ready: relative to the other GPUs, no later
    than before.
    """
    follows = gap <= STRAIGHT_NS
    chain = np.cumsum(~follows)
    apart = chain * (int(slack.max(initial=0)) + 1)
    most = np.maximum.accumulate(slack + apart) - apart
    return np.where(follows, np.append(0, most[:-1])[: len(slack)], 0)


def _order(call: Ints, lane: Ints) -> Ints:
    """A number for each row that is the same for all rows of a call and grows along each lane."""
    count = len(call)
    if not count:
        return np.empty(0, np.int64)
    by_lane = np.argsort(lane, kind="stable")  # rows of a lane are in order of time
    fresh = np.concatenate([[True], lane[by_lane][1:] != lane[by_lane][:-1]])
    first = np.maximum.accumulate(np.where(fresh, np.arange(count), 0))
    ordinal = np.arange(count) - first
    # Lanes are kept apart while the largest value so far is carried along.
    apart = (np.cumsum(fresh) - 1) * (count + 1)
    level = ordinal.copy()
    for _ in range(_ROUNDS):
        latest = np.zeros(int(call.max()) + 1, np.int64)
        np.maximum.at(latest, call[by_lane], level)
        ahead = latest[call[by_lane]] - ordinal
        carried = np.maximum.accumulate(ahead + apart) - apart + ordinal
        if np.array_equal(carried, level):
            break
        level = carried
    latest = np.zeros(int(call.max()) + 1, np.int64)
    np.maximum.at(latest, call[by_lane], level)
    return latest[call]


def _input_ns(pipelines: Pipelines | None) -> int:
    """Time per step of the slowest stage that makes batches; −1 if not recorded."""
    if pipelines is None or not pipelines.pipelines:
        return -1
    return max(_stages_ns(pipelines, p) for p in pipelines.pipelines)


def _stages_ns(pipelines: Pipelines, pipeline: PipelineRow) -> int:
    """Time of the slowest stage per step, by the batches it made; a stage makes all parallel calls that it
    may."""
    each = [0.0]
    for index in pipeline.rows:
        row = pipelines.rows[index]
        batches, at = row.calls_count, row.parent
        while at is not None:
            above = pipelines.rows[at]
            if "Batch" in above.kind:
                batches = above.calls_count
            at = above.parent
        each.append(row.self_ns / max(1, batches) / max(row.at_once, row.parallelism or 1))
    return round(max(each) * pipeline.requests)
