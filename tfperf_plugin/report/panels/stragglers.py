"""When each GPU of a host starts a step, how late each GPU of a run is, and why."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.calls import CollectiveCalls
from tfperf_plugin.analysis.artifacts.communication.lateness import LateGpu, Lateness
from tfperf_plugin.analysis.artifacts.communication.step_starts import HostStarts, Starts
from tfperf_plugin.analysis.artifacts.communication.waits import CollectiveWaits
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import Groups, median, unique
from tfperf_plugin.judging.engine.words import gpu as gpu_words
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record
from tfperf_plugin.report import model
from tfperf_plugin.report.tables import Described, column, table

# Listed steps: those whose GPUs start furthest apart.
STEPS_CAP = 20
STRAGGLERS_CAP = 512
# Delays below this share of a step are scatter and have no cause.
LATE_RATIO = 0.01
_Gpu = tuple[str, str]


def stagger_card(starts: Starts, devices: Devices, facts: TrainingFacts | None) -> model.Stagger | None:
    """The card of the host with the largest median spread of starts; ``None`` if no host has two GPUs."""
    if not starts.hosts:
        return None
    host = max(starts.hosts, key=lambda h: int(np.median(h.spread_ns)))
    furthest = np.argsort(-host.spread_ns, kind="stable")[:STEPS_CAP]
    launch = host.launch_spread_ns
    return model.Stagger(
        host=host.host,
        order=host.order,
        spread_ns=int(np.median(host.spread_ns)),
        launch_spread_ns=None if launch is None else int(np.median(launch)),
        cost_ns=host.cost_ns + host.wait_ns,
        devices=host.start_order,
        one_thread=host.one_thread,
        private_threads=devices.private_threads.get(host.host, False)
        or bool(facts and facts.private_threads),
        items=tuple(_item(host, i, k) for k in sorted(furthest.tolist()) for i in range(len(host.names))),
    )


def _item(host: HostStarts, gpu: int, step: int) -> model.StaggerItem:
    first, last, launch = (int(x[gpu, step]) for x in (host.first_ns, host.last_ns, host.launch_ns))
    thread = int(host.thread[gpu, step])
    begin = int(host.first_ns[:, step].min())
    return model.StaggerItem(
        step=int(host.number[step]),
        host=host.host,
        device=host.names[gpu],
        first_launch_ns=launch - begin if launch >= 0 else None,
        first_kernel_ns=first - begin,
        begin_ms=first / 1e6,
        end_ms=last / 1e6,
        idle_ns=int(host.idle_ns[gpu, step]),
        wait_ns=int(host.waiting_ns[gpu, step]),
        thread=host.threads[thread] if thread >= 0 else "",
    )


def stragglers(
    ledger: Ledger, starts: Starts, calls: CollectiveCalls, waits: CollectiveWaits | None, late: Lateness
) -> tuple[model.Straggler, ...]:
    """All GPUs of a run with several; those that others wait for longest come first, then the latest."""
    begins, last = _begins(starts)
    arrivals = _arrivals(ledger, calls)
    caused = {(d.host, d.device): d.caused_wait_ns for d in waits.devices} if waits and arrivals else {}
    if all_ns := sum(caused.values()):
        last = {gpu: ns / all_ns for gpu, ns in caused.items()}
    rows = []
    for gpu in dict.fromkeys([*begins, *arrivals]):
        behind = max(begins.get(gpu, 0), arrivals.get(gpu, 0))
        is_late = behind >= LATE_RATIO * ledger.step_ns
        never = "" if last.get(gpu) else "Never last: no GPU waits for it."
        cause = (_cause(late.of(*gpu)) or never) if is_late else ""
        rows.append(model.Straggler(*gpu, behind, last.get(gpu, 0.0), cause, caused.get(gpu)))
    return tuple(sorted(rows, key=_order)[:STRAGGLERS_CAP])


def _order(row: model.Straggler) -> tuple[int, int, str, str]:
    return -(row.caused_wait_ns or 0), -row.behind_ns, row.host, row.device


def _begins(starts: Starts) -> tuple[dict[_Gpu, int], dict[_Gpu, float]]:
    """Each GPU's median delay behind the first GPU of its host, and in which share of steps it starts
    last."""
    behind, last = {}, {}
    for host in starts.hosts:
        delays = host.first_ns - host.first_ns.min(axis=0)
        for index, name in enumerate(host.names):
            behind[host.host, name] = int(median(delays[index].tolist()))
            comes_last = (delays[index] == delays.max(axis=0)) & (delays[index] > 0)
            last[host.host, name] = float(comes_last.mean())
    return behind, last


def _arrivals(ledger: Ledger, calls: CollectiveCalls) -> dict[_Gpu, int]:
    """Each GPU's longest delay in a step behind the first one to arrive at a collective, median of steps."""
    gpus, every = calls.rows(ledger)
    rows = every.only(every.matched)
    if not len(rows.call):
        return {}
    by_call, steps = Groups(rows.call), Groups(rows.gpu, rows.step)
    # The first to arrive waits longest; clocks of hosts do not matter.
    latest = steps.max(by_call.max(rows.wait_ns)[by_call.of_row] - rows.wait_ns)
    of_gpu = steps.keys[:, 0]
    return {
        (gpus[gpu][0].host, gpus[gpu][1].device): int(median(latest[of_gpu == gpu]))
        for gpu in unique(of_gpu).tolist()
    }


def _cause(gpu: LateGpu | None) -> str:
    """What keeps the GPU, in words; "" if that is not known."""
    if gpu is None or gpu.late_ns <= 0:
        return ""
    if gpu.by_input:
        return "It waits for its batch."
    if gpu.by_host:
        return f"Meanwhile, its host runs {gpu.doing}." if gpu.doing else "Its host launches late."
    return "It is still at work while others wait." if gpu.works else ""


class _Late(Record, frozen=True):
    """A GPU of the table."""

    name: str
    row: model.Straggler
    cause: str  # in words


def _starts_last(of: _Late) -> float | None:
    return of.row.last_ratio if of.row.caused_wait_ns is None else None


_COLUMNS: Final[tuple[Described[_Late], ...]] = (
    column("gpu", "GPU", "name", lambda of: of.name),
    column("caused_wait_ns", "Others wait", "ns", lambda of: of.row.caused_wait_ns, none="not known"),
    column("behind_ns", "Behind", "ns", lambda of: of.row.behind_ns),
    column("last_ratio", "Starts last", "ratio", _starts_last),
    column("cause", "Cause", "text", lambda of: of.cause),
)
_MEANINGS: Final = {
    "caused_wait_ns": "How long the other GPUs wait in collectives for this one, per step.",
    "behind_ns": "Median delay behind the first GPU.",
    "last_ratio": "Share of steps in which it starts last.",
}


def late_table(report: model.Report) -> model.Table:
    """Who comes last, the GPU first that others wait for longest."""
    step_ns = report.ledger.step_ns if report.ledger else report.steps.p50_ns
    several = len({row.host for row in report.stragglers}) > 1
    rows = [
        _Late(
            gpu_words(row.device, row.host if several else ""),
            row,
            "not late" if row.behind_ns < LATE_RATIO * step_ns else row.cause or "not known",
        )
        for row in report.stragglers
    ]
    return table("gpus", "Who comes last", rows, _COLUMNS, 0, meanings=_MEANINGS)
