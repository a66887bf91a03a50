"""One label an account, one title a rule, in all outputs and documents; former ones do not return."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS
from tfperf_plugin.judging.rules import RULES

GLOSSARY = json.loads(
    (REPOSITORY / "tfperf_plugin" / "tensorboard" / "glossary.json").read_text(encoding="utf-8")
)
SOURCES = (
    "tfperf_plugin/**/*.py", "tfperf_plugin/docs/**/*.md", "tfperf_plugin/tensorboard/glossary.json",
    "frontend/src/**/*.ts", "frontend/test/**/*.ts", "demo/**/*.py", "demo/guide/*.md",
    "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
)  # fmt: skip


NO_TERMS = {
    "Batch too small for the GPU", "Layers too narrow for the GPU", "Copies inside the step",
    "Errors or warnings of the profiler",
    "GPU memory nearly full", "GPUs missing from the recording", "GPUs run serially", "Gaps between steps",
    "Idle GPUs", "No GPU events recorded", "Python in the input pipeline", "Room for a larger batch",
    "Sequential file reads", "Sequential map in the input pipeline", "Slow matrix products",
    "Recurrent layer runs as a loop", "Search for unused parameters", "Step boundaries unknown",
    "Step-time outliers",
    "The GPU was not used", "Too few complete steps were recorded",
    "Warm-up steps recorded",
    *(rule.title for rule in RULES if rule.group == "machine"),
}  # fmt: skip
"""Titles in everyday words."""


def test_the_page_and_all_other_outputs_name_accounts_alike() -> None:
    source = (REPOSITORY / "frontend" / "src" / "accounts.ts").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^ +\['([\w.]+)', '([^']+)', '", source, re.MULTILINE))

    assert {account: shown.get(account) for account in ACCOUNT_WORDS} == dict(ACCOUNT_WORDS)


def test_a_label_has_one_spelling() -> None:
    """In sentences a label may begin with a small letter; each of its words is spelled as in the label."""
    labels = [label for label in ACCOUNT_WORDS.values() if " " in label]
    found = [
        f"{path}: {said}"
        for pattern in SOURCES
        for path in map(str, REPOSITORY.glob(pattern))
        if "node_modules" not in path
        for label in labels
        for said in re.findall(rf"\b{label}\b", Path(path).read_text(encoding="utf-8"), re.IGNORECASE)
        if said not in (label, label[0].lower() + label[1:], label.title(), label.lower())
    ]

    assert not found, "\n".join(found)


def test_begin_is_a_verb_and_its_noun_is_start() -> None:
    noun = re.compile(r"\b(?:the|its|their|a|one|from) begin\b", re.IGNORECASE)
    found = [
        f"{path}: {said}"
        for pattern in (*SOURCES, "tfperf_plugin/judging/rules/**/*.md")
        for path in REPOSITORY.glob(pattern)
        if "node_modules" not in path.parts
        for said in noun.findall(path.read_text(encoding="utf-8"))
    ]

    assert not found, "\n".join(found)


@pytest.mark.parametrize("title", sorted(rule.title for rule in RULES))
def test_the_key_term_of_a_title_is_defined(title: str) -> None:
    patterns = "|".join(term["pattern"] for term in GLOSSARY["terms"])
    heads = (title, title[0].lower() + title[1:])
    defined = any(re.search(rf"(?<![\w/.:-])(?:{patterns})(?![\w/-])", words) for words in heads)

    assert defined != (title in NO_TERMS)
