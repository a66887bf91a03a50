"""The committed pages are those of today's rules, and hold what a page has to hold.

A difference is a defect or a change to be read. To accept: ``make pages``.
"""

from __future__ import annotations

import re

import pytest
from tensorboard.plugin_util import markdown_to_safe_html

from demo.pages import index, page
from tfperf_plugin import docs
from tfperf_plugin.docs.html import document
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.rules import RULES

IDS = [rule.id for rule in RULES]
COMMITTED = sorted(path.stem for path in docs.FOLDER.glob("*.md"))

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
each_page = pytest.mark.parametrize("name", [*COMMITTED, docs.COMPUTE, docs.RECORDING])


def text(name: str) -> str:
    found = docs.read(name)
    assert found is not None, f"there is no page {name}.md: run `make pages` and read what it writes"
    return found


def html(name: str) -> str:
    return document(text(name), markdown_to_safe_html)


def without_code(found: str) -> str:
    return re.sub("<pre>.*?</pre>", "", found, flags=re.DOTALL)


@each_rule
def test_the_committed_page_is_that_of_the_rule(rule: Rule) -> None:
    assert text(rule.id) == page(rule), f"{rule.id}.md differs; if that is right, `make pages`"


def test_the_committed_index_is_that_of_the_rules() -> None:
    assert text(docs.INDEX) == index(), "index.md differs; if that is right, `make pages`"


def test_there_is_no_page_without_a_rule() -> None:
    assert set(COMMITTED) - {docs.ACCURACY} == {*IDS, docs.INDEX}, "run `make pages`"


@each_rule
def test_a_page_holds_all_that_the_rule_says(rule: Rule) -> None:
    found = html(rule.id)
    headings = re.findall("<h2>(.*?)</h2>", found)

    in_jax = ["What to do in JAX"] if rule.jax else []
    first = ["Why it matters", "How it is measured", "Example", "What to do", *in_jax, "Limits"]
    assert headings[: len(first)] == first
    assert headings[-1] == "Guide"
    assert found.count("<pre>") == len(rule.fix.snippets) + (len(rule.jax.snippets) if rule.jax else 0)
    assert found.count("<table>") == bool(rule.thresholds)
    assert found.count("<tr>") == (len(rule.thresholds) + 1 if rule.thresholds else 0)
    assert all(f'href="{url}"' in found for url in (*(link.url for link in rule.fix.links), rule.guide.url))
    assert "From the simulated training" in found


@each_page
def test_a_page_is_one_harmless_document_without_leftovers(name: str) -> None:
    found = html(name)

    assert found.startswith('<!doctype html>\n<html lang="en">')
    assert found.count("<h1>") == 1
    assert "prefers-color-scheme: dark" in found
    assert not re.search(r"<(script|link|img|iframe)|\bsrc=|@import|url\(", found)
    body = without_code(found.partition("<body>")[2])
    assert "\\" not in body  # what Markdown does not take as an escape
    assert "[ ]" not in body and "**" not in body and "```" not in body


@each_page
def test_links_lead_to_pages_or_into_the_web(name: str) -> None:
    for target in re.findall('href="(.*?)"', html(name)):
        assert (
            re.match("https://", target)
            or target == "page"
            or target.removeprefix("page?rule=")
            in (*COMMITTED, docs.ACCURACY, docs.COMPUTE, docs.FIRST_FINDINGS, docs.RECORDING)
        )


@pytest.mark.parametrize(
    "name", ["", "..", "../__init__", "__init__", "/etc/passwd", "index.md", "html", "\0", "INDEX"]
)
def test_other_names_have_no_page(name: str) -> None:
    assert docs.read(name) is None


def test_titles_are_text() -> None:
    found = document("# A \\*b\\* &lt;script&gt; \\_c\n\ntext", lambda markdown: markdown)

    assert "<title>A *b* &lt;script&gt; _c · tfperf</title>" in found


def test_who_explains_whom_is_on_both_pages() -> None:
    for rule in RULES:
        for cause in rule.explained_by:
            assert f"({cause}.md)" in text(rule.id).partition("## Explained by")[2]
            assert f"({rule.id}.md)" in text(cause).partition("## Explains")[2]
