"""GPUs communicate with others that the run does not show."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.communication.waits import unmatched_ratios
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, listing, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop
from tfperf_plugin.recording.record import TrainingFacts

ALONE = Threshold(
    "time in collectives that were found on no other GPU",
    0.5,
    "ratio",
    "ours; above that most of what is called transfer may be waiting",
)


def judge(capture: Capture, ledger: Ledger | None, facts: TrainingFacts | None) -> Verdict:
    """Compares the GPUs that are known to take part in collectives with those recorded."""
    recorded, hosts = capture.communicating_devices_count, capture.hosts_count
    if not recorded:
        return NotApplicable("No GPU ran a collective kernel.")
    reasons = []
    if capture.collective_ranks > recorded:
        reasons.append(f"collectives state {capture.collective_ranks} participants")
    if capture.tasks_count > hosts:
        reasons.append(f"ops name {capture.tasks_count} tasks")
    workers, replicas = (facts.workers or 0, facts.replicas or 0) if facts else (0, 0)
    if workers > hosts:
        reasons.append(f"the training recorded {workers} workers")
    elif replicas > recorded:
        reasons.append(f"the training recorded {replicas} replicas")
    if recorded == 1 and not reasons:
        reasons.append("a single GPU has nobody to communicate with")
    if not reasons:
        return _unmatched(ledger) or Passed(
            f"All {recorded} GPUs that are known to communicate were recorded.{_between_hosts(hosts, ledger)}"
        )
    return Found(
        summary=f"The run holds {count(hosts, 'host')} with "
        f"{count(recorded, 'GPU that communicates', 'GPUs that communicate')}, but {' and '.join(reasons)}. The profile does not show whether a GPU waits inside a collective for an unrecorded one or "
        "transfers data: such waiting counts as transfer here.",
        evidence=(
            Evidence("GPUs recorded that communicate", recorded, "count", None, "collective kernels"),
            *_known(
                "participants that collectives state", capture.collective_ranks, recorded, "collective events"
            ),
            Evidence("tasks of the job", capture.tasks_count, "count", hosts, "device names of ops"),
            Evidence("hosts recorded", hosts, "count", None, "files of the run"),
            *_known("workers of the training", workers, hosts, "recorded by the training"),
            *_known("replicas of the model", replicas, recorded, "recorded by the training"),
        ),
        severity="warning",
    )


def _between_hosts(hosts: int, ledger: Ledger | None) -> str:
    """Whether collectives that join hosts were matched: otherwise waiting for another host is unknown."""
    if hosts < 2:
        return ""
    if ledger is None or any(h.clock.source not in ("same host", "collectives") for h in ledger.hosts):
        return " No collective was found to join all hosts: if one does, waiting in it counts as transfer."
    return " Collectives of all hosts were matched by their common end."


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
        title="Collectives not matched across hosts",
        action="Record the same steps on all hosts at the same time",
        summary=f"Of the time in collectives on {listing(alone)}, {percent(most)} is in calls that were found on no other GPU. "
        "The profile does not show whether a GPU waits there for another host or transfers data: what is called transfer "
        f"between GPUs here ({percent(spent / max(1, ledger.step_ns))} of the step is communication) may be waiting.",
        evidence=(
            Evidence("time in calls that were found on no other GPU", most, "ratio", ALONE.value, "kernels of collectives in judged steps; the host with most"),
            Evidence("hosts whose calls were not matched", len(alone), "count", len(shares), "of the hosts that communicate"),
        ),
        severity="warning",
        fix=_TOGETHER,
    )  # fmt: skip


def _known(label: str, number: int, recorded: int, source: str) -> tuple[Evidence, ...]:
    """A number that the profile or the training states; old collectors state no participants."""
    return (Evidence(label, number, "count", recorded, source),) if number else ()


_TOGETHER = Fix(
    summary="Record at least three steps on all hosts at the same time, with step markers that carry the same numbers.",
    actions=(
        "Start all recordings with one call, so that they hold the same steps: tf.profiler.experimental.client.trace with the addresses of all workers.",
        "Mark each step with its number, the same on all hosts: tf.profiler.experimental.Trace('train', step_num=step, _r=1).",
        "Do not put recordings of different times or different jobs into one run.",
    ),
    snippets=(
        custom_loop("tf.profiler.experimental.client.trace(\n"
            "    'grpc://worker0:6009,grpc://worker1:6009', logdir, duration_ms=2000)",
        ),
    ),
)  # fmt: skip

RULE = declared(judge, thresholds=(ALONE,))
