"""Names in sentences of limited length."""

from __future__ import annotations

import pytest

from tfperf_plugin.judging.engine.words import ACTION_LENGTH, with_name

DELAYS = "Find out what delays {}, or leave it out"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("worker2", "Find out what delays worker2, or leave it out"),
        ("ip-10-0-12-3.ec2.internal", "Find out what delays ip-10-0-12-3.ec2.inte…, or leave it out"),
        ("a/dense/layer_12/attention/MatMul", "Find out what delays …/attention/MatMul, or leave it out"),
        ("a/" + 40 * "b", f"Find out what delays …{21 * 'b'}, or leave it out"),
        ("{}", "Find out what delays {}, or leave it out"),
    ],
)
def test_a_long_name_is_cut_and_the_sentence_survives(name: str, said: str) -> None:
    assert with_name(DELAYS, name) == said
    assert len(said) <= ACTION_LENGTH
