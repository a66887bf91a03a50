"""GPUs communicate with others that the run does not show."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.by_host import RunFacts
from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.communication.waits import unmatched_ratios
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import known_row
from tfperf_plugin.judging.engine.words import listing, say, together
from tfperf_plugin.recording.record import TrainingFacts

ALONE = Threshold(
    "time in collectives that were found on no other GPU", 0.5, "ratio", "ours; above that most of what is called transfer may be waiting"
)  # fmt: skip

NO_COLLECTIVE = "No GPU ran a collective kernel."
STATED = "the profile states {n} participants"
TASKS = "ops name {n} tasks"
WORKERS = "the training recorded {n} workers"
REPLICAS = "the training recorded {n} replicas"
BESIDE = "other hosts were captured within a minute, into {n:folder|folders} beside it"
JOIN = (
    "If they are of one job, read them as one run: in the folder above, cp -n {profiles} {here}/ joins them."
)
ALONE_GPU = "collectives join several GPUs"
ALL = "All {recorded} GPUs that are known to communicate were recorded."
NOT_JOINED = "No collective was found to join all hosts: if one does, waiting in it counts as transfer."
JOINED = "Collectives of all hosts were matched by their common end."
OTHERS = (
    "The run holds {hosts:hosts} with {recorded:GPU that communicates|GPUs that communicate}, but {reasons}. The profile does "
    "not show whether a GPU waits inside a collective for an unrecorded one or transfers data: such waiting counts as "
    "transfer here."
)
UNMATCHED = (
    "Of the time in collectives on {hosts}, {most:percent} is in calls that were found on no other GPU. The profile does not "
    "show whether a GPU waits there for another host or transfers data: what is called transfer between GPUs here "
    "({share:percent} of the step is communication) may be waiting."
)


def judge(capture: Capture, ledger: Ledger | None, facts: TrainingFacts | None, run: RunFacts) -> Verdict:
    """Compares the GPUs that are known to take part in collectives with those recorded."""
    recorded, hosts = capture.communicating_devices_count, capture.hosts_count
    if not recorded:
        return NotApplicable(NO_COLLECTIVE)
    reasons = []
    if capture.collective_ranks > recorded:
        reasons.append(say(STATED, n=capture.collective_ranks))
    if capture.tasks_count > hosts:
        reasons.append(say(TASKS, n=capture.tasks_count))
    workers, replicas = (facts.workers or 0, facts.replicas or 0) if facts else (0, 0)
    if workers > hosts:
        reasons.append(say(WORKERS, n=workers))
    elif replicas > recorded:
        reasons.append(say(REPLICAS, n=replicas))
    places = {"profiles": " ".join(run.beside), "here": run.folder}
    if run.beside:
        reasons.append(say(BESIDE, n=len(run.beside)))
    if recorded == 1 and not reasons:
        reasons.append(ALONE_GPU)
    if not reasons:
        return _unmatched(ledger) or Passed(
            together(say(ALL, recorded=recorded), _between_hosts(hosts, ledger))
        )
    return Found(
        summary=together(
            say(OTHERS, hosts=hosts, recorded=recorded, reasons=" and ".join(reasons)),
            say(JOIN, **places) if run.beside else "",
        ),
        evidence=(
            Evidence("GPUs recorded that communicate", recorded, "count", None, "collective kernels"),
            # Old collectors state no participants.
            *known_row("participants that the profile states", capture.collective_ranks or None, "count", recorded, "collective events, or else the ranks of the job"),
            Evidence("tasks of the job", capture.tasks_count, "count", hosts, "device names of ops"),
            Evidence("hosts recorded", hosts, "count", None, "files of the run"),
            *known_row("workers of the training", workers or None, "count", hosts, "recorded by the training"),
            *known_row("replicas of the model", replicas or None, "count", recorded, "recorded by the training"),
        ),
        severity="warning",
        advice="hosts lie in folders of their own" if run.beside else "",
        values=places,
    )  # fmt: skip


def _between_hosts(hosts: int, ledger: Ledger | None) -> str:
    """Whether collectives that join hosts were matched: otherwise waiting for another host is unknown."""
    if hosts < 2:
        return ""
    if ledger is None or any(h.clock.source not in ("same host", "collectives") for h in ledger.hosts):
        return NOT_JOINED
    return JOINED


def _unmatched(ledger: Ledger | None) -> Found | None:
    """The finding if several hosts communicate and their collectives were not matched."""
    shares = unmatched_ratios(ledger) if ledger else {}
    alone = [host for host, share in shares.items() if share >= ALONE.value]
    if ledger is None or len(shares) < 2 or not alone:
        return None
    most = max(shares.values())
    time = ledger.average()
    spent = time["communication.transfer"] + time["communication.wait"]
    return Found(
        advice="collectives were not matched",
        summary=say(UNMATCHED, hosts=listing(alone), most=most, share=spent / max(1, ledger.step_ns)),
        evidence=(
            Evidence("time in calls that were found on no other GPU", most, "ratio", ALONE.value, "kernels of collectives in judged steps; the host with most"),
            Evidence("hosts whose calls were not matched", len(alone), "count", len(shares), "of the hosts that communicate"),
        ),
        # Part of a step holds too few calls to match: then more steps help, and too-few-steps says so.
        severity="info" if all(host.steps.partial for host in ledger.hosts) else "warning",
    )  # fmt: skip


RULE = declared(judge, thresholds=(ALONE,))
