"""The numbers of the AllReduce card in words, and what no estimate covers."""

from __future__ import annotations

import json

from msgspec.structs import replace

from tests.conftest import REPOSITORY
from tests.exchange import training
from tests.report.test_allreduce import card_of
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.communication import besides, quantities, waited_for

FOUR = card_of(training([50, 50, 50, 50]), stated=Stated(None, 100))


def values(card: model.AllReduce) -> dict[str, str]:
    return {one.term: one.value for one in quantities(card)}


def test_where_the_guide_does_not_apply_it_estimates_nothing() -> None:
    sharded = replace(FOUR, kinds=("reduce_scatter", "all_gather"), guide_applies=False)

    assert "guide estimate" not in values(sharded)
    assert (
        next(one.known for one in quantities(sharded) if one.term == "ring bound") == "bytes sent / bandwidth"
    )


def test_how_parameters_are_known() -> None:
    def known(source: str, basis: str) -> str:
        card = replace(FOUR, parameters_source=source, parameters_basis=basis)
        return next(quantities(card)).known

    assert known("estimated", "bytes / 4") == "estimated from the profile: bytes / 4"
    assert known("given", "") == "as typed"
    assert known("recorded", "") == "recorded by the training"
    assert known("recorded", "model.summary()") == "model.summary()"
    assert known("unknown", "no bytes were recorded") == "no bytes were recorded"


def test_a_gpu_is_named_only_if_more_than_half_of_the_waiting_is_for_it() -> None:
    def culprit(*caused: int, hosts: int = 1) -> str:
        devices = [
            replace(FOUR.devices[0], host="worker-0", device=f"GPU:{i}", caused_wait_ns=ns)
            for i, ns in enumerate(caused)
        ]
        return waited_for(replace(FOUR, wait_ns=10, devices=tuple(devices), hosts_count=hosts))

    assert culprit(1, 2, 10) == "mostly for GPU 2"
    assert culprit(0, 9, hosts=2) == "mostly for worker-0 GPU 1"
    assert culprit(5, 5) == culprit(0, 0) == ""


def test_what_no_estimate_covers_is_said() -> None:
    reduce, other = (
        model.Collective(kind, 1, ns, 0, name)
        for kind, ns, name in [("all_reduce", 10, "AllReduce"), ("all_to_all", 30, "AllToAll")]
    )
    assert besides(FOUR, (reduce,)) == ""
    assert besides(FOUR, (other, reduce)).startswith("Most of the communication is AllToAll.")
    assert besides(None, (other,)).startswith("These steps run AllToAll, and no AllReduce")
    assert besides(None, ()) == "No collective between these GPUs was recorded in these steps."


def test_what_the_page_explains_are_terms_of_the_card() -> None:
    glossary = json.loads((REPOSITORY / "tfperf_plugin" / "tensorboard" / "glossary.json").read_text())
    known = replace(FOUR, achievable_ns=20_000_000)
    shown, of_stated = ({one.term for one in quantities(c) if one.at != "table"} for c in (known, FOUR))

    assert shown == set(glossary["heads"]["per step"])
    assert shown - of_stated == {"achievable"}
