"""Recurrent layers that run as a loop: one iteration after the other, each op of its body on its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import AVERAGED, First, PerStep, Rate, View, averaged
from tfperf_plugin.analysis.artifacts.host.host_compute import LONG_NS
from tfperf_plugin.analysis.artifacts.host.overlap import Overlap, overlap_part
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.host_activity import step_ops
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import Intervals, Ints, intersect, merge, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes

# An op in the body of a while loop; the layer that loops stands before it: "model/lstm/while/body/_24/…".
_BODY: Final = re.compile(r"^(.{1,300}?)/while(?:_\d{1,4})?(?:/.{1,300}_grad)?/body/_\d{1,6}/")
_RECURRENT: Final = re.compile(r"(?i)(^|[/_])(conv_?)?(lstm|gru|rnn|recurrent|bidirectional)")
# Activations other than tanh, as ops in the forward loop: "…/lstm_cell/Relu_1:Relu".
_ACTIVATION: Final = re.compile(r"[/:](Relu6?|LeakyRelu|Elu|Selu|Softplus|Softsign)(?:_\d{1,4})?$")
_TANH: Final = re.compile(r"[/:]Tanh(?:_\d{1,4})?$")
# A GPU that waits for the next op of the loop has one of these accounts.
ACCOUNTS: Final = ("idle.launch", "idle.dispatch", "idle.unknown")


class LoopRow(Record, frozen=True):
    """The loops of one recurrent layer in an average step."""

    layer: First
    iterations: Rate  #: Iterations, forward and backward.
    ns: PerStep  #: Time while they run.
    kernels_count: Rate  #: Number of kernels, 0 if not recorded.
    kernels_ns: PerStep  #: Time of kernels, 0 if not recorded.
    #: The op of its activation if that is not tanh: "Relu". "" if it is, or if no such op was recorded.
    activation: First = ""


class Loops(Record, frozen=True):
    """Loops of recurrent layers in an average step."""

    steps_count: int
    step_ns: PerStep  #: Mean length of a judged step.
    loops_ns: PerStep  #: Time while any loop runs.
    long_ns: PerStep  #: Part of ``loops_ns`` in ops on threads of the host that are long themselves.
    events_count: Rate  #: Number of events or allocations in loops.
    by_layer: Annotated[dict[str, LoopRow], AVERAGED]
    on_gpu: Overlap | None  #: Part of each account while a loop runs, ``None`` where no GPU has steps.
    where: Places

    @property
    def rows(self) -> tuple[LoopRow, ...]:
        """The layers, longest first."""
        return tuple(sorted(self.by_layer.values(), key=lambda r: (-r.ns, r.layer)))


def part(view: View) -> Loops:
    """The loops of one host."""
    steps, events = view.steps, view.trace.events
    judged = union(steps.begin_ns[steps.judged], steps.end_ns[steps.judged])
    loops: dict[str, list[Intervals]] = {}
    iterations: dict[str, int] = {}
    kernels: dict[str, tuple[int, int]] = {}
    activations: dict[str, str] = {}
    count = 0
    for of_gpu, begin, end, name, names in _sources(view):
        for (layer, _), codes in _bodies(names).items():
            rows = np.flatnonzero(np.isin(name, codes))
            inside, step = steps.judged_at(begin[rows])
            rows = rows[inside]
            if not len(rows):
                continue
            count += len(rows)
            activations[layer] = activations.get(layer) or _activation([names[code] for code in codes])
            in_step = Groups(step)
            spans = union(in_step.min(begin[rows]), in_step.max(end[rows]))
            loops.setdefault(layer, []).append(spans)
            each = np.bincount(name[rows])
            # Some ops of a body allocate more than once, and some in the last iteration only.
            iterations[layer] = iterations.get(layer, 0) + int(np.median(each[each > 0]))
            if of_gpu:
                known = kernels.get(layer, (0, 0))
                kernels[layer] = known[0] + len(rows), known[1] + int((end - begin)[rows].sum())
    of_layer = {layer: merge(*parts) for layer, parts in loops.items()}
    every = intersect(merge(*of_layer.values()), judged)
    long = np.flatnonzero(step_ops(events) & (events.end_ns - events.start_ns > LONG_NS))
    return Loops(
        steps_count=int(steps.judged.sum()),
        step_ns=judged.total_ns,
        loops_ns=every.total_ns,
        long_ns=intersect(every, events.spans(long)).total_ns,
        events_count=count,
        by_layer={
            layer: LoopRow(
                layer, iterations[layer], mine.total_ns, *kernels.get(layer, (0, 0)), activations[layer]
            )
            for layer, mine in of_layer.items()
        },
        on_gpu=overlap_part(view.ledger, ACCOUNTS, every) if view.ledger else None,
        where=steps.places("a loop of a recurrent layer", every.begin_ns, every.end_ns),
    )


def finish(found: Loops) -> Loops:
    """The loops of an average step."""
    return averaged(found, found.steps_count)


def _sources(view: View) -> Iterator[tuple[bool, Ints, Ints, Codes, tuple[str, ...]]]:
    """The rows whose names are ops, with start, end, code of the name and names: kernels if theirs are, else
    events of threads, else allocations. The flag marks kernels."""
    trace = view.trace
    kernels = [
        (True, d.start_ns, d.end_ns, d.op, d.ops) for d in trace.devices if d.participates and _bodies(d.ops)
    ]
    if kernels:
        yield from kernels
    elif _bodies(trace.events.names):
        yield False, trace.events.start_ns, trace.events.end_ns, trace.events.name, trace.events.names
    else:
        memory, new = trace.memory, trace.memory.is_allocation
        yield False, memory.time_ns[new], memory.time_ns[new], memory.op[new], memory.ops


def _activation(names: list[str]) -> str:
    if any(map(_TANH.search, names)):
        return ""
    return next((found[1] for found in map(_ACTIVATION.search, names) if found), "")


def _bodies(names: tuple[str, ...]) -> dict[tuple[str, str], list[int]]:
    """(layer, body of a loop) → codes of the names inside it."""
    found: dict[tuple[str, str], list[int]] = {}
    for code, name in enumerate(names):
        if "/body/" in name and (body := _BODY.match(name)) and _RECURRENT.search(body[1]):
            layer = next(part for part in reversed(body[1].split("/")) if _RECURRENT.search(part))
            found.setdefault((layer, body[0]), []).append(code)
    return found
