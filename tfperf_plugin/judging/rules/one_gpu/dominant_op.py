"""One op takes most of the GPU's time."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import (
    is_convolution,
    is_own,
    is_own_product,
    plain_kernel,
    work,
)
from tfperf_plugin.analysis.evidence import Evidence, Missing, NotApplicable
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say, short_name, together, with_name

SHARE = Threshold(
    "share of the GPU's kernel time", 0.25, "ratio", "ours; the guides name no number, and a layer among dozens takes a few percent"
)  # fmt: skip
LEAD = Threshold("time over that of the next op", 2, "times", "else there is no single place to look at")
NAMED = Threshold("kernel time whose op is recorded", 0.5, "ratio", "else the profile does not say enough")
SHOWN_COUNT: Final = 4
HOPPER: Final = (9, 0)
# Version 3 names its kernels after Hopper: FlashAttnFwdSm90.
_FLASH_2: Final = re.compile(r"\bflash_(fwd|bwd)_\w*kernel")

NOTHING = "No kernel ran in a judged step."
UNNAMED = "Most kernels do not tell the layer that launched them."
RECORD_NAMES = "Record a training inside tf.function with host_tracer_level=2, the default."
NOT_MOST = "The op with most time, {name}, takes {share:percent} of the GPU's kernel time."
HIDDEN = "{name} takes {share:percent} of the time of all compute kernels, but most of it beside others."
TAKES = "{name}, gradients included, takes {spent:ms} of each step: {share:percent} of the time of all compute kernels."
KERNEL_TAKES = (
    "The kernel {name} takes {spent:ms} of each step: {share:percent} of the time of all compute kernels."
)
LEADS = "That is {times} times as much as the next one takes."
NO_OP = "Which op launched it was not recorded."
LOOK_HERE = "Of the kernels, look here first."
BY_HAND = "By its name it multiplies matrices, and it is no kernel of a library: compare it with {library}."
NO_SIZES = "The profile holds no sizes of matrices, so how much that would save is not known."


def judge(kernels: Kernels, capture: Capture, program: Program, devices: Devices) -> Verdict:
    """Sums kernels by op and layer, gradients included, and compares the longest with the next."""
    if not kernels.total_ns:
        return NotApplicable(NOTHING)
    without_op = sum(row.times.total_ns for row in kernels.rows if not row.op)
    by_kernel = "compilation" in capture.lacks and without_op > (1 - NAMED.value) * kernels.total_ns
    table: dict[tuple[str, str], list[KernelRow]] = defaultdict(list)
    for row in kernels.rows:
        layer, family = (plain_kernel(row.name), "") if by_kernel else work(row.op)
        # Without a scope, as in eager execution, ops of one type cannot be told from each other.
        if layer:
            table[layer, family].append(row)
    ranked = sorted(((sum(r.times.total_ns for r in rows), key) for key, rows in table.items()), reverse=True)
    if sum(ns for ns, _ in ranked) < NAMED.value * kernels.total_ns:
        return Missing(UNNAMED, RECORD_NAMES)
    (first, key), second = ranked[0], ranked[1][0] if len(ranked) > 1 else 0
    share = first / kernels.total_ns
    whole = "/".join(part for part in key if part)
    rows, name = table[key], short_name(whole) if by_kernel else whole
    if share < SHARE.value or first < LEAD.value * second:
        return Passed(say(NOT_MOST, name=name, share=share))
    if sum(r.alone_ns for r in rows) < SHARE.value * kernels.total_ns:
        return Passed(say(HIDDEN, name=name, share=share))
    times = f"{first / max(1, second):.1f}"
    kernel = rows[0].name
    own, by_hand = by_kernel and is_own(kernel), by_kernel and is_own_product(kernel)
    told = {
        "name": name, "spent": kernels.per_step(first), "share": share, "times": times, "library": program.product_library,
    }  # fmt: skip
    return Found(
        summary=together(
            say(KERNEL_TAKES if by_kernel else TAKES, LEADS if second else "", **told),
            NO_OP if by_kernel else "",
            LOOK_HERE,
            say(BY_HAND, NO_SIZES, **told) if by_hand else "",
        ),
        evidence=(
            Evidence("share of the GPU's kernel time", share, "ratio", SHARE.value, "kernels of judged steps"),
            Evidence("next op", second / kernels.total_ns, "ratio", None, "kernels of judged steps"),
            *kernels.evidence(rows[:SHOWN_COUNT]),
        ),
        where=kernels.places(rows, name),
        severity="info",
        confidence="high",
        action=with_name(
            f"Compare {{}} with {program.product_library}" if by_hand else "Find out what limits {}" if own else "Check whether the model needs {}", whole
        ),
        advice="a kernel of the program" if own else "its share",
        values={
            "share": share,
            "a convolution": is_convolution(whole),
            "FlashAttention 2": any(_FLASH_2.search(r.name) for r in rows) and all(d.known_capability >= HOPPER for d in devices.participating),
            "a product": all(r.eligible for r in rows) and not is_convolution(whole),
        },
    )  # fmt: skip


RULE = declared(judge, thresholds=(SHARE, LEAD, NAMED))
