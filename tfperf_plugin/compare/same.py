"""Whether two runs train the same model on the same devices, and how many examples their steps hold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from tfperf_plugin.hardware.models import certain
from tfperf_plugin.judging.engine.words import count, gigabytes, listing, percent
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Layers, Report, Workload

LAYERS_RATIO: Final = 0.1
"""If more of the layers differ, it is another model; one layer in ten may have been replaced. Our choice."""

TOLD_RATIO: Final = 0.95
"""Layers can be counted if names tell those of this share of the compute time. Our choice."""

PARAMETERS_RATIO: Final = 0.02
"""Numbers of parameters differ by so much without being another model: biases, say. Our choice."""

BYTES_RATIO: Final = 0.05
"""Gradients reduced in a step differ by so much without being those of another model. Our choice."""

ALIKE_RATIO: Final = 0.1
"""Compute time per step and GPU that differs by less speaks for the same batch. Our choice."""

_VENDOR: Final = re.compile(r"(?i)^(nvidia|amd|tesla|geforce|quadro|\s)+")


class Work(Record, frozen=True):
    """What the two runs have in common.

    ``obstacles``: why they cannot be compared, ``caveats``: what is not known or differs a little.
    ``examples``: examples in a step of the new run / in one of the base run; ``known``: recorded, not assumed
    or inferred; ``basis``: how it is known, in plain words.
    """

    obstacles: tuple[str, ...]
    caveats: tuple[str, ...]
    examples: Fraction
    known: bool
    basis: str


def gpus_count(report: Report) -> int:
    """GPUs that take part in the training."""
    return sum(d.participates for d in report.devices)


def device_names(report: Report) -> tuple[str, ...]:
    """Names of the GPUs that take part, each once; none where the profile does not name them."""
    return tuple(sorted({d.name for d in report.devices if d.participates and d.name}))


def common_work(base: Report, new: Report) -> Work:
    """Everything that decides whether a difference of step times means anything."""
    obstacles: list[str] = []
    caveats: list[str] = []
    for blocked, sentence in (*_steps(base, new), *_devices(base, new), *_model(base, new)):
        (obstacles if blocked else caveats).append(sentence)
    examples, known, basis, notes = _examples(base, new)
    if examples is None and not obstacles:
        obstacles.append(basis)
    return Work(
        tuple(obstacles), (*caveats, *notes), Fraction(1) if examples is None else examples, known, basis
    )


Remarks = Iterator[tuple[bool, str]]
"""Whether it makes a comparison impossible, and the sentence."""


def _steps(base: Report, new: Report) -> Remarks:
    for name, report in (("base", base), ("new", new)):
        if not report.steps.count:
            yield True, f"The {name} run shows no complete step. Record at least ten."
        elif any(item.judged and item.note for item in report.steps.items):
            yield True, f"The {name} run shows only a part of one step. Record at least ten."
        for note in report.trust:
            if note.severity != "info":
                yield False, f"The {name} run's recording: {note.title}."
    if base.steps.count and new.steps.count and base.steps.source != new.steps.source:
        sources = " and ".join(_SOURCE.get(s, s) for s in (base.steps.source, new.steps.source))
        yield False, f"Where steps begin is told differently: by {sources}."
    if base.tool_version != new.tool_version:
        yield False, "The two reports are of different versions of tfperf."


_SOURCE: Final = {
    "markers": "step markers",
    "function_runs": "runs of the step's function",
    "steps_line": "the profile's line of steps",
    "jit_calls": "calls of the function that JAX compiled",
    "modules": "repeats of a program of XLA",
    "period": "the period of the kernels",
}


def _devices(base: Report, new: Report) -> Remarks:
    before, after = device_names(base), device_names(new)
    if bool(base.ledger) != bool(new.ledger):
        name = "new" if base.ledger else "base"
        yield True, f"The {name} run shows no step on a GPU, the other one does."
    elif not base.ledger:
        yield False, "No GPU was recorded; whether both ran on the same kind of CPU is not recorded either."
    elif not all(map(certain, before)) or not all(map(certain, after)):
        yield False, "The profiles do not tell which GPUs they are: several models have their figures."
    elif not before or not after:
        name = "either run" if not before and not after else f"the {'new' if before else 'base'} run"
        yield False, f"Which GPUs they are is not recorded of {name}."
    elif {_plain(n) for n in before} != {_plain(n) for n in after}:
        yield True, f"Other GPUs: {listing(list(before))} before, {listing(list(after))} now."
    hosts = len(base.hosts), len(new.hosts)
    if hosts[0] != hosts[1] and gpus_count(base) == gpus_count(new):
        yield False, f"The GPUs are those of {count(hosts[0], 'host')} before and of {hosts[1]} now."


def _plain(name: str) -> str:
    """Drivers write the vendor before the name or not."""
    return _VENDOR.sub("", certain(name)).lower()


def _model(base: Report, new: Report) -> Remarks:
    before, after = base.workload, new.workload
    known = before.parameters is not None and after.parameters is not None
    if before.parameters is not None and after.parameters is not None:
        if _off(before.parameters, after.parameters) > PARAMETERS_RATIO:
            yield True, f"Another model: {before.parameters:,} parameters before, {after.parameters:,} now."
        elif before.parameters != after.parameters:
            yield False, f"{before.parameters:,} parameters before, {after.parameters:,} now."
    if before.layers is None or after.layers is None:
        if not known:
            which = _which(before.layers, after.layers)
            yield (
                False,
                f"Whether the model is the same cannot be told: names of layers are missing in {which}.",
            )
    else:
        yield from _compare_layers(before.layers, after.layers, known)
    yield from _gradients(base, new, known)


def _which(before: object | None, after: object | None) -> str:
    if before is None and after is None:
        return "both profiles"
    return "the base run's profile" if before is None else "the new run's profile"


def _compare_layers(before: Layers, after: Layers, known: bool) -> Remarks:
    kinds = sorted({*before.products, *after.products})
    pairs = [(k, before.products.get(k, 0), after.products.get(k, 0)) for k in kinds]
    differ = sum(abs(a - b) for _, a, b in pairs)
    if not differ:
        return
    every = sum(max(a, b) for _, a, b in pairs)
    words = listing([f"{a} {kind} before, {b} now" for kind, a, b in pairs if a != b])
    if min(before.told_ratio, after.told_ratio) < TOLD_RATIO:
        if not known:
            yield (
                False,
                f"The layers that names tell differ ({words}), but not all have names: XLA, or eager ops.",
            )
    elif differ > LAYERS_RATIO * every:
        yield True, f"Another model: layers differ ({words})."
    else:
        yield False, f"The model is not quite the same: {words}."


def _gradients(base: Report, new: Report, known: bool) -> Remarks:
    """Where several GPUs sum their gradients, how many bytes these are."""
    before, after = (r.allreduce.bytes_per_step if r.allreduce else None for r in (base, new))
    if known or not before or not after or _off(before, after) <= BYTES_RATIO:
        return
    words = f"{gigabytes(before)} of gradients are reduced per step before, {gigabytes(after)} now"
    if min(_off(2 * before, after), _off(before, 2 * after)) <= BYTES_RATIO:
        yield False, f"{words}: another number format of gradients, or another model."
    else:
        yield True, f"Another model: {words}."


def _off(first: float, second: float) -> float:
    return abs(first - second) / max(first, second, 1)


def _examples(base: Report, new: Report) -> tuple[Fraction | None, bool, str, tuple[str, ...]]:
    """(Ratio of the examples of a step, whether it is recorded, how it is known or why not, caveats)."""
    before, after = base.workload, new.workload
    calls = Fraction(after.steps_per_call or 1, before.steps_per_call or 1)
    if before.batch_size and after.batch_size:
        examples = Fraction(after.batch_size, before.batch_size) * calls
        words = (
            f"{_batch(before)} before, {_batch(after)} now"
            if examples != 1
            else f"{_batch(new.workload)} in both"
        )
        return examples, True, f"The training recorded a batch of {words}.", ()
    if calls != 1:
        return (
            None,
            False,
            f"A recorded step holds {count(before.steps_per_call or 1, 'training step')} before and "
            f"{after.steps_per_call or 1} now, and the batch size is not recorded.",
            (),
        )
    if gpus_count(base) != gpus_count(new) or len(base.hosts) != len(new.hosts):
        return _examples_of_other_layout(base, new)
    if before.pipeline_batch_size and after.pipeline_batch_size:
        examples = Fraction(after.pipeline_batch_size, before.pipeline_batch_size)
        words = f"{before.pipeline_batch_size:,} elements" + (
            f" before, {after.pipeline_batch_size:,} now" if examples != 1 else " in both"
        )
        return examples, True, f"tf.data makes batches of {words}.", ()
    alike = compute_ratio(base, new)
    if before.pipeline_batch_bytes and after.pipeline_batch_bytes:
        first, second = before.pipeline_batch_bytes, after.pipeline_batch_bytes
        if first == second:
            return Fraction(1), True, f"A batch has {gigabytes(first)} in both.", ()
        words = f"A batch has {gigabytes(first)} before and {gigabytes(second)} now"
        if alike is None or abs(alike - 1) > ALIKE_RATIO:
            why = f"{words}; whether it holds another number of examples is not recorded."
            return None, False, f"{why} {HOW_TO_RECORD}", ()
        basis = f"{words}, but computing takes as long, so its examples are taken to be as many."
        return Fraction(1), False, basis, (basis,)
    caveat = "The batch size is not recorded; it is taken to be the same."
    if alike is not None and abs(alike - 1) > ALIKE_RATIO:
        caveat += f" Computing itself changed by {_signed(alike - 1)}, as it would with another batch."
    return Fraction(1), False, caveat, (f"{caveat} {HOW_TO_RECORD}",)


HOW_TO_RECORD: Final = "DiagnosticsCallback records it."


def _examples_of_other_layout(
    base: Report, new: Report
) -> tuple[Fraction | None, bool, str, tuple[str, ...]]:
    """Only what each GPU computes can speak for its batch: a pipeline may feed one GPU or a host."""
    alike = compute_ratio(base, new)
    before, after = gpus_count(base), gpus_count(new)
    if alike is None or abs(alike - 1) > ALIKE_RATIO or not before:
        words = "" if alike is None else f", and a GPU computes {_signed(alike - 1)} in a step"
        return (
            None,
            False,
            f"The number of GPUs or hosts differs, the batch size is not recorded{words}: "
            f"what a step holds cannot be told. {HOW_TO_RECORD}",
            (),
        )
    within = f"{max(1, math.ceil(100 * abs(alike - 1)))} %"
    basis = (
        f"Each GPU computes as long in a step, to {within}, so each is taken to keep its batch; the batch "
        "size is not recorded."
    )
    return Fraction(after, before), False, basis, (f"{basis} {HOW_TO_RECORD}",)


def compute_ratio(base: Report, new: Report) -> float | None:
    """Compute per step and GPU, new / base; ``None`` without both."""
    before, after = (
        next((a.ns for a in r.ledger.accounts if a.id == "compute"), 0) if r.ledger else 0
        for r in (base, new)
    )
    return after / before if before and after else None


def _batch(workload: Workload) -> str:
    each = f"{workload.batch_size:,} examples"
    return f"{each} × {workload.steps_per_call} steps a call" if (workload.steps_per_call or 1) > 1 else each


def _signed(ratio: float) -> str:
    return f"{'+' if ratio >= 0 else '−'}{percent(abs(ratio))}"
