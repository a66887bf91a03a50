"""Chains of elementwise kernels that XLA would fuse into one kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.attention import Attentions
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.sequences import (
    CHAIN_COUNT,
    ONE_BY_ONE,
    SHORT_NS,
    Chain,
    Sequences,
    chain_scope,
)
from tfperf_plugin.analysis.evidence import Evidence, Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.speeds import MEMORY_REACHED
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import KernelClass

CHAIN = Threshold(
    "kernels in a row", CHAIN_COUNT, "count",
    "fewer are seldom worth a compiler; none of the guides has a number", fixed=True,
)  # fmt: skip
SHORT = Threshold(
    "mean kernel of a chain", SHORT_NS, "ns", "shorter ones are judged by small-kernels", fixed=True, side=">"
)
COMPILED = Threshold(
    "elementwise time made by XLA", 0.5, "ratio", "more: the step is compiled already", side="≤"
)
SHOWN_COUNT: Final = 4
LABEL: Final = "chain of elementwise kernels"

COMPILED_STEP = "The training recorded jit_compile=True: XLA fuses the step already."
NONE = "The step has no elementwise kernels."
COMPILED_KERNELS = "XLA or another compiler made most of the elementwise kernels."
NO_CHAIN = "No three elementwise kernels of one layer follow each other."
CHAINS = (
    "{runs:elementwise kernel|elementwise kernels} per step follow each other in chains of {least} or more and take "
    "{total:ms}."
)
CHAINS_OF_PROGRAMS = (
    "{runs:elementwise kernel|elementwise kernels} per step follow each other in chains of {least} or more within one layer, "
    "or in programs of one op each, and take {total:ms}."
)
FUSED = (
    "Each reads and writes whole tensors in memory; fused into one kernel a chain reads its inputs and writes its result "
    "once."
)
IN_A_ROW = "{kernels} kernels in a row, {times} × per step"
KNOWN = "of {n:chains} whose shapes are known, per step and GPU"
BASIS = (
    "measured time of the chains − the longest kernel of each. Such kernels are memory-bound; n kernels over one tensor "
    "pass over it at least 2n times, one fused kernel at least twice, and the longest of them passes at least twice. Where "
    "shapes are known, no more than the time in which the bytes of all but the largest op pass at 85 % of the bandwidth. "
    "Tensors that the gradient needs later are still written, so the real saving may be smaller; kernels that run beside "
    "others count by their share"
)


class _Fused(Record, frozen=True):
    """A chain and what fusing it saves at most, in all judged steps."""

    chain: Chain
    excess_ns: int
    #: Whether all bytes are known.
    known: bool
    #: Bytes that its ops move.
    bytes: int
    #: Bytes that one kernel for each run needs.
    needed: int


def judge(
    ledger: Ledger, sequences: Sequences, kernels: Kernels, bounds: Bounds, attentions: Attentions,
    devices: Devices, facts: TrainingFacts | None,
) -> Verdict:  # fmt: skip
    """Bounds what one kernel for each chain would save: all but the longest kernel of the chain, and where
    shapes are known, the time in which the others' bytes pass through memory."""
    if facts and facts.jit_compile:
        return NotApplicable(COMPILED_STEP)
    if not sequences.elementwise_ns:
        return NotApplicable(NONE)
    if sequences.compiled_ns > COMPILED.value * sequences.elementwise_ns:
        return NotApplicable(COMPILED_KERNELS)
    if not sequences.chains:
        return Passed(NO_CHAIN)
    runs = kernels.per_step(sum(c.kernels_count for c in sequences.chains))
    total = kernels.per_step(sum(c.total_ns for c in sequences.chains))
    least = kernels.per_step(sum(c.longest_ns for c in sequences.chains))
    members = _members(sequences, bounds, attentions)
    fused = _fused(sequences, members, bounds, attentions, devices)
    excess = kernels.per_step(sum(one.excess_ns for one in fused))
    saving = kernels.exposed(ledger, excess, KernelClass.ELEMENTWISE)
    saves = [one for one in fused if one.excess_ns]
    known, shown = [one for one in saves if one.known], saves[:SHOWN_COUNT]
    scopes = {one.chain.scope for one in shown}
    programs = ONE_BY_ONE in scopes
    where = kernels.places([r for r in kernels.rows if chain_scope(r.op) in scopes], LABEL)
    if programs:
        where += Places.of((op.longest_ns, op.longest) for op in members[ONE_BY_ONE]).all(LABEL)
    of_known = say(KNOWN, n=len(known))
    return Found(
        summary=say(CHAINS_OF_PROGRAMS if programs else CHAINS, FUSED, runs=runs, least=CHAIN_COUNT, total=total),
        evidence=(
            Evidence("elementwise kernels in chains", total, "ns", None, "per step and GPU"),
            Evidence("longest kernel of each chain", least, "ns", None, "per step and GPU: what has to remain"),
            *(
                Evidence(f"bytes that {label}", kernels.per_step(size), "bytes", None, of_known)
                for label, size in (
                    ("the chains move", sum(one.bytes for one in known)),
                    ("fused kernels need", sum(one.needed for one in known)),
                )
                if known
            ),
            *(Evidence(one.chain.scope, kernels.per_step(one.excess_ns), "ns", None, _often(one.chain, kernels)) for one in shown),
        ),
        where=where,
        claims={"compute": saving},
        kernels=kernels.names(r for r in kernels.rows if chain_scope(r.op) in members),
        basis=BASIS,
        confidence="medium",
    )  # fmt: skip


def _often(chain: Chain, kernels: Kernels) -> str:
    times = chain.runs_count / max(1, kernels.windows_count)
    return say(IN_A_ROW, kernels=f"{chain.kernels_count / chain.runs_count:.0f}", times=f"{times:.0f}")


def _members(sequences: Sequences, bounds: Bounds, attentions: Attentions) -> dict[str, list[OpBound]]:
    """Elementwise ops by the scope of a chain, without attention."""
    found: dict[str, list[OpBound]] = {chain.scope: [] for chain in sequences.chains}
    ops_count = Counter(program for program, _ in bounds.ops)
    for (program, name), op in bounds.ops.items():
        of_chain = chain_scope(name) if not program else ONE_BY_ONE if ops_count[program] == 1 else ""
        wanted = op.kernel_class is KernelClass.ELEMENTWISE and (program, name) not in attentions.ops
        if wanted and of_chain in found:
            found[of_chain].append(op)
    return found


def _fused(
    sequences: Sequences,
    members: Mapping[str, Sequence[OpBound]],
    bounds: Bounds,
    attentions: Attentions,
    devices: Devices,
) -> list[_Fused]:
    """The chains by falling excess, without what attention-unfused claims."""
    claimed: Counter[str] = Counter()
    for attention in attentions.found:
        for program, name in attention.between:
            op = bounds.ops[program, name]
            if not program and op.kernel_class is KernelClass.ELEMENTWISE:
                claimed[chain_scope(name)] += op.total_ns
    rate = max((d.memory_bandwidth or 0 for d in devices.participating), default=0) * MEMORY_REACHED
    found = []
    for chain in sequences.chains:
        ops, excess = members[chain.scope], max(0, chain.excess_ns - claimed[chain.scope])
        known = bool(ops) and not any(op.not_judged for op in ops)
        size, largest = sum(op.bytes for op in ops), [op.bytes // max(1, op.executions_count) for op in ops]
        needed = min(size, max(largest, default=0) * chain.runs_count)
        if rate and known:
            excess = min(excess, int((size - needed) / rate * 1e9))
        found.append(_Fused(chain, excess, known, size, needed))
    return sorted(found, key=lambda one: (-one.excess_ns, one.chain.scope))


RULE = declared(judge, thresholds=(CHAIN, SHORT, COMPILED))
