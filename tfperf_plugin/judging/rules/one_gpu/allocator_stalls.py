"""The GPU waits while the driver allocates and frees memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.memory.allocations import HELD_ACCOUNTS, Allocations
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import SLOW_BEGIN_LATER_COUNT
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost
from tfperf_plugin.judging.engine.words import gpus, listing, say, together

# The finding names the steps that hold this share of the time, if they are few.
MOST_RATIO: Final = 0.8

NO_CALLS = "No call that allocates or frees memory holds a GPU up."
WAITS = "In a step the {gpus} idle for {waiting:ms} while the host is inside {calls}."
LARGEST = "The largest part lies in {op} ({ns:ms})."
IN_ONE_STEP = (
    "Most of it lies in one of {steps} steps: {mean:ms} in step {number}, at most {most:ms} in any other."
)
IN_SOME_STEPS = (
    "Most of it lies in {few} of {steps} steps: {mean:ms} in each of them, at most {most:ms} in any other."
)
FREES = "Some of these calls free memory: the allocator is running out and returns what it kept, or it keeps no memory at all."
FREES_AGAIN = "Some of these calls free memory, which the program then asks for again."
ALLOCATES = "All of these calls allocate."
GROWS = "All of these calls allocate: the framework's memory pool is growing."
BASIS = "all idle time inside these calls: an allocator that already holds the memory makes no such calls"


def judge(ledger: Ledger, allocations: Allocations, program: Program) -> Verdict:
    """Compares the idle time of GPUs inside calls that allocate or free memory with the step."""
    waiting = sum(allocations.accounts.values())
    if not allocations.calls:
        return NotApplicable(NO_CALLS)
    names, calls = [name for name, _ in allocations.calls], sum(n for _, n in allocations.calls)
    freed = allocations.frees_ratio > 0
    of_pool = (FREES if freed else GROWS) if program.framework else FREES_AGAIN if freed else ALLOCATES
    few = _steps_with_most(allocations.by_step)
    return Found(
        summary=together(
            say(WAITS, gpus=gpus(ledger.gpus_count), waiting=waiting, calls=listing(names, 3)),
            say(LARGEST, op=allocations.ops[0][0], ns=allocations.ops[0][1]) if allocations.ops else "",
            _steps_sentence(few, allocations.by_step),
            of_pool,
        ),
        evidence=(
            *cost("GPU idle while memory is allocated or freed", waiting, ledger.step_ns, "step budget, and calls of the driver or its runtime"),
            Evidence("calls that hold a GPU up", round(calls, 1), "per_step", None, "host events"),
            Evidence("share of these calls that free memory", allocations.frees_ratio, "ratio", None, "their names"),
            Evidence("longest stretch", allocations.longest_ns, "ns", None, "step budget"),
            *(Evidence(f"of it in {name}", ns, "ns", None, "host events") for name, ns in allocations.ops[:3]),
            *(Evidence(f"in step {number}", ns, "ns", None, "step budget, mean of the GPUs") for number, ns in few),
        ),
        where=allocations.where,
        claims={account: allocations.accounts.get(account, 0) for account in HELD_ACCOUNTS},
        basis=BASIS,
        confidence="medium" if few else "high",
    )  # fmt: skip


def _steps_with_most(by_step: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The fewest steps that hold most of the time, if they are at most half of all."""
    wanted, found = MOST_RATIO * sum(ns for _, ns in by_step), list[tuple[int, int]]()
    for number, ns in sorted(by_step, key=lambda step: -step[1]):
        if sum(n for _, n in found) >= wanted:
            break
        found.append((number, ns))
    return sorted(found) if 2 * len(found) <= len(by_step) else []


def _steps_sentence(few: Sequence[tuple[int, int]], by_step: Sequence[tuple[int, int]]) -> str:
    """The steps that hold most of it, if they are few of many.

    If only a few steps were recorded, ``engine.run.seen_once`` says so for any finding.
    """
    if not few or len(by_step) <= SLOW_BEGIN_LATER_COUNT:
        return ""
    chosen = {number for number, _ in few}
    mean = sum(ns for _, ns in few) // len(few)
    most = max(ns for number, ns in by_step if number not in chosen)
    told = {"steps": len(by_step), "mean": mean, "number": few[0][0], "few": len(few), "most": most}
    return say(IN_ONE_STEP if len(few) == 1 else IN_SOME_STEPS, **told)


RULE = declared(judge, needs=("clocks", "launches"))
