"""Numbers of both runs side by side: accounts, scaling, key numbers, settings, and counts.

Counts do not depend on the machine, so a check that runs on a shared one can rely on them where it cannot
rely on times.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Literal

from tfperf_plugin.compare.comparable import CommonWork
from tfperf_plugin.compare.model import AccountChange, NumberChange, Scaling, SettingChange
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, ms
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.panels.gpus import used_count
from tfperf_plugin.report.tables import table_of

MORE_RATIO: Final = 0.05
"""Counts differ by less between launches of the same program."""
_COMPILES: Final = ("function-retracing", "xla-recompilation")
"""Rules that count how often the step is traced or compiled again."""
_KEY_NUMBERS: Final = (
    ("step time on the device", "device_time_ratio"),
    ("op time on the device", "ops_on_device_ratio"),
    ("compute in 16 bit", "compute_16bit_ratio"),
    ("compute in TF32", "compute_tf32_ratio"),
    ("GPU active", "gpu_busy_ratio"),
)
_UTILIZATION: Final = (
    ("model FLOPs utilization (MFU)", "mfu_ratio"),
    ("hardware FLOPs utilization (HFU)", "hfu_ratio"),
    ("compute whose need is known", "compute_judged_ratio"),
)
_ALLREDUCE: Final[tuple[tuple[str, Literal["ns", "bytes", "GB/s"], str], ...]] = (
    ("AllReduce, bytes per step", "bytes", "bytes_per_step"),
    ("AllReduce, transfer", "ns", "transfer_ns"),
    ("AllReduce, waiting", "ns", "wait_ns"),
    ("AllReduce, not hidden by compute", "ns", "exposed_ns"),
    ("AllReduce, bus bandwidth", "GB/s", "busbw_gbps"),
)


def number_changes(base: Report, new: Report) -> tuple[NumberChange, ...]:
    """The key numbers, AllReduce and memory that at least one run knows; what compute needs if both do."""
    both = base, new
    rows, needs = (
        [NumberChange(label, "ratio", *(getattr(r.key_numbers, name) for r in both)) for label, name in named]
        for named in (_KEY_NUMBERS, _UTILIZATION)
    )
    names = "compute, needed", "compute, could be won", "compute, not judged"
    times = zip(names, _split(base), _split(new), strict=True)
    needs += [NumberChange(name, "ns", before, after) for name, before, after in times]
    rows += [row for row in needs if row.base is not None and row.new is not None]
    rows += [
        NumberChange(label, unit, *(getattr(r.allreduce, name, None) for r in both))
        for label, unit, name in _ALLREDUCE
    ]
    peaks = (r.memory.devices[0].peak_bytes if r.memory else None for r in both)
    rows.append(NumberChange("memory of the fullest GPU at its peak", "bytes", *peaks))
    return tuple(row for row in rows if row.base is not None or row.new is not None)


def _split(report: Report) -> tuple[int | None, ...]:
    """Time of compute that is needed, that could be won and that is not judged."""
    parts = report.ledger.compute_parts if report.ledger else ()
    if not parts:
        return None, None, None
    return (
        sum(part.floor_ns for part in parts),
        sum(part.recoverable_ns for part in parts),
        sum(part.not_judged_ns for part in parts),
    )


def setting_changes(base: Report, new: Report) -> tuple[SettingChange, ...]:
    """The recorded settings that differ, from the first host of each run that recorded one."""
    if not base.training or not new.training:
        return ()
    before, after = (
        {fact.label: fact.value for record in reversed(run.training) for fact in record.facts}
        for run in (base, new)
    )
    absent = "not recorded"
    return tuple(
        SettingChange(label, before.get(label, absent), after.get(label, absent))
        for label in dict.fromkeys([*before, *after])
        if before.get(label) != after.get(label)
    )


def more(base: Report, new: Report) -> tuple[str, ...]:
    """A sentence for each count that grew from ``base`` to ``new``; empty if none did."""
    return tuple(_more(base, new))


def _more(base: Report, new: Report) -> Iterator[str]:
    for what, before, after in (
        ("kernels", _kernels(base), _kernels(new)),
        ("ops on the host", _host_ops(base), _host_ops(new)),
    ):
        if before and after > before * (1 + MORE_RATIO):
            yield f"A step has {after:,.0f} {what}, not {before:,.0f}."
    known = {finding.id for finding in base.findings}
    for finding in new.findings:
        if finding.id in _COMPILES and finding.id not in known:
            yield f"{finding.title}: {finding.cause or finding.summary}"


def _host_ops(report: Report) -> float:
    return report.key_numbers.host_ops_per_step or 0


def _kernels(report: Report) -> float:
    """Of an average step and GPU; 0 if none was recorded."""
    table = table_of(report, "types")
    return sum(row["count_per_step"] for row in table.records()) if table else 0


# ------------------------------------------------------------------------------ accounts and scaling

# The sentence names accounts that grew by more than this share of the step, and more than the drift.
_WORTH_SAYING: Final = 0.01


def change_accounts(base: Report, base_ns: int, new: Report, new_ns: int) -> tuple[AccountChange, ...]:
    """The accounts of both runs, scaled so that they add up to ``base_ns`` and ``new_ns`` exactly.

    Empty if a run has no ledger. Leaves out accounts that are zero in both.
    """
    if not base.ledger or not new.ledger:
        return ()
    before, after = _scaled(base, base_ns), _scaled(new, new_ns)
    ids = [a for a in dict.fromkeys([*before, *after]) if before.get(a) or after.get(a)]
    return tuple(
        AccountChange(a, before.get(a, 0), after.get(a, 0), after.get(a, 0) - before.get(a, 0)) for a in ids
    )


def _scaled(report: Report, total_ns: int) -> dict[str, int]:
    """Account → ns in the proportions of the report, adding up to ``total_ns``."""
    assert report.ledger
    accounts = report.ledger.accounts
    if report.ledger.step_ns == total_ns:
        return {a.id: a.ns for a in accounts}
    step_ns = max(1, report.ledger.step_ns)
    parts = [a.ns * total_ns // step_ns for a in accounts]
    # The nanoseconds left by rounding down go to the accounts that lost most.
    rests = sorted(range(len(parts)), key=lambda i: -(accounts[i].ns * total_ns % step_ns))
    for i in rests[: total_ns - sum(parts)]:
        parts[i] += 1
    return {a.id: ns for a, ns in zip(accounts, parts, strict=True)}


def find_scaling(base: Report, new: Report, work: CommonWork, drift: float) -> Scaling | None:
    """Scaling from fewer to more GPUs; ``None`` if equal numbers of GPUs take part.

    ``drift``: share of the step by which launches of one training differ.
    """
    gpus = used_count(base), used_count(new)
    if gpus[0] == gpus[1] or not all(gpus) or not base.ledger or not new.ledger:
        return None
    grows = gpus[1] > gpus[0]
    fewer, more = (base, new) if grows else (new, base)
    few, many = min(gpus), max(gpus)
    examples = work.examples if grows else 1 / work.examples
    each = examples * Fraction(few, many)
    assert fewer.ledger and more.ledger
    step_ns = more.ledger.step_ns
    ideal_ns = round(fewer.ledger.step_ns * each)
    accounts = change_accounts(fewer, ideal_ns, more, step_ns)
    kind: Literal["weak", "strong", "mixed"] = "weak" if each == 1 else "strong" if examples == 1 else "mixed"
    efficiency = ideal_ns / step_ns
    speedup = float(examples * fewer.ledger.step_ns / step_ns)
    return Scaling(
        kind=kind,
        basis=work.basis,
        fewer="base" if grows else "new",
        fewer_gpus=few,
        more_gpus=many,
        ideal_ns=ideal_ns,
        step_ns=step_ns,
        lost_ns=step_ns - ideal_ns,
        efficiency=efficiency,
        speedup=speedup,
        accounts=accounts,
        sentence=_sentence(ideal_ns, step_ns, accounts, drift),
    )


def _sentence(ideal_ns: int, step_ns: int, accounts: tuple[AccountChange, ...], drift: float) -> str:
    text = f"With more GPUs a step takes {ms(step_ns)} where {ms(ideal_ns)} would be ideal."
    least_ns = max(_WORTH_SAYING, drift) * step_ns
    most = sorted((a for a in accounts if a.delta_ns > least_ns), key=lambda a: -a.delta_ns)
    if most:
        words = ", ".join(f"{ACCOUNT_WORDS.get(a.id, a.id)} ({ms(a.delta_ns)})" for a in most[:3])
        text += f" More time goes to {words}."
    return text
