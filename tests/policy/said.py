"""A plugin of pytest that writes what rules say in tests: the texts of all verdicts, one a line, into a file.

``TFPERF_SAID`` names the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tfperf_plugin.judging.engine import say
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed

SAID = set[str]()


def texts(verdict: object) -> Iterator[str]:
    if isinstance(verdict, Found):
        yield from (verdict.summary, verdict.cause, verdict.title, verdict.action, verdict.basis)
        yield from map(str, verdict.values.values())
        for row in verdict.evidence:
            yield from (row.source, str(row.value))
    elif isinstance(verdict, Passed | NotApplicable | Missing):
        yield verdict.reason
        yield getattr(verdict, "how", "")


def recorded(call: Callable[..., Any]) -> Callable[..., Any]:
    def calls(self: Inputs, function: Callable[..., Any], *given: Any) -> Any:
        verdict = call(self, function, *given)
        SAID.update(texts(verdict))
        return verdict

    return calls


def kept(fill: Callable[..., str]) -> Callable[..., str]:
    """Keeps the sentences that are filled, for tests that call a rule by itself."""

    def fills(text: str, *given: Any, **options: Any) -> str:
        SAID.add(text)
        return fill(text, *given, **options)

    return fills


def pytest_configure() -> None:
    vars(say)["filled"] = kept(say.filled)
    Inputs.call = recorded(Inputs.call)  # type: ignore[method-assign]


def pytest_unconfigure() -> None:
    Path(os.environ["TFPERF_SAID"]).write_text("\n".join(sorted(SAID)), encoding="utf-8")
