"""Replays a recorded step without some causes: the rest runs in the recorded order, and waiting follows.

The replay computes *gains*: how much earlier than recorded a moment comes. Time removed from a GPU's own
pieces adds to its gain. A collective begins when its last participant has arrived, so its gain is that of the
last arrival. A GPU that waits for the call resumes with the call's gain, but no earlier than its own work
allows. Nothing is removed from waiting itself: it is the difference of the gains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from tfperf_plugin.analysis.ledger import ACCOUNTS, share_out
from tfperf_plugin.analysis.whatif.recorded import COMPUTE, FAR, STAGGER, TRANSFER, WAIT, WAITED, Recorded
from tfperf_plugin.arrays.intervals import Floats, Ints
from tfperf_plugin.arrays.unique import unique_inverse
from tfperf_plugin.records import Record

Claims = Mapping[str, int]
# Where the host waits for the GPU, or for the same thing as the GPU, it gains as much as the GPU.
_SYNC: Final = tuple(
    ACCOUNTS.index(a)
    for a in (
        "copy.h2d", "copy.d2h", "idle.compile", "idle.startup", "idle.stagger", "idle.input",
        "idle.between_steps", "idle.sync", "idle.host_op",
    )
)  # fmt: skip
_LAUNCH: Final = ACCOUNTS.index("idle.launch")
_INPUT: Final = ACCOUNTS.index("idle.input")
# Rounds after which the differences between the hosts' begins of steps no longer change.
_ROUNDS: Final = 3


class Predicted(Record, frozen=True):
    """An average step, ns."""

    #: Length of the step as recorded.
    step_ns: int
    #: Length of the step after the fixes.
    predicted_ns: int
    #: Account → ns of the step as recorded; adds up to ``step_ns`` exactly.
    before: Mapping[str, int]
    #: Account → ns after the fixes; adds up to ``predicted_ns`` exactly.
    after: Mapping[str, int]
    #: How much longer the input pipeline keeps the step than the work that remains on the GPUs.
    held_ns: int = 0
    #: How much longer the host's launches keep it.
    launch_ns: int = 0
    #: Transfer that ran under compute and no longer does.
    exposed_ns: int = 0

    @property
    def saved_ns(self) -> int:
        """The time by which the step is shorter."""
        return self.step_ns - self.predicted_ns


def predict(
    recorded: Recorded,
    average: Claims,
    chosen: Sequence[Claims],
    most_ns: int,
    *,
    frees_input: bool = False,
    frees_launches: bool = False,
) -> Predicted:
    """The average step without the causes of ``chosen``.

    Args:
        recorded: the run.
        average: account → ns of the ledger's average step.
        chosen: per finding the ns of each account of the average step that it claims. What several claim of
            one account is removed from it once, at most all of it, in proportion from each of its pieces.
        most_ns: what the findings promise together, as the report does; the step never gets shorter by more.
        frees_input: the input pipeline no longer limits the step.
        frees_launches: the host's launches no longer do.
    """
    step_ns = sum(average.values())
    claimed = {a: min(average[a], sum(c.get(a, 0) for c in chosen)) for a in ACCOUNTS}
    if not any(claimed.values()) or not len(recorded.lane_window):
        return Predicted(step_ns, step_ns, dict(average), dict(average))
    share = np.array([claimed[a] / average[a] if average[a] else 0.0 for a in ACCOUNTS])
    # A finding that claims waiting of other GPUs thereby claims that a GPU is late, by all that it claims.
    together = sum(sum(c.values()) for c in chosen if c.get("communication.wait"))
    late = together / max(1, average["communication.wait"])
    replayed = _replay(recorded, share, late, frees_launches)
    saved = max(0.0, min(replayed.gain_ns, float(most_ns), float(sum(claimed.values()))))
    # The pipeline has kept up with the recorded step.
    limit = 0 if frees_input else min(int(recorded.input_ns[0]), step_ns)
    held = max(0.0, limit - (step_ns - saved))
    predicted_ns = step_ns - round(max(0.0, saved - held))
    rest = np.array([average[a] for a in ACCOUNTS]) * (1 - share)
    after = _after(rest, replayed, held, predicted_ns)
    transfer = rest[TRANSFER]
    return Predicted(
        step_ns,
        predicted_ns,
        dict(average),
        dict(zip(ACCOUNTS, after, strict=True)),
        round(held),
        round(replayed.launch_ns),
        round(max(0.0, replayed.transfer_ns - transfer)),
    )


def _after(rest: Floats, replayed: _Replayed, held_ns: float, total_ns: int) -> list[int]:
    """The accounts of the predicted step; they add up to ``total_ns``."""
    after = rest.copy()
    after[TRANSFER], after[WAIT] = replayed.transfer_ns, replayed.wait_ns
    after[STAGGER] = replayed.stagger_ns
    after[_LAUNCH] += replayed.launch_ns
    after[_INPUT] += held_ns
    after = np.maximum(after, 0.0)
    more = total_ns - float(after.sum())
    if more > 0:
        # The saving is at most what the findings promise; the replay's further gain is less waiting.
        after[WAIT if rest[WAIT] or rest[TRANSFER] else _LAUNCH] += more
    # A GPU that is less late waits less, so waiting shrinks first.
    for account in (STAGGER, WAIT, TRANSFER, *range(len(ACCOUNTS) - 1, -1, -1)):
        less = min(max(0.0, -more), after[account])
        after[account] -= less
        more += less
    scaled = np.round(after * 1000).astype(np.int64)
    scaled[int(np.argmax(scaled))] += total_ns * 1000 - int(scaled.sum())
    return share_out(scaled, 1000)


class _Replayed(Record, frozen=True):
    """Means over lanes after the fixes, ns."""

    #: How much shorter the step is.
    gain_ns: float
    #: Time in transfer.
    transfer_ns: float
    #: Time of waiting for transfer.
    wait_ns: float
    #: Time of stagger.
    stagger_ns: float
    #: Additional waiting for launches.
    launch_ns: float


def _replay(recorded: Recorded, share: Floats, late_share: float, frees_launches: bool) -> _Replayed:
    removable = np.append(share, 0.0)
    removable[[TRANSFER, WAIT]] = 0.0
    removed = recorded.piece_ns * removable[recorded.piece_account]
    late = np.zeros(len(removed)) if frees_launches else _late(recorded, removed)
    lanes = _Lanes(recorded, removed - late, share[TRANSFER], late_share)
    begin = np.zeros(len(recorded.window_ns))
    lanes.run(begin)
    if recorded.joined:
        # A host that ends its steps earlier than the others begins the next step earlier, too.
        known = np.flatnonzero(recorded.window_before >= 0)
        for _ in range(_ROUNDS):
            begin = np.zeros(len(begin))
            begin[known] = _ahead(recorded.window_number, lanes.end)[recorded.window_before[known]]
            lanes.run(begin)
    count = len(recorded.lane_window)
    head = float((recorded.piece_ns - removed)[recorded.piece_account == STAGGER].sum())
    return _Replayed(
        float((lanes.end - begin)[recorded.lane_window].sum()) / count,
        float(lanes.transfer.sum()) / count,
        float(lanes.wait.sum()) / count,
        (head + float(lanes.tail.sum())) / count,
        float(late.sum()) / count,
    )


def _late(recorded: Recorded, removed: Floats) -> Floats:
    """For each piece the time in ns for which its first kernel has to wait for its launch, because all work
    before it ends earlier.

    From the host's last wait for the GPU on, its launches come as late as recorded, and a kernel cannot begin
    before its launch. The host gains the time that it saves itself, so only removed compute can cause such
    waits.
    """
    account = recorded.piece_account
    gone = np.where(account == COMPUTE, removed, 0.0)
    first = np.concatenate([[0], recorded.lane_end[:-1]])
    waited = recorded.piece_margin_ns == WAITED
    fresh = np.isin(account, _SYNC) | waited
    fresh[first[first < len(fresh)]] = True
    begins = np.flatnonzero(fresh)
    section = np.cumsum(fresh) - 1
    before = np.cumsum(gone) - gone
    margin = np.where(waited, FAR, recorded.piece_margin_ns)
    short = np.minimum(0.0, margin - (before - before[begins][section]))
    # The largest delay so far in each section; the shift between sections makes each section start anew.
    apart = section * (float(gone.sum()) + 1.0)
    sofar = np.minimum.accumulate(short - apart) + apart
    earlier = np.append(0.0, sofar[:-1])
    earlier[begins] = 0.0
    return np.maximum(0.0, earlier - sofar)


def _ahead(number: Ints, gain: Floats) -> Floats:
    """For each window the gain beyond the smallest gain of the windows of the same step."""
    group = unique_inverse(number)[1]
    least = np.full(int(group.max(initial=-1)) + 1, np.inf)
    np.minimum.at(least, group, gain)
    return np.asarray(gain - least[group])


class _Lanes:
    """The lanes' way through their calls. After ``run``: ``end``: gain at the end of each window;
    ``transfer``, ``wait``, ``tail``: what each lane spends in collectives and waits at its end, ns.

    ``_sums``: gains of own pieces up to each piece; per row: exposed ``_transfer`` and ``_wait``, by how much
    the call is ``_faster``, and by how much its GPU is less late (``_lift``).
    """

    def __init__(self, recorded: Recorded, gained: Floats, transfer_share: float, late_share: float) -> None:
        """``gained``: time removed from each piece; ``transfer_share``: share of the transfer that is
        removed; ``late_share``: lateness that is removed, over the mean waiting for it."""
        self._recorded, self._sums = recorded, np.append(0.0, np.cumsum(gained))
        self.end = self.transfer = self.wait = self.tail = np.zeros(0)
        exposed = [
            np.append(0, np.cumsum(np.where(recorded.piece_account == a, recorded.piece_ns, 0)))
            for a in (TRANSFER, WAIT)
        ]
        self._transfer, self._wait = (
            (sums[recorded.row_join] - sums[recorded.row_piece]).astype(np.float64) for sums in exposed
        )
        self._faster = transfer_share * _mean(recorded.row_call, recorded.row_transfer_ns)
        slack = recorded.row_slack_ns
        most = np.zeros(int(recorded.row_call.max(initial=-1)) + 1)
        np.maximum.at(most, recorded.row_call, np.maximum(slack, self._wait))
        # The last participant comes this much earlier, at most by its whole delay, and so does any that is as
        # late.
        earlier = late_share * _mean(recorded.row_call, np.maximum(slack, self._wait))
        self._lift = np.maximum(0.0, np.minimum(earlier, most[recorded.row_call]) - slack)

    def run(self, begin: Floats) -> None:
        """Replays all steps at once, call by call; ``begin``: the gain with which each window begins."""
        recorded, sums = self._recorded, self._sums
        first = np.concatenate([[0], recorded.lane_end[:-1]])
        gain = begin[recorded.lane_window]  # of each lane, at ``at``
        at = first.copy()
        ended = np.full(len(gain), float(FAR))  # gain of the end of the lane's last call
        room = np.full(len(gain), float(FAR))  # a step ends after its calls
        self.transfer, self.wait = np.zeros((2, len(gain)))
        bounds = np.append(np.flatnonzero(np.diff(recorded.row_order, prepend=-1)), len(recorded.row_order))
        for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            rows = slice(low, high)
            lane, piece, join = recorded.row_lane[rows], recorded.row_piece[rows], recorded.row_join[rows]
            slack = recorded.row_slack_ns[rows]
            own = gain[lane] + np.maximum(sums[piece] - sums[at[lane]], self._lift[rows])
            arrival = np.minimum(own + recorded.row_lead_ns[rows], ended[lane] + recorded.row_gap_ns[rows])
            call = recorded.row_call[rows]
            fresh = np.flatnonzero(np.diff(call, prepend=-1))
            number = np.cumsum(np.diff(call, prepend=-1) != 0) - 1
            # If the last arrival was not recorded, it gains as much as the last recorded one.
            latest = np.minimum.reduceat(slack, fresh)
            starts = (np.minimum.reduceat(arrival + slack, fresh) - latest)[number]
            ends = starts + self._faster[rows]
            alone = own + sums[join] - sums[piece]
            exposed = self._transfer[rows] + self._wait[rows]
            resumed = np.where(join > piece, np.minimum(ends, alone + exposed), alone)
            spent = exposed + alone - resumed
            waited = np.clip(self._wait[rows] + arrival - starts, 0.0, spent)
            self.wait[lane] += waited - (own - gain[lane] - (sums[piece] - sums[at[lane]]))
            self.transfer[lane] += spent - waited
            gain[lane], at[lane], ended[lane] = resumed, join, ends
            room[lane] = np.minimum(room[lane], ends + recorded.row_rest_ns[rows])
        gain += sums[recorded.lane_end] - sums[at]
        self.transfer += np.maximum(0.0, gain - room)
        gain = np.minimum(gain, room)
        least = np.full(len(begin), np.inf)
        np.minimum.at(least, recorded.lane_window, recorded.lane_tail_ns)
        tail = recorded.lane_tail_ns - least[recorded.lane_window]
        self.end = np.full(len(begin), np.inf)
        np.minimum.at(self.end, recorded.lane_window, gain + tail)
        self.tail = recorded.lane_tail_ns + gain - self.end[recorded.lane_window]


def _mean(group: Ints, values: Ints | Floats) -> Floats:
    """The mean of each row's group."""
    if not len(group):
        return np.zeros(0)
    return np.asarray((np.bincount(group, values) / np.maximum(1, np.bincount(group)))[group])
