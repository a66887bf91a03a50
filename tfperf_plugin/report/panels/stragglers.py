"""How late each GPU is, and why."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.calls import CollectiveCalls
from tfperf_plugin.analysis.artifacts.communication.lateness import LateGpu, Lateness
from tfperf_plugin.analysis.artifacts.communication.starts import Starts
from tfperf_plugin.analysis.artifacts.communication.waits import CollectiveWaits
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.medians import median
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.report import model

STRAGGLERS_CAP = 512
# Delays below this share of a step are scatter and have no cause.
LATE_RATIO = 0.01
_Gpu = tuple[str, str]


def stragglers(
    ledger: Ledger, starts: Starts, calls: CollectiveCalls, waits: CollectiveWaits | None, late: Lateness
) -> tuple[model.Straggler, ...]:
    """All GPUs of a run with several, latest first."""
    begins, last = _begins(starts)
    arrivals = _arrivals(ledger, calls)
    if waits:
        last |= {(d.host, d.device): d.last_ratio for d in waits.devices}
    rows = []
    for gpu in dict.fromkeys([*begins, *arrivals]):
        behind = max(begins.get(gpu, 0), arrivals.get(gpu, 0))
        is_late = behind >= LATE_RATIO * ledger.step_ns
        never = "" if last.get(gpu) else "Never last: no GPU waits for it."
        cause = (_cause(late.of(*gpu)) or never) if is_late else ""
        rows.append(model.Straggler(*gpu, behind, last.get(gpu, 0.0), cause))
    return tuple(sorted(rows, key=lambda r: (-r.behind_ns, r.host, r.device))[:STRAGGLERS_CAP])


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
