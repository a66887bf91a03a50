"""One GPU has more work than the others."""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.balance import Balance, HostBalance, Surplus
from tfperf_plugin.analysis.artifacts.communication.model_stages import StagePipelines
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gpu, listing, ms, say, together
from tfperf_plugin.judging.rules.several_gpus._late import claimed

EXCESS = Threshold(
    "compute above the median GPU", 0.10, "ratio",
    "replicas of one model differ by little; 10 % is more than jitter",
)  # fmt: skip
STEADY = Threshold(
    "steps in which it is the busiest", 0.80, "ratio",
    "else batches differ, and each step another GPU has most to do",
)  # fmt: skip
EXPLAINED = Threshold(
    "share of the surplus that named ops must make", 0.80, "ratio", "a cause that covers less is not named"
)
SAME_KERNELS = Threshold(
    "kernels above the median", 0.01, "ratio", "replicas that differ by less run the same kernels"
)
SHOWN = Threshold("share of the surplus of an op that is listed", 0.05, "ratio", "less is not worth a look")

SHOWN_COUNT: Final = 5
NAMED_COUNT: Final = 3
# An op counts as slower like all others if it exceeds the others by this share of the GPU's excess.
LIKE_ALL: Final = 0.5
# Accounts of the other GPUs while the busiest one still works.
WAITING: Final = (
    "communication.wait", "idle.stagger", "idle.dispatch", "idle.unknown", "idle.sync", "idle.launch",
)  # fmt: skip

ONE_GPU = "Fewer than two GPUs of one host took part."
EVEN = "The busiest GPU computes {excess:percent} longer than the median of the others."
IN_TURN = (
    "No GPU is the busiest in most steps: {name}, which computes longest by the median, in {share:percent}."
)
MORE = (
    "{name} computes for {most:ms} per step, the median of the others is {others:ms} ({excess:percent} more). The others "
    "wait for it."
)
MORE_THAN_ONE = "{name} computes for {most:ms} per step, {excess:percent} more than {other} with {others:ms}, which waits for it."
ALONE = "It alone runs {n:ops}, {spent:ms} per step: {names}."
ALONE_BELOW = "It alone runs {n:ops} below {scope}, {spent:ms} per step: {names}."
ALL_LONGER = (
    "It runs as many kernels as the others, but all take longer: its share of the batch is larger, or its clock is lower; "
    "the profile does not say which."
)
IN_SOME = "Most of the difference lies in {names}."
SPREAD = "The difference is spread over {n:ops}, most of all {names}."
OTHER_MODEL = (
    "{name} is a {model}, the others are {others}. The same share of the batch takes it {most:ms} per step, the others "
    "{usual:ms} by the median; they wait for it."
)
MORE_SOURCE = "kernel time per step beyond the median of the others"
ALONE_SOURCE = "kernel time per step beyond the median of the others; no other GPU runs it"
BASIS = "compute of the busiest GPU − mean of all, as far as the others wait"


def judge(
    balance: Balance, ledger: Ledger, devices: Devices, timeline: Timeline, stages: StagePipelines
) -> Verdict:
    """Compares the compute time of the busiest GPU with the median of its siblings on the same host."""
    if not balance.hosts:
        return NotApplicable(ONE_GPU)
    host = max(balance.hosts, key=lambda h: (h.excess_ratio, h.host))
    if host.excess_ratio < EXCESS.value:
        return Passed(say(EVEN, excess=max(0.0, host.excess_ratio)))
    name = gpu(host.names[host.busiest])
    if host.busiest_ratio < STEADY.value:
        return Passed(say(IN_TURN, name=name, share=host.busiest_ratio))
    most, others = host.compute_ns[host.busiest], host.others_ns
    other = gpu(host.names[1 - host.busiest]) if len(host.names) == 2 else ""
    median = other or "the median"
    compared = (
        Evidence(f"compute of {name}", most, "ns", None, "account Compute, median of the steps"),
        Evidence(
            f"compute of {other}" if other else "median of the others",
            others,
            "ns",
            None,
            "account Compute, median of the steps",
        ),
        Evidence(f"above {median}", host.excess_ratio, "ratio", EXCESS.value, EXCESS.source),
    )
    places = timeline.worst(["communication.wait", "idle.unknown"], f"waiting for {name}")
    if found := _of_other_model(host, devices, compared, places):
        return found
    # With the work spread evenly over all GPUs that wait for each other, each would compute for the mean.
    joined = any((h.calls.hosts_count > 1).any() for h in ledger.hosts)
    every = [ns for h in (balance.hosts if joined else (host,)) for ns in h.compute_ns]
    surplus = most - sum(every) // len(every)
    claims = claimed(ledger, (*WAITING, "idle.between_steps"), surplus)
    between = host.between_ns // sum(len(h.devices) for h in ledger.hosts)
    claims["idle.between_steps"] = min(between, claims["idle.between_steps"])
    where = f"{name} of {host.host}" if len(ledger.hosts) > 1 else name
    longer = "all kernels take longer" if _longer_throughout(host) else "one GPU does more"
    return Found(
        values={"name": where},
        summary=together(say(MORE_THAN_ONE if other else MORE, name=where, other=other, most=most, others=others, excess=host.excess_ratio), _reason(host)),
        evidence=(
            *compared,
            Evidence(f"steps in which {name} is the busiest", host.busiest_ratio, "ratio", STEADY.value, STEADY.source),
            Evidence(f"kernels of {name} above {median}", host.more_kernels_ratio, "ratio", SAME_KERNELS.value, SAME_KERNELS.source),
            *(
                Evidence(_name(r), r.surplus_ns, "ns", None, ALONE_SOURCE if r.only_there else MORE_SOURCE)
                for r in host.rows[:SHOWN_COUNT]
                if r.surplus_ns >= SHOWN.value * host.more_ns > 0
            ),
        ),
        where=places,
        claims=claims,
        basis=BASIS,
        confidence="high" if host.least_ns >= 0.5 * others else "medium",
        advice="it is a stage of the model" if stages.has(host.host) else longer,
    )  # fmt: skip


def _of_other_model(
    host: HostBalance, devices: Devices, compared: tuple[Evidence, ...], places: tuple[Place, ...]
) -> Found | None:
    """The busiest GPU is another model than most of its host; work in equal parts does not suit them."""
    models = {d.device: d.name for d in devices.participating if d.host == host.host}
    mine = models.get(host.names[host.busiest], "")
    if not mine or sum(m == mine for m in models.values()) >= len(models) / 2:
        return None
    name, most = gpu(host.names[host.busiest]), host.compute_ns[host.busiest]
    usual = listing(sorted({m for m in models.values() if m != mine}))
    return Found(
        values={"name": name},
        summary=say(OTHER_MODEL, name=name, model=mine, others=usual, most=most, usual=host.others_ns),
        evidence=(
            *compared,
            Evidence(f"model of {name}", mine, "text", None, "device plane of the profile"),
        ),
        where=places,
        severity="warning",
        impact_ratio=min(1.0, (most - host.others_ns) / max(1, most)),
        advice="it is another model of GPU",
    )


def _reason(host: HostBalance) -> str:
    """Which ops cause the surplus, as far as names and times tell."""
    rows = [r for r in host.rows if r.surplus_ns > 0]
    only = [r for r in rows if r.only_there]
    if sum(r.surplus_ns for r in only) >= EXPLAINED.value * host.more_ns > 0:
        scope = _scope([r.op for r in only])
        return say(
            ALONE_BELOW if scope else ALONE,
            n=sum(r.ops_count for r in only), spent=sum(r.surplus_ns for r in only), names=_names(only, scope), scope=scope,
        )  # fmt: skip
    if _longer_throughout(host):
        return ALL_LONGER
    top = rows[:NAMED_COUNT]
    if rows and sum(r.surplus_ns for r in top) >= EXPLAINED.value * host.more_ns:
        return say(IN_SOME, names=_names(top))
    return say(SPREAD, n=len(rows), names=_names(top))


def _longer_throughout(host: HostBalance) -> bool:
    """Whether the GPU runs the same kernels as the others, and all take longer."""
    if abs(host.more_kernels_ratio) >= SAME_KERNELS.value or any(r.only_there for r in host.rows):
        return False
    longer = [r for r in host.rows if r.surplus_ns >= LIKE_ALL * host.excess_ratio * r.others_ns]
    return sum(r.own_ns for r in longer) >= EXPLAINED.value * sum(r.own_ns for r in host.rows)


def _scope(ops: list[str]) -> str:
    """The scope that all of several ops share: "evaluation/head/", or "" if they share none."""
    if len(ops) < 2:
        return ""
    levels = zip(*(op.split("/")[:-1] for op in ops), strict=False)
    return "".join(f"{level[0]}/" for level in takewhile(lambda level: len(set(level)) == 1, levels))


def _names(rows: list[Surplus], scope: str = "") -> str:
    return listing([f"{_name(r).removeprefix(scope)} ({ms(r.surplus_ns)})" for r in rows], NAMED_COUNT)


def _name(row: Surplus) -> str:
    return f"{row.op} and {row.ops_count - 1} alike" if row.ops_count > 1 else row.op


RULE = declared(judge, thresholds=(EXCESS, STEADY, EXPLAINED, SAME_KERNELS, SHOWN), needs=("other GPUs",))
