"""What to change is said in the words of the program's framework."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from tests.builders import Host, Stats, each, inputs
from tests.judging.engine.rules import found, rule
from tfperf_plugin.analysis.artifacts.capture.framework import Framework, Name
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.advice import _TENSORFLOW, advice
from tfperf_plugin.judging.engine.pytorch import PYTORCH
from tfperf_plugin.judging.engine.rule import Missing, Rule
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.capture import no_step_markers
from tfperf_plugin.judging.verdicts import Fix, Link, Snippet

FIX = Fix(
    summary="Fuse kernels.",
    actions=(
        "Let XLA fuse small kernels: jit_compile=True.",
        "In a custom loop, read losses back seldom.",
        "Use a larger batch.",
        "Let callbacks of model.fit work every N batches.",
    ),
    snippets=(
        Snippet("shell", "python train.py"),
        Snippet("custom loop", "@tf.function(jit_compile=True)\ndef step(): ..."),
        Snippet("Keras", "model.fit(ds)"),
        Snippet("JAX", "jax.jit(step)"),
        Snippet("PyTorch/XLA", "xp.StepTrace('train')"),
    ),
    links=(Link("XLA", "https://www.tensorflow.org/xla"), Link("CUDA", "https://docs.nvidia.com/")),
)
OWN = Fix("Put the whole step into one jax.jit.", ("Use jax.jit.",), (Snippet("JAX", "jax.jit(step)"),))
PLAIN = replace(rule("plain"), fix=FIX)


def program(name: Name, compiled: bool = False, tf_data: bool = False) -> Framework:
    return Framework(name, compiled, tf_data)


def labels(fix: Fix) -> list[str]:
    return [s.framework for s in fix.snippets]


def test_where_the_framework_is_unknown_everything_is_shown() -> None:
    assert advice(PLAIN, found(), program("")) == FIX


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("Keras", ["Keras", "shell", "custom loop"], FIX.actions[1]),
        ("custom loop", ["custom loop", "shell", "Keras"], FIX.actions[3]),
    ],
)
def test_what_is_theirs_comes_first(name: Name, first: list[str], last: str) -> None:
    fix = advice(PLAIN, found(), program(name))

    assert labels(fix) == first
    assert set(fix.actions) == set(FIX.actions)
    assert fix.actions[-1] == last


def test_who_has_xla_is_not_told_to_use_it() -> None:
    fix = advice(PLAIN, found(), program("custom loop", compiled=True))

    assert FIX.actions[0] not in fix.actions
    assert labels(fix) == ["shell", "Keras"]


def test_a_fix_that_is_about_nothing_else_stays() -> None:
    only = replace(PLAIN, fix=replace(FIX, actions=FIX.actions[:1]))

    assert advice(only, found(), program("Keras", compiled=True)).actions == FIX.actions[:1]


def test_jax_is_told_what_holds_for_it() -> None:
    fix = advice(PLAIN, found(), program("JAX", compiled=True))

    assert fix.actions == ("Use a larger batch.",)
    assert labels(fix) == ["shell", "JAX"]
    assert [link.title for link in fix.links] == ["CUDA"]


def test_jax_is_told_the_rules_own_words_for_it() -> None:
    assert advice(replace(PLAIN, jax=OWN), found(), program("JAX")) == OWN
    assert advice(replace(PLAIN, jax=OWN), found(), program("Keras")).summary == FIX.summary


def test_what_was_found_specially_holds_for_jax_too_if_most_of_it_does() -> None:
    special = Fix("Look at the clock.", ("Run nvidia-smi.", "Read tf.Variable."))
    mostly_not = replace(special, actions=("Read tf.Variable.", "Use Keras.", "Run nvidia-smi."))
    both = replace(PLAIN, jax=OWN)

    assert advice(both, replace(found(), fix=special), program("JAX")) == Fix(
        "Look at the clock.", ("Run nvidia-smi.",), OWN.snippets
    )
    assert advice(both, replace(found(), fix=mostly_not), program("JAX")) == OWN


@pytest.mark.parametrize("tf_data", [True, False])
def test_advice_on_tf_data_is_for_who_uses_it(tf_data: bool) -> None:
    action = "Add num_parallel_calls=tf.data.AUTOTUNE."
    code = Snippet("custom loop", "ds = ds.prefetch(tf.data.AUTOTUNE)")
    fix = advice(
        replace(PLAIN, fix=Fix("Faster.", (action,), (code,))), found(), program("JAX", True, tf_data)
    )

    assert (fix.actions, fix.snippets) == (((action,), (code,)) if tf_data else ((), ()))


def jax_host() -> Host:
    host = Host()
    host.event("PjitFunction(step)", 0, 1)
    for number in range(5):
        host.kernel(number**2 + 2, number**2 + 2.5, name=f"kernel_{number}", stats={"hlo_module": "jit_step"})
    return host


def test_how_to_record_what_is_missing_speaks_of_jax() -> None:
    def needs(ledger: Ledger) -> Missing:
        raise AssertionError

    outcome = run_rules([rule("needs", needs), no_step_markers.RULE], inputs(jax_host()))

    assert "StepTraceAnnotation" in outcome.missing_data[0].how
    assert labels(outcome.trust[0].fix) == ["JAX"]


@pytest.mark.parametrize("of", [r for r in RULES if r.jax], ids=lambda r: r.id)
def test_words_for_jax_name_nothing_of_tensorflow(of: Rule) -> None:
    fix = of.jax
    assert fix is not None
    texts = [fix.summary, *fix.actions, *(s.code for s in fix.snippets)]
    assert {s.framework for s in fix.snippets} <= {"JAX", "shell"}
    # The variable of CUPTI is read by the profiler of both.
    assert [t for t in texts if _TENSORFLOW.search(t) and "TF_GPU_CUPTI" not in t] == []


def test_a_loop_of_jax_gets_no_advice_for_tensorflow() -> None:
    host = Host()
    each(5, 100, lambda at: host.event("PjitFunction(step)", at, at + 20))

    def kernels(at: float) -> None:
        for k in range(10):
            begin = at + 2 * k + 1
            stats: Stats = {"hlo_module": "jit_step", "hlo_op": f"fusion.{k}"}
            host.kernel(begin, begin + 0.1, name="fusion", launch=(begin - 1, begin - 0.1), stats=stats)

    each(5, 100, kernels)
    outcome = run_rules(RULES, inputs(host))
    assert outcome.findings
    for finding in outcome.findings:
        assert "jit_compile" not in " ".join(finding.fix.actions)
        assert {"Keras", "custom loop"}.isdisjoint(labels(finding.fix))


@pytest.mark.parametrize("of", RULES, ids=lambda of: of.id)
def test_words_for_pytorch_name_no_other_framework(of: Rule) -> None:
    fix = advice(of, found(), program("PyTorch"))

    others = re.compile(rf"{_TENSORFLOW.pattern}|\bjax\b|XLA")
    assert [a for a in fix.actions if others.search(a)] == []
    assert {s.framework for s in fix.snippets} <= {"PyTorch", "shell"}


def test_every_fix_for_pytorch_is_of_a_rule() -> None:
    assert PYTORCH.keys() <= {of.id for of in RULES}
