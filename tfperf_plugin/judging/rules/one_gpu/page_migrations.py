"""Pages of managed memory migrate while kernels need them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.analysis.artifacts.by_host import longest_first
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import plain_kernel
from tfperf_plugin.analysis.artifacts.memory.copies import ACCOUNT_OF
from tfperf_plugin.analysis.artifacts.memory.migrations import Migrations
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.evidence_level import runs_once
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost
from tfperf_plugin.judging.engine.words import say, short_name
from tfperf_plugin.trace.roles import EVICTION, PREFETCH, Role

RECURRING = Threshold(
    "steps with as many migrations", 0.5, "ratio", "ours: what a program touches for the first time migrates once"
)  # fmt: skip
# Pages go back and forth if one direction takes this share of the time of the other.
BACK_RATIO: Final = 0.5
# The cause of migrations that take more than this share of their time.
MOST_RATIO: Final = 0.5
WAYS: Final = {Role.H2D: "to the GPU", Role.D2H: "to the host", Role.D2D: "between GPUs"}

RARE = "Pages of managed memory migrate, but most of it in {share:percent} of the judged steps."
HELD = (
    "For {held:ms} of a step, kernels run while pages of managed memory come on demand, and wait for those that they touch; "
    "{kernel} does so longest, for {longest:ms}."
)
AGAIN = "The program prefetched {again:bytes} of them before, but they went back to the host, as they do when it touches them."
EXPOSED = "For {exposed:ms} of a step, the GPU does nothing but move pages of managed memory."
EVICTED = "The GPU's memory is full: the driver evicts pages to make room for others."
ONE_STEP = "One step was recorded, and what a program touches for the first time migrates once: record more to see what recurs."
CAUSE_HELD = "{kernel} waits for pages of managed memory: {size:bytes} come to the GPU while kernels run, which takes {held:ms}."
CAUSE_EXPOSED = "The GPU does nothing but move pages of managed memory for {exposed:ms}."
BASIS = "time in which kernels run while pages come on demand, or the GPU only moves pages"


def judge(
    ledger: Ledger,
    migrations: Migrations,
    steps: Steps,
    timeline: Timeline,
    program: Program,
    every: Kernels | None,
) -> Verdict:
    """Compares migrations that kernels may wait for, or that nothing hides, with the step."""
    if migrations.steps_ratio < RECURRING.value:
        return Passed(say(RARE, share=migrations.steps_ratio))
    alone = {ACCOUNT_OF[way]: m.exposed_ns for way, m in migrations.moved.items() if m.exposed_ns}
    held, exposed = migrations.held_ns, sum(alone.values())
    kernels = longest_first(migrations.held_by_kernel)
    kernel, longest = kernels[0] if kernels else ("", 0)
    size, again = migrations.moved[Role.H2D].size_bytes, migrations.moved[Role.H2D].again_bytes
    told = {
        "held": held, "kernel": short_name(plain_kernel(kernel)), "longest": longest, "exposed": exposed, "size": size,
        "again": again,
    }  # fmt: skip
    once, evicted = steps.judged_count == 1, EVICTION in migrations.busy_by_cause
    case = _case(migrations, evicted)
    if case == "the prefetch comes late" and runs_once(steps, program, every):
        case = "all is prefetched"
    source = "accounts Compute and copies, while pages migrate"
    return Found(
        summary=say(
            HELD if held else "",
            AGAIN if held and again else "",
            EXPOSED if exposed else "",
            EVICTED if evicted else "",
            ONE_STEP if once else "",
            **told,
        ),
        cause=say(
            CAUSE_HELD if held > exposed and size else CAUSE_EXPOSED if exposed >= held else HELD, **told
        ),
        evidence=(
            *cost("migrations that nothing hides", held + exposed, ledger.step_ns, source),
            *_moved(migrations),
        ),
        where=migrations.places.all("pages migrate while it runs")
        or timeline.worst(sorted(alone), "only pages migrate"),
        claims={"compute": held} | alone if held else alone,
        kernels=tuple(name for name, _ in kernels),
        basis=BASIS,
        confidence="low" if _share(migrations, "") > MOST_RATIO else "medium",
        advice=case,
        once_ns=held + exposed if once else 0,
    )


def _case(migrations: Migrations, evicted: bool) -> str:
    """The case of the page; "" where pages come on demand."""
    to, back = (migrations.moved[way].busy_ns for way in (Role.H2D, Role.D2H))
    if evicted:
        return "memory is full"
    if min(to, back) >= BACK_RATIO * max(to, back):
        return "pages go back and forth"
    if migrations.moved[Role.H2D].again_bytes >= BACK_RATIO * max(1, migrations.moved[Role.H2D].size_bytes):
        return "the prefetch comes early"
    return "the prefetch comes late" if _share(migrations, PREFETCH) > MOST_RATIO else ""


def _share(migrations: Migrations, cause: str) -> float:
    """The share of the migrations' time that goes to a cause; "": to causes that are not recorded."""
    return migrations.busy_by_cause.get(cause, 0) / max(1, migrations.busy_ns)


def _moved(migrations: Migrations) -> Iterator[Evidence]:
    """Number, bytes and speed of the migrations in each direction, and the share that is prefetched."""
    for way, moved in migrations.moved.items():
        if not moved.count:
            continue
        yield Evidence(f"migrations {WAYS[way]}", round(moved.count, 1), "per_step", None, "copy events")
        if moved.size_bytes:
            yield Evidence(
                f"bytes {WAYS[way]}", moved.size_bytes, "bytes", None, "copy events, per step and GPU"
            )
            speed = moved.size_bytes / max(1, moved.busy_ns)
            yield Evidence(f"achieved {WAYS[way]}", speed, "GB/s", None, "bytes / time of migrations")
    if any(migrations.busy_by_cause):
        asked = _share(migrations, PREFETCH)
        yield Evidence("migration time in prefetches", asked, "ratio", None, "causes, by CUPTI")


RULE = declared(judge, thresholds=(RECURRING,), keeps_launches=True)
