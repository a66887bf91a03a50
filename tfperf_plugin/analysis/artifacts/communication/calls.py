"""The collective calls in judged steps of all hosts: as columns, and the longest ones individually."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import Largest, View
from tfperf_plugin.analysis.artifacts.capture.capture import tasks_count
from tfperf_plugin.analysis.collectives import KINDS, NAMES
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.analysis.ledger import DeviceLedger, HostLedger, Ledger
from tfperf_plugin.arrays.columns import Groups, map_codes, unique
from tfperf_plugin.arrays.intervals import Bools, Ints, covered_within
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostTrace

Gpu = tuple[HostLedger, DeviceLedger]
Floats = npt.NDArray[np.float64]
NAMED_KINDS = tuple(NAMES)
ALL_REDUCE, SEND_RECV = KINDS.index("all_reduce"), KINDS.index("send_recv")
SCATTER, GATHER = KINDS.index("reduce_scatter"), KINDS.index("all_gather")
REDUCE, BROADCAST = KINDS.index("reduce"), KINDS.index("broadcast")
COMMUNICATION = ("communication.transfer", "communication.wait")
NO_CALLS = NotApplicable("No collective was recorded in a judged step.")
# Calls that the report lists; it only counts further ones.
CALLS_CAP = 100
# The framework's names of calls that the library runs by sending and receiving.
_ALL_TO_ALL = re.compile(r"(?i)all[-_ ]?to[-_ ]?all")
_PAIRWISE = re.compile(r"(?i)permute|(?<![a-z])i?(send|recv)(?![a-z])")


class CollectiveCall(Record, frozen=True):
    """One call, matched across GPUs."""

    kind: str
    step: int
    host: str
    begin_ms: float  #: First arrival, on the timeline of ``host``.
    end_ms: float  #: End, on the timeline of ``host``.
    participants: int
    hosts_count: int
    size_bytes: int | None  #: Size, ``None`` if not recorded.
    transfer_ns: int  #: Time from the last arrival to the end.
    wait_ns: int  #: Waiting summed over all participants.
    exposed_ns: int  #: Time that no compute hides, on the GPU where it is longest.
    #: GPU that came last: "GPU:3", or "HOST GPU:3" if the call joins hosts; "" if it was not matched.
    last: str


class CallRows(Record, frozen=True):
    """Collective kernels of judged steps, one a row. Columns without a comment: see ``Collectives``."""

    host: Ints  #: Index over all hosts of the ledger.
    gpu: Ints  #: Index over all GPUs of the ledger.
    step: Ints  #: Number of the step on the first host.
    kind: Ints  #: Code into ``KINDS``.
    call: Ints
    start_ns: Ints
    end_ns: Ints
    wait_ns: Ints
    participants: Ints
    hosts_count: Ints
    matched: Bools
    size_bytes: Ints
    size_is_output: Bools
    exposed_ns: Ints  #: Time that no compute hides.
    progress: Floats  #: Share of the step's compute on this GPU that is done when the call begins.
    said: Ints  #: Kind of partners that the call states, see ``said_partners``.

    def only(self, keep: Bools) -> CallRows:
        """The rows for which ``keep`` is true."""
        return CallRows(*(getattr(self, column)[keep] for column in self.__struct_fields__))

    @property
    def all_to_all(self) -> Bools:
        """Whether each GPU sends to several others: the call states that, or three GPUs or more take part."""
        several = (self.said > 0) | ((self.said == 0) & (self.participants > 2))
        return np.asarray((self.kind == SEND_RECV) & self.matched & several)

    @property
    def named_kind(self) -> Ints:
        """The kind as reports name it: index into ``NAMED_KINDS``."""
        return np.where(self.all_to_all, NAMED_KINDS.index("all_to_all"), self.kind)

    @property
    def transfer_ns(self) -> Ints:
        """Time from the last arrival to the end."""
        return self.end_ns - self.start_ns - self.wait_ns

    @property
    def wire_bytes(self) -> Ints:
        """Bytes that cross each link: 2(n−1)/n of an AllReduce's size, (n−1)/n of that of its two halves,
        else the size."""
        share = (self.participants - 1) / np.maximum(self.participants, 1)
        factor = np.where(np.isin(self.kind, (SCATTER, GATHER)), share, np.ones(len(share)))
        factor = np.where(self.kind == ALL_REDUCE, 2 * share, factor)
        return np.round(np.maximum(self.size_bytes, 0) * factor).astype(np.int64)

    def whole_arrays(self) -> CallRows:
        """The rows with the sizes of whole arrays, as nccl-tests count them: a reduce-scatter may state one
        GPU's output, which is only one participant's part."""
        part = (self.kind == SCATTER) & (self.size_bytes > 0) & self.size_is_output
        return replace(self, size_bytes=np.where(part, self.size_bytes * self.participants, self.size_bytes))


class CollectiveCalls(Record, frozen=True):
    """Facts about the collectives of some hosts that the ledger lacks."""

    progress: dict[str, Floats]  #: Host → column ``progress`` of ``CallRows``.
    said: dict[str, Ints]  #: Host → column ``said`` of ``CallRows``.
    names: dict[tuple[str, int], frozenset[str]]  #: (host, index of the GPU) → names of its reducing kernels.
    stated: Largest  #: Largest number of participants that calls state.
    tasks_count: Largest  #: Number of the job's tasks that names of devices mention.
    hosts_count: int
    beside_count: Largest = 0  #: Number of folders beside the run, captured at the same time on other hosts.

    def rows(self, ledger: Ledger) -> tuple[list[Gpu], CallRows]:
        """The GPUs of a ledger of these hosts, and their calls in the steps that every host judged."""
        gpus = [(host, device) for host in ledger.hosts for device in host.devices]
        return gpus, _rows(ledger, gpus, self.progress, self.said)


def part(view: View) -> CollectiveCalls:
    """Facts about the collectives of one host."""
    host, ledger = view.trace, view.ledger
    names = {}
    for gpu in view.gpus:
        source, calls, index = gpu.source, gpu.host.calls, gpu.ledger.index
        mine = (calls.device == index) & np.isin(calls.kind, (ALL_REDUCE, SCATTER))
        codes = unique(source.name[calls.row[mine]]).tolist()
        names[host.host, index] = frozenset(source.names[c] for c in codes)
    done = {host.host: progress(ledger)} if ledger else {}
    said = {host.host: said_partners(host, ledger)} if ledger else {}
    return CollectiveCalls(
        done, said, names, host.collective_ranks, tasks_count(host.device_texts), 1, len(view.run.beside)
    )


def progress(host: HostLedger) -> Floats:
    """For each collective kernel of a host the value of ``CallRows.progress``; 0 outside judged steps."""
    calls, found = host.calls, np.zeros(len(host.calls))
    begin, end = host.steps.begin_ns, host.steps.end_ns
    for device in host.devices:
        at = np.flatnonzero((calls.device == device.index) & calls.within(host.steps.judged))
        if not len(at):
            continue
        step, compute = calls.step[at], host.judged_time(device, "compute")
        before = covered_within(compute, begin[step], np.clip(calls.start_ns[at], begin[step], end[step]))
        found[at] = before / np.maximum(1, covered_within(compute, begin[step], end[step]))
    return found


def said_partners(trace: HostTrace, host: HostLedger) -> Ints:
    """For each collective kernel of a host: 1 if its type or op states an all-to-all, −1 if it states that
    one GPU sends to one other, else 0. (The kernel's name is the same for both.)"""
    calls, found = host.calls, np.zeros(len(host.calls), np.int64)
    for number, device in enumerate(trace.devices):
        mine = np.flatnonzero(calls.device == number)
        rows = calls.row[mine]
        for codes, texts in ((device.op, device.ops), (device.collective_type, device.collective_types)):
            said = map_codes(codes[rows], texts, _partners, 0)
            found[mine] = np.where(said != 0, said, found[mine])
    return found


def _partners(text: str) -> int:
    return 1 if _ALL_TO_ALL.search(text) else -1 if _PAIRWISE.search(text) else 0


def _rows(
    ledger: Ledger, gpus: Sequence[Gpu], progress_of: Mapping[str, Floats], said_of: Mapping[str, Ints]
) -> CallRows:
    """The rows of all hosts in the steps that every host judged.

    ``gpus``: GPUs of the ledger, in the order of the column ``gpu``; ``progress_of``, ``said_of``: host →
    column.
    """
    gpu_of = {(host.host, device.index): i for i, (host, device) in enumerate(gpus)}
    parts = []
    for number, host in enumerate(ledger.hosts):
        calls = host.calls
        keep = np.flatnonzero(calls.within(ledger.common(host)))
        lookup = np.array(
            [gpu_of.get((host.host, i), -1) for i in range(int(calls.device.max(initial=-1)) + 1)]
        )
        gpu = lookup[calls.device[keep]] if len(keep) else keep
        exposed = np.zeros(len(keep), np.int64)
        for device in host.devices:
            mine = calls.device[keep] == device.index
            at = keep[mine]
            bare = host.judged_time(device, *COMMUNICATION)
            exposed[mine] = covered_within(bare, calls.start_ns[at], calls.end_ns[at])
        own = {
            "host": np.full(len(keep), number),
            "gpu": gpu,
            "step": host.numbers[calls.step[keep]],
            "kind": calls.kind[keep].astype(np.int64),
            "exposed_ns": exposed,
            "progress": progress_of[host.host][keep],
            "said": said_of[host.host][keep],
        }
        parts.append([own[c] if c in own else getattr(calls, c)[keep] for c in CallRows.__struct_fields__])
    return CallRows(*map(np.concatenate, zip(*parts, strict=True)))


def longest_calls(gpus: Sequence[Gpu], rows: CallRows) -> tuple[CollectiveCall, ...]:
    """The longest calls of any kind."""
    calls = Groups(rows.call)
    longest = np.argsort(-calls.max(rows.end_ns - rows.start_ns), kind="stable")[:CALLS_CAP]
    return tuple(_call(gpus, rows, calls.rows(call)) for call in longest.tolist())


def _call(gpus: Sequence[Gpu], rows: CallRows, members: Ints) -> CollectiveCall:
    first = members[np.argmin(rows.wait_ns[members])]
    home = members[rows.host[members] == rows.host[members].min()]
    host, device = gpus[int(rows.gpu[first])]
    joins = int(rows.hosts_count[first]) > 1
    # If the last participant is in no row of these steps, it is not known.
    known = bool(rows.matched[first] and rows.wait_ns[first] == 0)
    size = int(rows.size_bytes[first])
    return CollectiveCall(
        kind=NAMED_KINDS[int(rows.named_kind[first])],
        step=int(rows.step[first]),
        host=gpus[int(rows.gpu[home[0]])][0].host,
        begin_ms=int(rows.start_ns[home].min()) / 1e6,
        end_ms=int(rows.end_ns[home].max()) / 1e6,
        participants=int(rows.participants[first]),
        hosts_count=int(rows.hosts_count[first]),
        size_bytes=size if size >= 0 else None,
        transfer_ns=int(rows.transfer_ns[first]),
        wait_ns=int(rows.wait_ns[members].sum()),
        exposed_ns=int(rows.exposed_ns[members].max()),
        last=(f"{host.host} {device.device}" if joins else device.device) if known else "",
    )
