"""One GPU has more work than the others."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.balance import Balance, HostBalance, Surplus
from tfperf_plugin.analysis.artifacts.communication.model_stages import StagePipelines
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, gpu, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, keras, shell

EXCESS = Threshold(
    "compute above the median GPU",
    0.10,
    "ratio",
    "replicas of one model differ by little; 10 % is more than jitter",
)
STEADY = Threshold(
    "steps in which it is the busiest",
    0.80,
    "ratio",
    "else batches differ, and each step another GPU has most to do",
)
EXPLAINED = Threshold(
    "share of the surplus that named ops must make", 0.80, "ratio", "a cause that covers less is not named"
)
SAME_KERNELS = Threshold(
    "kernels above the median", 0.01, "ratio", "replicas that differ by less run the same kernels"
)
SHOWN = Threshold("share of the surplus of an op that is listed", 0.05, "ratio", "less is not worth a look")

_SHOWN_COUNT = 5
_NAMED_COUNT = 3
# An op counts as slower like all others if it exceeds the others by this share of the GPU's excess.
_LIKE_ALL = 0.5
# Accounts of the other GPUs while the busiest one still works.
_WAITING = ("communication.wait", "idle.stagger", "idle.dispatch", "idle.unknown", "idle.sync", "idle.launch")


def judge(
    balance: Balance, ledger: Ledger, devices: Devices, timeline: Timeline, stages: StagePipelines
) -> Verdict:
    """Compares the compute time of the busiest GPU with the median of its siblings on the same host."""
    if not balance.hosts:
        return NotApplicable("Fewer than two GPUs of one host took part.")
    host = max(balance.hosts, key=lambda h: (h.excess_ratio, h.host))
    if host.excess_ratio < EXCESS.value:
        return Passed(
            f"The busiest GPU computes {percent(max(0.0, host.excess_ratio))} longer than the median of the others."
        )
    name = gpu(host.names[host.busiest])
    if host.busiest_ratio < STEADY.value:
        return Passed(
            f"No GPU is the busiest in most steps: {name}, which computes longest by the median, in {percent(host.busiest_ratio)}."
        )
    models = {d.device: d.name for d in devices.participating if d.host == host.host}
    mine = models.get(host.names[host.busiest], "")
    if mine and sum(m == mine for m in models.values()) < len(models) / 2:
        return _other_model(host, models, mine, timeline)
    most = host.compute_ns[host.busiest]
    # With the work spread evenly over all GPUs that wait for each other, each would compute for the mean.
    joined = any((h.calls.hosts_count > 1).any() for h in ledger.hosts)
    together = balance.hosts if joined else (host,)
    every = [ns for h in together for ns in h.compute_ns]
    surplus = most - sum(every) // len(every)
    average = ledger.average()
    claims: dict[str, int] = {}
    for account in _WAITING:
        claims[account] = min(average[account], surplus - sum(claims.values()))
    between = host.between_ns // sum(len(h.devices) for h in ledger.hosts)
    claims["idle.between_steps"] = min(between, average["idle.between_steps"], surplus - sum(claims.values()))
    where = f"{name} of {host.host}" if len(ledger.hosts) > 1 else name
    return Found(
        title=f"{RULE.title}: {where}",
        summary=(
            f"{where} computes for {ms(most)} per step, the median of the others is {ms(host.others_ns)} "
            f"({percent(host.excess_ratio)} more). The others wait for it. {_reason(host)}"
        ),
        evidence=(
            Evidence(f"compute of {name}", most, "ns", None, "account Compute, median of the steps"),
            Evidence(
                "median of the others", host.others_ns, "ns", None, "account Compute, median of the steps"
            ),
            Evidence("above the median", host.excess_ratio, "ratio", EXCESS.value, EXCESS.source),
            Evidence(
                f"steps in which {name} is the busiest",
                host.busiest_ratio,
                "ratio",
                STEADY.value,
                STEADY.source,
            ),
            Evidence(
                f"kernels of {name} above the median",
                host.more_kernels_ratio,
                "ratio",
                SAME_KERNELS.value,
                SAME_KERNELS.source,
            ),
            *(_evidence(row) for row in _largest(host)),
        ),
        where=timeline.worst(["communication.wait", "idle.unknown"], f"waiting for {name}"),
        claims=claims,
        basis="compute of the busiest GPU − mean of all, as far as the others wait",
        confidence="high" if host.least_ns >= 0.5 * host.others_ns else "medium",
        fix=_STAGES if stages.has(host.host) else None,
        action="Split the model into stages of equal time"
        if stages.has(host.host)
        else "Compare this GPU's batch and clock with the others'"
        if _longer_throughout(host)
        else "",
    )


def _other_model(host: HostBalance, models: dict[str, str], mine: str, timeline: Timeline) -> Verdict:
    """The busiest GPU is another model than most: the same work takes longer on it, as it should."""
    name = gpu(host.names[host.busiest])
    most = host.compute_ns[host.busiest]
    others = listing(sorted({m for m in models.values() if m != mine}))
    return Found(
        title=f"Slower GPU model: {name}",
        action="Train on GPUs of one model, or split batches by speed",
        summary=(
            f"{name} is a {mine}, the others are {others}. The same share of the batch takes it {ms(most)} per step, "
            f"the others {ms(host.others_ns)} by the median; they wait for it."
        ),
        evidence=(
            Evidence(f"compute of {name}", most, "ns", None, "account Compute, median of the steps"),
            Evidence(
                "median of the others", host.others_ns, "ns", None, "account Compute, median of the steps"
            ),
            Evidence("above the median", host.excess_ratio, "ratio", EXCESS.value, EXCESS.source),
            Evidence(f"model of {name}", mine, "text", None, "device plane of the profile"),
        ),
        where=timeline.worst(["communication.wait", "idle.unknown"], f"waiting for {name}"),
        severity="warning",
        impact_ratio=min(1.0, (most - host.others_ns) / max(1, most)),
        fix=_OTHER_MODEL,
    )


_STAGES = Fix(
    summary="Split the model so that all stages take the same time.",
    actions=(
        "Move layers from this GPU's stage to others.",
        "Embedding, loss and metrics belong to the first and the last stage: give these fewer layers.",
    ),
    snippets=(
        keras(
            "cut = len(model.layers) // 2 - 1  # one layer less for this stage\nfirst, second = model.layers[:cut], model.layers[cut:]"
        ),
        custom_loop(
            "with tf.device('/GPU:0'):\n    hidden = apply(layers[:cut], part)\nwith tf.device('/GPU:1'):\n    output = apply(layers[cut:], hidden)"
        ),
    ),
)
_OTHER_MODEL = Fix(
    summary="Train on GPUs of one model, or give the slower ones less of the batch.",
    actions=(
        "Leave the slower GPUs out and compare samples per second: CUDA_VISIBLE_DEVICES.",
        "In a custom loop give each GPU a share of the batch in proportion to its speed.",
    ),
    snippets=(
        shell("CUDA_VISIBLE_DEVICES=0,1,2 python train.py"),
        keras(
            "strategy = tf.distribute.MirroredStrategy(['GPU:0', 'GPU:1', 'GPU:2'])  # without the slower one"
        ),
        custom_loop("shares = [64, 64, 64, 32]  # examples of each GPU\nparts = tf.split(batch, shares)"),
    ),
)


def _largest(host: HostBalance) -> list[Surplus]:
    """The families of ops that make up most of the surplus, largest first."""
    return [r for r in host.rows[:_SHOWN_COUNT] if r.surplus_ns >= SHOWN.value * host.more_ns > 0]


def _reason(host: HostBalance) -> str:
    """Which ops cause the surplus, as far as names and times tell."""
    rows = [r for r in host.rows if r.surplus_ns > 0]
    only = [r for r in rows if r.only_there]
    if sum(r.surplus_ns for r in only) >= EXPLAINED.value * host.more_ns > 0:
        scope = _scope([r.op for r in only])
        ops = count(sum(r.ops_count for r in only), "op") + (f" below {scope}" if scope else "")
        return f"It alone runs {ops}, {ms(sum(r.surplus_ns for r in only))} per step: {_names(only, scope)}."
    if _longer_throughout(host):
        return (
            "It runs as many kernels as the others, but all take longer: its share of the batch is larger, "
            "or its clock is lower; the profile does not say which."
        )
    top = rows[:_NAMED_COUNT]
    if rows and sum(r.surplus_ns for r in top) >= EXPLAINED.value * host.more_ns:
        return f"Most of the difference lies in {_names(top)}."
    return f"The difference is spread over {count(len(rows), 'op')}, most of all {_names(top)}."


def _longer_throughout(host: HostBalance) -> bool:
    """Whether the GPU runs the same kernels as the others, and all take longer."""
    if abs(host.more_kernels_ratio) >= SAME_KERNELS.value or any(r.only_there for r in host.rows):
        return False
    longer = [r for r in host.rows if r.surplus_ns >= _LIKE_ALL * host.excess_ratio * r.others_ns]
    return sum(r.own_ns for r in longer) >= EXPLAINED.value * sum(r.own_ns for r in host.rows)


def _scope(ops: list[str]) -> str:
    """The scope that all of several ops share: "evaluation/head/", or "" if they share none."""
    parts = [op.split("/")[:-1] for op in ops]
    shared = 0
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        shared += 1
    return "".join(f"{part}/" for part in parts[0][:shared]) if len(ops) > 1 else ""


def _names(rows: list[Surplus], scope: str = "") -> str:
    return listing([f"{_name(r).removeprefix(scope)} ({ms(r.surplus_ns)})" for r in rows], _NAMED_COUNT)


def _name(row: Surplus) -> str:
    return f"{row.op} and {row.ops_count - 1} alike" if row.ops_count > 1 else row.op


def _evidence(row: Surplus) -> Evidence:
    source = "kernel time per step beyond the median of the others" + (
        "; no other GPU runs it" if row.only_there else ""
    )
    return Evidence(_name(row), row.surplus_ns, "ns", None, source)


RULE = declared(judge, thresholds=(EXCESS, STEADY, EXPLAINED, SAME_KERNELS, SHOWN))
