"""The ledger of the report: where an average step goes, on each GPU too, and why GPUs are idle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.slow import Slow
from tfperf_plugin.analysis.artifacts.host.idle import (
    BEFORE,
    NAMED_RATIO,
    SELF_EXPLAINED,
    SHOWN_RATIO,
    Idle,
    IdleAccount,
)
from tfperf_plugin.analysis.artifacts.host.idle_launch import Cause, Stalls
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.words import gpu, listing, ms, stretch
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.compute import compute_causes, compute_parts
from tfperf_plugin.report.panels.gpus import FEW
from tfperf_plugin.report.tables import row_of
from tfperf_plugin.trace.model import Aspect


def ledger(ledger: Ledger, bounds: Bounds, slow: Slow) -> model.Ledger:
    """The average step by account, that of each GPU, and the numbers of compute."""
    step_ns, average = ledger.step_ns, ledger.average()
    communication, copies = ledger.hidden()
    parts = compute_parts(bounds, ledger)
    rows = tuple(
        model.DeviceAccounts(
            host.host, device.device, sum(mine.values()), _accounts(mine, sum(mine.values()))
        )
        for host in ledger.hosts
        for device in host.devices
        # Accounts without time are left out: with thousands of GPUs, they would be half of the report.
        for mine in [{a: ns for a, ns in ledger.average_of(device, host.steps.judged).items() if ns}]
    )
    return model.Ledger(
        step_ns=step_ns,
        accounts=_accounts(average, step_ns),
        compute=_accounts(ledger.compute_classes(), step_ns),
        devices=slowest_first(rows),
        devices_total=len(rows),
        hidden_communication_ns=communication,
        hidden_copy_ns=copies,
        compute_parts=parts,
        compute_floor_ns=sum(part.floor_ns for part in parts) if parts else None,
        compute_peak_ns=bounds.peak_ns if parts else None,
        compute_causes=compute_causes(slow) if parts else (),
    )


def _accounts(sums: dict[str, int], step_ns: int) -> tuple[model.Account, ...]:
    return tuple(model.Account(a, ns, ns / step_ns if step_ns else 0.0) for a, ns in sums.items())


def slowest_first(rows: tuple[model.DeviceAccounts, ...]) -> tuple[model.DeviceAccounts, ...]:
    """Sorts more than ``FEW`` GPUs by their own time in a step, longest first."""
    return rows if len(rows) <= FEW else tuple(sorted(rows, key=_own_ns, reverse=True))


def _own_ns(row: model.DeviceAccounts) -> int:
    """The step without waiting for other GPUs."""
    return row.step_ns - sum(a.ns for a in row.accounts if a.id == "communication.wait")


# ------------------------------------------------------------------------------- idle accounts

NOT_RECORDED = "host-side, cause not recorded"
PYTHON = "host-side, Python runs"
APART = "cause not known: the clocks of host and GPU differ"
LAUNCHED = "on the GPU's side: its next kernel is launched"

# Accounts that lie anywhere in a step: their longest stretch is told by the ops around it.
_INSIDE: Final = frozenset({"idle.sync", "idle.launch", "idle.host_op", "idle.dispatch", "idle.unknown"})
# The rule that judges late launches of each cause.
_RULE: Final[Mapping[Cause, str]] = {
    "loss_scaling": "dynamic-loss-scaling",
    "host_op": "host-op-in-step",
    "sync": "host-sync-in-step",
    "contention": "host-thread-contention",
}


def idle_accounts(
    idle: Idle, stalls: Stalls, findings: Sequence[Finding], step_ns: int, lacks: Sequence[Aspect] = ()
) -> tuple[model.IdleAccount, ...]:
    """The idle accounts. Those from ``SHOWN_RATIO`` of the step on get a sentence.

    If no event covers enough of an account, a finding of late launches that covers it may name the cause.
    """
    titles = {f.id: f.title for top in findings for f in (top, *top.explains)}
    rows = []
    for row in idle.accounts:
        ratio = row.ns / step_ns if step_ns else 0.0
        for cause, pauses in stalls.by_cause.items():
            held = pauses.claims.get(row.account, 0)
            if not row.cause and _RULE[cause] in titles and held >= NAMED_RATIO * row.ns:
                row = replace(row, cause=titles[_RULE[cause]], covered_ns=held)
        sentence = (
            _sentence(row, idle, step_ns, APART if "clocks" in lacks else NOT_RECORDED)
            if ratio >= SHOWN_RATIO
            else ""
        )
        rows.append(row_of(model.IdleAccount, row, ratio=ratio, sentence=sentence))
    return tuple(rows)


def _sentence(row: IdleAccount, idle: Idle, step_ns: int, not_known: str) -> str:
    says_where = row.account in _INSIDE and row.longest_ns >= SHOWN_RATIO * step_ns
    parts = [f"longest stretch {stretch(row.longest) if says_where else ms(row.longest_ns)}"]
    if row.cause:
        belongs = "no event of its own; it belongs to: " if row.account == "idle.unknown" else ""
        parts.insert(0, f"{belongs}{row.cause}, {ms(row.covered_ns)} of it")
    elif row.account not in SELF_EXPLAINED:
        python = not_known == NOT_RECORDED and row.python_covering(NAMED_RATIO * row.ns)
        launched = row.launched_ns >= NAMED_RATIO * row.ns
        parts.insert(0, LAUNCHED if launched else PYTHON if python else not_known)
    if row.seen:
        where = "" if row.account == "idle.dispatch" or row.seen[0][0].startswith(BEFORE) else "meanwhile "
        parts.append(f"{where}{listing([f'{name} ({ms(ns)})' for name, ns in row.seen])}")
    if row.account == "idle.launch" and idle.latencies:
        slowest = sorted(idle.latencies, key=lambda x: -x.median_ns)[:4]
        latencies = [f"{gpu(x.device)} {ms(x.median_ns)}, 95 % within {ms(x.p95_ns)}" for x in slowest]
        parts.append(f"from launch call to kernel on a free stream: {listing(latencies)}")
    return "; ".join(parts)
