"""Whether two runs train the same model on the same devices, and how many examples their steps process."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from tfperf_plugin.hardware.models import candidates, certain
from tfperf_plugin.judging.engine.words import count, gigabytes, listing, signed_percent
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Layers, Report, Workload
from tfperf_plugin.report.panels.gpus import used_count

LAYERS_RATIO: Final = 0.1
"""If a larger share of the layers differs, the models differ. Our choice."""

TOLD_RATIO: Final = 0.95
"""Layers are comparable if names identify the layers behind this share of compute time. Our choice."""

PARAMETERS_RATIO: Final = 0.02
"""The numbers of parameters of one model may differ by this share, for example by biases. Our choice."""

BYTES_RATIO: Final = 0.05
"""The bytes of gradients of one model may differ by this share. Our choice."""

SAME_COMPUTE_RATIO: Final = 0.1
"""If compute time per step and GPU differs by at most this share, the batch is taken to be the same. Our
choice."""

_VENDOR: Final = re.compile(r"(?i)^(nvidia|amd|tesla|geforce|quadro|\s)+")


class CommonWork(Record, frozen=True):
    """What the two runs have in common."""

    obstacles: tuple[str, ...]  # why they cannot be compared
    short: str  # the first obstacle in a few words
    caveats: tuple[str, ...]  # what is unknown or differs a little
    examples: Fraction  # examples per step, new run / base run
    known: bool  # whether that ratio is recorded rather than inferred
    basis: str  # its source, in plain words


def device_names(report: Report) -> tuple[str, ...]:
    """The distinct names of participating GPUs, as far as the profile names them."""
    return tuple(sorted({d.name for d in report.devices if d.participates and d.name}))


def common_work(base: Report, new: Report) -> CommonWork:
    """Checks whether step times are comparable, and for how many examples each."""
    obstacles: list[str] = []
    caveats: list[str] = []
    short = ""
    every = *_steps(base, new), *_framework(base, new), *_devices(base, new), *_model(base, new)
    for blocked, sentence in every:
        (obstacles if blocked else caveats).append(sentence)
        short = short or blocked
    batch = _batch(base, new)
    if batch.ratio is None and not obstacles:
        obstacles, short = [batch.basis], "batch unknown"
    caveats += [batch.caveat] if batch.caveat else []
    return CommonWork(
        tuple(obstacles), short, tuple(caveats), batch.ratio or Fraction(1), batch.known, batch.basis
    )


Remarks = Iterator[tuple[str, str]]
"""(In a few words why this prevents a comparison, or "" if it does not; the sentence that says it)."""


def _steps(base: Report, new: Report) -> Remarks:
    for name, report in (("base", base), ("new", new)):
        if not report.steps.count:
            yield "no steps", f"The {name} run shows no complete step. Record at least ten."
        elif report.steps.source == "recording":
            yield "no steps", f"The recording of the {name} run counts as one step. Record ten."
        elif any(item.judged and item.note for item in report.steps.items):
            yield "part of a step", f"The {name} run lacks the time after its step. Record at least ten."
        for note in report.trust:
            if note.severity != "info":
                yield "", f"The {name} run's recording: {note.title}."
    if base.steps.count and new.steps.count and base.steps.source != new.steps.source:
        sources = " and ".join(_SOURCE.get(s, s) for s in (base.steps.source, new.steps.source))
        yield "", f"Where steps begin is told differently: by {sources}."
    if base.tool_version != new.tool_version:
        yield "", "The two reports are of different versions of tfperf."


_SOURCE: Final = {
    "markers": "step markers",
    "function_runs": "runs of the step's function",
    "steps_line": "the profile's line of steps",
    "jit_calls": "calls of the function that JAX compiled",
    "modules": "repeats of a program of XLA",
    "period": "the period of the kernels",
    "host_period": "the period of the ops of the host",
    "recording": "nothing: the recording counts as one step",
}


def _framework(base: Report, new: Report) -> Remarks:
    before, after = base.workload.framework, new.workload.framework
    if before and after and before != after:
        yield "other framework", f"Another framework: {before} before, {after} now."


def _devices(base: Report, new: Report) -> Remarks:
    before, after = device_names(base), device_names(new)
    models = [{_model_name(each) for name in names for each in candidates(name)} for names in (before, after)]
    known = all(map(certain, (*before, *after)))
    capabilities = [
        {d.compute_capability for d in run.devices if d.participates and d.compute_capability}
        for run in (base, new)
    ]
    if bool(base.ledger) != bool(new.ledger):
        name = "new" if base.ledger else "base"
        yield "no GPU steps", f"The {name} run shows no step on a GPU, the other one does."
    elif not base.ledger:
        yield "", "No GPU was recorded; whether both ran on the same kind of CPU is not recorded either."
    elif all(models) and models[0] != models[1] and (known or not models[0] & models[1]):
        yield "other GPUs", f"Other GPUs: {listing(list(before))} before, {listing(list(after))} now."
    elif all(capabilities) and not capabilities[0] & capabilities[1]:
        first, second = (listing(sorted(each)) for each in capabilities)
        yield "other GPUs", f"Other GPUs: compute capability {first} before, {second} now."
    elif not known:
        yield "", "The profiles do not tell which GPUs they are: several models have their figures."
    elif not before or not after:
        name = "either run" if not before and not after else f"the {'new' if before else 'base'} run"
        yield "", f"Which GPUs they are is not recorded of {name}."
    hosts = base.machines_count, new.machines_count
    if hosts[0] != hosts[1] and used_count(base) == used_count(new):
        yield "", f"The GPUs are those of {count(hosts[0], 'host')} before and of {hosts[1]} now."


def _model_name(name: str) -> str:
    """The model without the vendor, which only some drivers write."""
    return _VENDOR.sub("", name).lower()


def _model(base: Report, new: Report) -> Remarks:
    before, after = base.workload, new.workload
    known = before.parameters is not None and after.parameters is not None
    if before.parameters is not None and after.parameters is not None:
        words = f"{before.parameters:,} parameters before, {after.parameters:,} now."
        if _difference(before.parameters, after.parameters) > PARAMETERS_RATIO:
            yield "other model", f"Another model: {words}"
        elif before.parameters != after.parameters:
            yield "", words
    if before.layers and after.layers:
        yield from _compare_layers(before.layers, after.layers, known)
    elif not known:
        lacking = [name for name, run in (("base", before), ("new", after)) if not run.layers]
        which = f"the {lacking[0]} run's profile" if len(lacking) == 1 else "both profiles"
        yield "", f"Whether the model is the same cannot be told: names of layers are missing in {which}."
    yield from _gradients(base, new, known)


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
            differ_in = f"The layers that names tell differ ({words})"
            yield "", f"{differ_in}, but not all have names: XLA, or eager ops."
    elif differ > LAYERS_RATIO * every:
        yield "other model", f"Another model: layers differ ({words})."
    else:
        yield "", f"The model is not quite the same: {words}."


def _gradients(base: Report, new: Report, known: bool) -> Remarks:
    """Compares the bytes of gradients that several GPUs reduce."""
    before, after = (r.allreduce.bytes_per_step if r.allreduce else None for r in (base, new))
    if known or not before or not after or _difference(before, after) <= BYTES_RATIO:
        return
    words = f"{gigabytes(before)} of gradients are reduced per step before, {gigabytes(after)} now"
    if min(_difference(2 * before, after), _difference(before, 2 * after)) <= BYTES_RATIO:
        yield "", f"{words}: another number format of gradients, or another model."
    else:
        yield "other model", f"Another model: {words}."


def _difference(first: float, second: float) -> float:
    return abs(first - second) / max(first, second, 1)


class _Batch(Record, frozen=True):
    """Examples per step, new run / base run; ``None`` if that cannot be told."""

    ratio: Fraction | None
    basis: str  # the source of the ratio, or why there is none
    known: bool = False  # whether the ratio is recorded
    caveat: str = ""


def _batch(base: Report, new: Report) -> _Batch:
    before, after = base.workload, new.workload
    calls = Fraction(after.steps_per_call or 1, before.steps_per_call or 1)
    if before.batch_size and after.batch_size:
        ratio = Fraction(after.batch_size, before.batch_size) * calls
        words = _both(_batch_text(before), _batch_text(after), ratio)
        return _Batch(ratio, f"The training recorded a batch of {words}.", known=True)
    if calls != 1:
        each = (
            f"{count(before.steps_per_call or 1, 'training step')} before and {after.steps_per_call or 1} now"
        )
        return _Batch(None, f"A recorded step holds {each}, and the batch size is not recorded.")
    compute = compute_ratio(base, new)
    is_alike = compute is not None and abs(compute - 1) <= SAME_COMPUTE_RATIO
    if used_count(base) != used_count(new) or base.machines_count != new.machines_count:
        return _batch_of_other_layout(base, new, compute)
    if before.pipeline_batch_size and after.pipeline_batch_size:
        ratio = Fraction(after.pipeline_batch_size, before.pipeline_batch_size)
        first, second = before.pipeline_batch_size, after.pipeline_batch_size
        words = _both(f"{first:,} elements", f"{second:,}", ratio)
        return _Batch(ratio, f"tf.data makes batches of {words}.", known=True)
    if before.pipeline_batch_bytes and after.pipeline_batch_bytes:
        first, second = before.pipeline_batch_bytes, after.pipeline_batch_bytes
        if first == second:
            return _Batch(Fraction(1), f"A batch has {gigabytes(first)} in both.", known=True)
        words = f"A batch has {gigabytes(first)} before and {gigabytes(second)} now"
        if not is_alike:
            why = f"{words}; whether it holds another number of examples is not recorded."
            return _Batch(None, f"{why} {HOW_TO_RECORD}")
        basis = f"{words}, but computing takes as long, so the batch is taken to be the same."
        return _Batch(Fraction(1), basis, caveat=basis)
    if (before.batch_size or after.batch_size) and not is_alike:
        which, known = ("base", before) if before.batch_size else ("new", after)
        why = f"Only the training of the {which} run recorded its batch: {_batch_text(known)}."
        return _Batch(None, f"{why} {HOW_TO_RECORD}")
    basis = "The batch size is not recorded; it is taken to be the same."
    if compute is not None and not is_alike:
        basis += (
            f" Computing itself changed by {signed_percent(compute - 1)}, as it would with another batch."
        )
    return _Batch(Fraction(1), basis, caveat=f"{basis} {HOW_TO_RECORD}")


HOW_TO_RECORD: Final = "A training under tfperf record records it."


def _both(before: str, after: str, ratio: Fraction) -> str:
    return f"{before} in both" if ratio == 1 else f"{before} before, {after} now"


def _batch_of_other_layout(base: Report, new: Report, compute: float | None) -> _Batch:
    """With other numbers of GPUs or hosts. A pipeline may feed one GPU or a host, so only compute time shows
    whether each GPU kept its batch."""
    before, after = used_count(base), used_count(new)
    if compute is None or abs(compute - 1) > SAME_COMPUTE_RATIO or not before:
        words = "" if compute is None else f", and a GPU computes {signed_percent(compute - 1)} in a step"
        why = f"The number of GPUs or hosts differs, the batch size is not recorded{words}"
        return _Batch(None, f"{why}: what a step holds cannot be told. {HOW_TO_RECORD}")
    within = f"{max(1, math.ceil(100 * abs(compute - 1)))} %"
    basis = (
        f"Each GPU computes as long in a step, to {within}, so each is taken to keep its batch; the batch "
        "size is not recorded."
    )
    return _Batch(Fraction(after, before), basis, caveat=f"{basis} {HOW_TO_RECORD}")


def compute_ratio(base: Report, new: Report) -> float | None:
    """Compute time per step and GPU, new / base; ``None`` unless both are known."""
    before, after = (
        next((a.ns for a in r.ledger.accounts if a.id == "compute"), 0) if r.ledger else 0
        for r in (base, new)
    )
    return after / before if before and after else None


def _batch_text(workload: Workload) -> str:
    each = f"{workload.batch_size:,} examples"
    return f"{each} × {workload.steps_per_call} steps a call" if (workload.steps_per_call or 1) > 1 else each
