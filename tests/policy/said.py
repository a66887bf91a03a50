"""Each sentence of a rule is said in a demo run or in a test of a rule.

As a plugin of pytest, this writes what rules say in the tests named after rules into the folder that
``TFPERF_SAID`` names, a file for each process. Then ``python -m tests.policy.said FOLDER`` prints the
sentences that nobody said.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tfperf_plugin.judging.engine import words
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed, Rule
from tfperf_plugin.judging.rules import RULES

TESTS = {
    REPOSITORY / "tests" / "judging" / "rules" / f"test_{rule.id.replace('-', '_')}.py" for rule in RULES
}
_HEARD = set[str]()
_LISTENING = [False]


def source(rule: Rule) -> Path:
    return Path(str(importlib.import_module(rule.judge.__module__).__file__))


def text_of(rule: Rule) -> str:
    return source(rule).read_text(encoding="utf-8")


def sentences(rule: Rule) -> dict[str, str]:
    """Name → sentence: the texts in capitals at the top of the rule's module."""
    module = importlib.import_module(rule.judge.__module__)
    return {
        name.id: value
        for node in ast.parse(text_of(rule)).body
        if isinstance(node, ast.Assign)
        for name in node.targets
        if isinstance(name, ast.Name) and isinstance(value := getattr(module, name.id), str)
    }


def unsaid(heard: str, rules: Sequence[Rule] = RULES) -> list[str]:
    """The sentences that neither ``heard`` nor a golden report has."""
    golden = (REPOSITORY / "tests" / "golden").glob("*.md")
    said = "\n".join((heard, *(re.sub(r"\\(.)", r"\1", path.read_text(encoding="utf-8")) for path in golden)))
    return [
        f"{rule.id}: {name}"
        for rule in rules
        for name, text in sentences(rule).items()
        if not re.search(_pattern(text), said)
    ]


def _pattern(text: str) -> str:
    """A sentence, whatever fills its placeholders."""
    return "[^\n]*?".join(re.escape(part) for part in re.split(r"\{.*?\}", text) if part)


def _texts(verdict: object) -> Iterator[str]:
    if isinstance(verdict, Found):
        yield from (verdict.summary, verdict.cause, verdict.title, verdict.action, verdict.basis)
        yield from map(str, verdict.values.values())
        for row in verdict.evidence:
            yield from (row.source, str(row.value))
    elif isinstance(verdict, Passed | NotApplicable | Missing):
        yield verdict.reason
        yield getattr(verdict, "how", "")


def _recorded(call: Callable[..., Any]) -> Callable[..., Any]:
    def calls(self: Inputs, function: Callable[..., Any], *given: Any) -> Any:
        verdict = call(self, function, *given)
        if _LISTENING[0]:
            _HEARD.update(_texts(verdict))
        return verdict

    return calls


def _kept(fill: Callable[..., str]) -> Callable[..., str]:
    """Keeps the sentences that are filled, for tests that call a rule by itself."""

    def fills(text: str, *given: Any, **options: Any) -> str:
        if _LISTENING[0]:
            _HEARD.add(text)
        return fill(text, *given, **options)

    return fills


def pytest_configure() -> None:
    vars(words)["filled"] = _kept(words.filled)
    Inputs.call = _recorded(Inputs.call)  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _LISTENING[0] = item.path in TESTS
    return (yield)


def pytest_unconfigure() -> None:
    path = Path(os.environ["TFPERF_SAID"]) / str(os.getpid())
    path.write_text("\n".join(sorted(_HEARD)), encoding="utf-8")


if __name__ == "__main__":
    texts = [path.read_text(encoding="utf-8") for path in Path(sys.argv[1]).iterdir()]
    if missing := unsaid("\n".join(texts)):
        sys.exit("\n".join(("neither a demo run nor a test of a rule says", *missing)))
