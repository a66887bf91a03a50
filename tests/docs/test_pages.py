"""The pages that the tab shows are whole, harmless and linked; their examples are those of today's rules.

A difference in an example is a defect or a change to be read. To accept: ``make pages``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tensorboard.plugin_util import markdown_to_safe_html

from demo.pages import with_example, with_rules
from tests.conftest import REPOSITORY
from tfperf_plugin import docs
from tfperf_plugin.docs import GROUP_TITLES, RULES_FOLDER
from tfperf_plugin.docs.html import document
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.rules import RULES

PAGES = [
    *(rule.id for rule in RULES),
    docs.INDEX,
    docs.BY_HAND,
    docs.ACCURACY,
    docs.COMPUTE,
    docs.RECORDING,
    docs.FORMATS,
]
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
each_page = pytest.mark.parametrize("name", PAGES)


def text(name: str) -> str:
    found = docs.read(name)
    assert found is not None, f"there is no page {name}"
    return found


def html(name: str) -> str:
    return document(text(name), markdown_to_safe_html)


@each_rule
def test_the_example_is_what_the_report_says(rule: Rule) -> None:
    assert rule.page.text == with_example(rule), f"the example of {rule.id} is old: `make pages`"


def test_every_page_belongs_to_a_rule() -> None:
    pages = {f"{path.parent.name}/{path.stem}" for path in RULES_FOLDER.glob("*/*.md")}

    assert pages == {f"{rule.group}/{rule.id.replace('-', '_')}" for rule in RULES}


def test_the_index_lists_each_rule_in_its_group() -> None:
    index = text(docs.INDEX)

    assert index == with_rules(index), "the index is old: `make pages`"
    assert all(title in index for title in GROUP_TITLES.values())


@each_rule
def test_a_page_holds_all_that_the_rule_says(rule: Rule) -> None:
    found = html(rule.id)
    headings = re.findall("<h2>(.*?)</h2>", found)

    assert headings[:3] == ["Why it matters", "How it is measured", "Example"]
    assert headings[3].startswith("What to do")
    assert {"Limits", "Guide"} <= set(headings)
    assert found.count("<tr>") == (len(rule.thresholds) + 1 if rule.thresholds else 0)
    assert found.count("<pre>") == sum(len(p.snippets) for a in rule.page.advice.values() for p in a.parts)
    assert all(threshold.source.split("<")[0] in text(rule.id) for threshold in rule.thresholds)
    assert "From the simulated training" in found


@each_page
def test_a_page_is_one_harmless_document_without_leftovers(name: str) -> None:
    found = html(name)

    assert found.startswith('<!doctype html>\n<html lang="en">')
    assert found.count("<h1>") == 1
    assert "prefers-color-scheme: dark" in found
    assert not re.search(r"<(script|link|img|iframe)|\bsrc=|@import|url\(", found)
    body = re.sub("<(pre|code)>.*?</\\1>", "", found.partition("<body>")[2], flags=re.DOTALL)
    assert "\\" not in body  # what Markdown does not take as an escape
    assert not re.search(r"\[ \]|\*\*|```|example: `make|&lt;!--|/example", body)


@each_page
def test_links_lead_to_pages_or_into_the_web(name: str) -> None:
    for target in re.findall('href="(.*?)"', html(name)):
        assert (
            re.match("https://", target)
            or target == "page"
            or target.removeprefix("page?rule=") in (*PAGES, docs.FIRST_FINDINGS)
        ), target


@pytest.mark.parametrize(
    "path",
    sorted([*RULES_FOLDER.rglob("*.md"), *docs.DOCS.glob("*.md"), *REPOSITORY.glob("*.md")]),
    ids=lambda path: path.name,
)
def test_links_between_files_of_the_repository_lead_to_files(path: Path) -> None:
    plain = re.sub(
        r"^(`{3,}).*?^\1$|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    links = [link for link in re.findall(r"\]\(([^)\s#]+)", plain) if "://" not in link]

    assert [link for link in links if not (path.parent / link).exists()] == []


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


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_pages_read_without_a_measurement(rule: Rule) -> None:
    for section in docs.sections(rule):
        for text in (*section.text, *section.items):
            assert not re.search(r"^\[|\{[a-z_]+\}", text), text
