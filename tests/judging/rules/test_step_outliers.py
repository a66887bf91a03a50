"""Some steps are much longer than the others."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from tests.builders import ALL_REDUCE, GET_NEXT, MS, Host, finding, fires, inputs, judge, passes, says
from tfperf_plugin.judging.engine.rule import RARE, Found, NotApplicable
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.one_gpu import step_outliers as rule
from tfperf_plugin.judging.rules.one_gpu.step_outliers import RULE


def training(*gaps: float, steps: tuple[float, ...] = (), event: str = "", share: float = 1.0) -> Host:
    """Steps of 100 ms (or as long as ``steps`` says) in which the GPU works, and one that is not complete.

    After each comes a gap of so many ms in which the GPU is idle and the host between steps; ``event`` covers
    this share of it.
    """
    host, begin = Host(), 0.0
    lengths = steps or (100.0,) * len(gaps)
    for number, (length, gap) in enumerate(zip((*lengths, 100.0), (*gaps, 0.0), strict=True)):
        host.step(number, begin, begin + length)
        host.kernel(begin, begin + length)
        if event and gap:
            host.event(event, begin + length + 0.001, begin + length + gap * share)
        begin += length + gap
    return host


def periodic(count: int, every: int, gap: float) -> list[float]:
    return [gap if number % every == every - 1 else 0.0 for number in range(count)]


def some(gap: float, *numbers: int, count: int = 20) -> list[float]:
    return [gap if number in numbers else 0.0 for number in range(count)]


@pytest.mark.parametrize(("longer", "rare"), [(100, 20), (2_000, 100)])
def test_gaps_in_every_step_stay_a_finding_of_their_own(longer: float, rare: int) -> None:
    """Each step is followed by a gap, every fifth by a longer one: each finding has its own time, and savings
    never add up to more than the step."""
    made = inputs(training(*(gap + 60 for gap in periodic(20, 5, longer))))
    savings = {f.id: f.saving for f in run_rules(RULES, made).findings}
    gap, outliers = savings["step-gaps"], savings["step-outliers"]

    assert set(savings) == {"step-gaps", "step-outliers"}
    assert gap and gap.accounts == {"idle.between_steps": 60 * MS}
    assert outliers and (outliers.ns, outliers.accounts) == (rare * MS, {})
    assert made.ledger and gap.ns + outliers.ns <= made.ledger.step_ns


@pytest.mark.near_miss("below")
def test_more_than_every_fourth_step_is_usual() -> None:
    every_third = inputs(training(*periodic(21, 3, 100)))
    assert every_third.ledger and every_third.ledger.step_ns == pytest.approx(133_333_333, abs=1)
    passes(RULE, training(*periodic(21, 3, 100)))
    assert fires(RULE, training(*periodic(20, 4, 100))).claims == {RARE: 25 * MS}


def test_a_single_one_says_less() -> None:
    found = fires(RULE, training(*some(100, 7)))

    assert found.summary.startswith("Step 7 takes") and says(found, rule.ONCE)
    assert (found.confidence, found.severity) == ("low", "info")
    assert (found.claims, found.once_ns) == ({RARE: 5 * MS}, 100 * MS)


def test_a_single_one_is_at_most_a_warning() -> None:
    outcome = run_rules(RULES, inputs(training(*some(2_000, 7))))
    (found,) = outcome.findings
    assert (found.id, found.severity) == ("step-outliers", "warning")
    assert found.saving and (found.saving.ns, found.saving.once_ns) == (100 * MS, 2_000 * MS)


def test_steps_that_compute_longer_are_no_saving() -> None:
    lengths = tuple(200.0 if number % 5 == 4 else 100.0 for number in range(20))
    found = finding(RULE, training(*[0.0] * 20, steps=lengths))

    assert (found.severity, found.saving) == ("info", None)
    assert says(found, rule.WORK)


@pytest.mark.parametrize(
    ("gaps", "claimed"),
    [
        ((0, 0, 0, 100, 10, 0, 0), 0),  # fewer than eight steps do not tell
        ((0, 0, 0, 100, 0, 0, 0), 100 / 7),  # unless the others are alike
        ((0, 0, 0, 18, 0, 0, 0), 0),
        ((0, 0, 0, 100, 0, 0, 0, 0), 12.5),
        ((0, 10, 300, 0), 75),  # or one is far longer
        ((0, 10, 200, 0), 0),
        ((0, 300, 0), 0),  # one of three is not rare
    ],
)
def test_a_few_steps_tell_where_one_is_far_longer(gaps: Sequence[float], claimed: float) -> None:
    verdict = judge(RULE, training(*gaps))

    assert getattr(verdict, "claims", {}) == ({RARE: int(claimed * MS)} if claimed else {})
    assert isinstance(verdict, Found if claimed else NotApplicable)


RANDOM = Random(5)
EVEN = tuple(RANDOM.uniform(60, 140) for _ in range(30))
# A few are twice as long as the median and compute more, at no regular distance.
SKEWED = tuple(100 * RANDOM.lognormvariate(0, 0.35) for _ in range(30))


def warming_up() -> Host:
    host = training(100, *[0.0] * 12)
    host.event("XlaCompile", 0.1, 99.9)
    return host


def under_kernels() -> Host:
    """The host saves a checkpoint after every fifth step, the GPU works on."""
    host = Host()
    for number in range(21):
        host.step(number, number * 100, number * 100 + (40 if number % 5 == 4 else 100))
        host.kernel(number * 100, number * 100 + 100)
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        training(*some(60, 7, count=100)),  # 0.6 % of the average step
        training(*some(49, 7)),  # not half as long again
        training(*[0.0] * 30, steps=EVEN),
        training(*[0.0] * 30, steps=SKEWED),
        warming_up(),
        under_kernels(),
    ],
    ids=["little", "hardly longer", "spread", "skewed", "warm-up", "hidden"],
)
def test_what_is_no_outlier(host: Host) -> None:
    passes(RULE, host)


@pytest.mark.parametrize(
    ("wait", "pause", "action"),
    [
        (100, 0, "Keep more batches ready: input is slow now and then"),
        (20, 100, RULE.page.action),  # a checkpoint, beside a little waiting
    ],
)
def test_what_most_of_the_rare_time_goes_to_is_the_cause(wait: float, pause: float, action: str) -> None:
    host, begin = Host(), 0.0
    for number in range(21):
        long = number % 5 == 4
        waits = wait if long else 0.0
        host.step(number, begin, begin + 100 + waits)
        if long:
            host.event(GET_NEXT, begin + 0.1, begin + waits)
        host.kernel(begin + waits, begin + waits + 100, launch=(begin + waits, begin + waits + 0.01))
        begin += 100 + waits + (pause if long else 0)
    outcome = run_rules(RULES, inputs(host))

    assert [f.id for f in outcome.findings] == ["step-outliers"]
    assert outcome.findings[0].action == action


def exchanging(name: str, pause: float) -> Host:
    """Steps of 100 ms that end with AllReduce; every fifth takes 200 ms, of which ``pause`` are idle here."""
    host, begin = Host(name), 0.0
    for number in range(21):
        length = 200.0 if number % 5 == 4 else 100.0
        idle = pause if number % 5 == 4 else 0.0
        host.step(number, begin, begin + length)
        host.kernel(begin, begin + 40)
        host.kernel(begin + 40 + idle, begin + 90 + idle)
        host.kernel(begin + 90 + idle, begin + length, name=ALL_REDUCE, stats={"buffer_size": 1_000_000})
        begin += length
    return host


def test_of_several_hosts_the_one_that_the_others_wait_for_is_named() -> None:
    found = fires(RULE, exchanging("worker0", 0), exchanging("worker1", 100))

    assert says(found, rule.LATE_HOST) and "On worker1 it is" in found.summary
