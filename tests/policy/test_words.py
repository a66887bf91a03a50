"""One label an account, one title a rule, in all outputs and documents; former ones do not return."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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

FORMER = (
    # Labels of accounts.
    "transferring between GPUs", "waiting in collectives for other GPUs", "copying to the GPU",
    "copying to the host", "waiting because the GPUs start one after another", "waiting for input data",
    "idling between steps", "idling after the host waited for the GPU", "waiting for kernel launches",
    "waiting while the host runs the step's ops", "idling for a reason that was not recorded",
    "idle while other GPUs already run", "copies between or inside GPUs", "idle, waiting for",
    "idle, the host runs the step's ops", "idle, an op runs on the CPU", "idle, the host waits for the GPU",
    "idle, cause not recorded",
    # Titles of rules.
    "The optimizer updates variable by variable",
    "Not all GPUs that communicate were recorded", "The profiler reported problems while it recorded",
    "GPU memory is nearly full", "No batch is made ahead of the step",
    "Copies in the middle of the step hold up the GPUs", "Some GPUs run nothing",
    "Nothing is computed while gradients are exchanged", "Sides of matrix products do not suit",
    "16-bit products do not use the Tensor Cores", "Nothing is computed while GPUs",
    "Stages of the model wait for each other", "The recording contains warm-up steps",
    "The optimizer waits for the host to check the gradients", "Tensors are turned between NCHW and NHWC",
    "The GPUs are idle between steps", "The GPUs wait for ops that run on the CPU",
    "run far below what this GPU can do", "The host waits for the GPU at the end of each step",
    "Gathers or scatters run far below", "GPUs wait for copies from one GPU to another",
    "Tracing Python calls slows the recorded steps", "The input pipeline runs Python",
    "Part of the matrix work still runs in 32 bit", "Attention writes all its scores to memory",
    "The batch is too small for this GPU", "The input's map runs one call at a time",
    "Functions are traced again and again", "The GPUs are idle and the profile does not say why",
    "GPUs wait in collectives for whichever comes last", "start the step one after another",
    "GPUs take turns instead of working", "The GPUs wait for input data",
    "Launches wait while tf.data takes the host's cores", "The GPUs wait while memory is allocated and freed",
    "No two kernels ever overlap", "The GPUs wait for the host to launch kernels",
    "Chains of elementwise kernels pass over memory", "The step runs op by op outside tf.function",
    "Files are read one at a time, when they are needed", "is computed twice although memory is free",
    "The GPUs wait while the batch is copied to them", "One host is slower than the others",
    "Kernels with few blocks leave multiprocessors idle", "AllReduce is slower than the link between",
    "Matrix work runs in 32 bit; the GPUs are faster", "batch is fetched outside the step marker",
    "Hundreds of kernels do next to nothing each",
)  # fmt: skip
"""Former labels and titles, as far as they are no ordinary English."""

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
}  # fmt: skip
"""Titles in everyday words."""


def texts() -> Iterator[tuple[str, str]]:
    for pattern in SOURCES:
        for path in sorted(REPOSITORY.glob(pattern)):
            if "node_modules" not in path.parts:
                yield str(path.relative_to(REPOSITORY)), plain(path.read_text(encoding="utf-8"))


def plain(text: str) -> str:
    """In small letters, on one line, with one kind of apostrophe, and strings over several lines joined."""
    joined = re.sub(r"""["'`]\s*\+?\s*\n\s*f?["'`]""", "", text.replace("’", "'"))
    return re.sub(r"[\s>]+", " ", joined).lower()


def test_former_labels_and_titles_do_not_return() -> None:
    found = [f"{path}: {words}" for path, text in texts() for words in FORMER if words.lower() in text]

    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "written",
    ["idle, waiting for kernel launches", 'x = "Gradients: waiting in "\n    "collectives for other GPUs"',
     "'GPUs start the ' +\n  'step one after another'", "> One host is slower\n> than the others"],
)  # fmt: skip
def test_former_words_are_found_over_line_breaks(written: str) -> None:
    assert any(words.lower() in plain(written) for words in FORMER)


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


@pytest.mark.parametrize("title", sorted(rule.title for rule in RULES))
def test_the_key_term_of_a_title_is_defined(title: str) -> None:
    patterns = "|".join(term["pattern"] for term in GLOSSARY["terms"])
    heads = (title, title[0].lower() + title[1:])
    defined = any(re.search(rf"(?<![\w/.:-])(?:{patterns})(?![\w/-])", words) for words in heads)

    assert defined != (title in NO_TERMS)


def test_what_a_launch_costs_is_said_once_with_one_number() -> None:
    costs = {
        f"{path}: {said}"
        for path, text in texts()
        for said in re.findall(r'[^.:="]*\blaunch(?:es|ing)?\b[^.:="]*?\btakes? [^.:="]*?µs', text)
        if "20 to 40 µs" not in said
    }

    assert not costs, "\n".join(sorted(costs))
