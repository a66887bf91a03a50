"""The report as one HTML file: what it says, and that nothing in it does anything."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

from demo.build import build
from demo.reports import demo_report
from tests.conftest import REPOSITORY
from tests.reports import make_report
from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.judging.verdicts import Finding, Fix, Guide, Link, Row, Snippet
from tfperf_plugin.readers.anomalies import Anomaly
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.budget import DRAWN_ACCOUNTS, WORDS
from tfperf_plugin.report.panels.verdict import with_words
from tfperf_plugin.report.render import html
from tfperf_plugin.report.render.agent import with_agent_texts
from tfperf_plugin.report.render.export import written
from tfperf_plugin.report.render.html import to_html

VOID = {"input", "meta"}
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</style><script>alert(1)</script>",
    "\" onmouseover='alert(1)",
    "%s {0} {x} %(y)s",
    "\u202eevil\u2066",
    "]]><!-- &lt;b&gt;",
    "javascript:alert(1)",
)


class Page(HTMLParser):
    """What a document consists of; fails where elements are not closed in order."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(document)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names[tag] += 1
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        self.ids += [value or "" for key, value in attrs if key == "id"]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.text += data


def hostile(words: str) -> model.Report:
    """A report with ``words`` wherever a name of the profile may stand."""
    finding = Finding(
        id="gpu-stagger",
        title=words,
        group="input",
        severity="warning",
        confidence="high",
        summary=words,
        saving=None,
        guide=Guide(words, words),
        evidence=(Evidence(words, words, "text", None, words),),
        where=(Place(words, 1.0, 2.0, words, words, words),),
        fix=Fix(words, (words,), (Snippet(words, words),), (Link(words, words),)),
    )
    row = Row("x", words, words, words)
    plain = make_report(words)
    assert plain.ledger
    report = replace(
        plain,
        headline=words,
        advice=words,
        hosts=(words,),
        devices=(replace(plain.devices[0], name=words, host=words),),
        trust=(replace(finding, id="trust"),),
        findings=(replace(finding, explains=(replace(finding, id="inner"),)),),
        passed=(row,),
        missing_data=(row,),
        errors=(row,),
        anomalies=(Anomaly(words, 1, "info", words),),
        training=(model.Training(words, words, words, (model.Fact(words, words),)),),
        idle=(model.IdleAccount("compute", 1, 0.5, 1, words, 1, words),),
        ledger=replace(
            plain.ledger,
            devices=tuple(
                model.DeviceAccounts(words, words, 22_000_000, plain.ledger.accounts) for _ in range(2)
            ),
        ),
    )
    return with_agent_texts(with_words(report))


@pytest.mark.parametrize("words", HOSTILE)
def test_names_never_become_markup(words: str) -> None:
    harmless, page = Page(to_html(hostile("name"))), Page(to_html(hostile(words)))

    # No link may come or go with a name that looks like an address.
    assert page.names - Counter(a=99) == harmless.names - Counter(a=99)
    assert [key for _, key, _ in page.attributes] == [key for _, key, _ in harmless.attributes]
    shown = "".join(c if c.isprintable() else "�" for c in words)
    assert page.text.count(shown) > 20


@pytest.mark.parametrize("words", HOSTILE)
def test_nothing_is_loaded_or_run(words: str) -> None:
    page = Page(to_html(hostile(words)))

    assert page.names.keys().isdisjoint(
        {"script", "img", "iframe", "link", "object", "embed", "form", "base"}
    )
    assert not [key for _, key, _ in page.attributes if key.startswith("on") or key in ("src", "style")]
    assert [
        value
        for _, key, value in page.attributes
        if key == "href" and not value.startswith("http") and value.removeprefix("#") not in page.ids
    ] == []
    assert {tag for tag, key, _ in page.attributes if key == "href"} <= {"a"}
    assert "default-src 'none'" in {key: value for _, key, value in page.attributes}["content"]


def test_ids_are_unique_and_there_is_one_heading_of_the_first_level() -> None:
    page = Page(to_html(hostile("name")))

    assert len(set(page.ids)) == len(page.ids)
    assert {"gpu-stagger", "inner"} <= set(page.ids)
    assert (page.names["html"], page.names["h1"], page.names["main"]) == (1, 1, 1)


def test_a_demo_run_says_what_the_report_says() -> None:
    report = demo_report("gpu_stagger")

    document = to_html(report)
    page = Page(document)

    # Now, the finding, projected, and each GPU; what the finding claims and what is left fill the step.
    bars = re.findall(r'<svg role="img".*?</svg>', document)
    now, *gpus, claimed, projected = (
        sum(map(float, re.findall(r'<rect class="a-[a-z-]+" x="[\d.]+" y="0" width="([\d.]+)"', bar)))
        for bar in bars
    )
    assert len(gpus) == len(report.devices)
    assert [now, *gpus, claimed + projected] == pytest.approx([1000] * 6, abs=0.2)
    assert ("a", "href", "#gpu-stagger") in page.attributes


def test_a_step_is_drawn_in_time_order(tmp_path: Path) -> None:
    build(tmp_path, ["gpu_stagger"])
    (run,) = find_runs(str(tmp_path))
    found = analyze_run(run)

    document = written(found.report, "html", found.arrays)
    drawn = document.partition('id="timeline"')[2].partition("</section>")[0]
    names = re.findall(r"<b>(GPU \d)</b>", drawn)
    bars = [
        [
            (float(x), float(width), account)
            for account, x, width in re.findall(
                r'<rect class="a-([a-z-]+)" x="([\d.]+)" y="0" width="([\d.]+)"', bar
            )
        ]
        for bar in re.findall(r'<svg role="img".*?</svg>', drawn)
    ]
    waits = [min(x for x, _, account in bar if account == "compute") for bar in bars]

    # The latest first. Each bar fills the step, and the latest GPU begins last.
    assert names == ["GPU 3", "GPU 2", "GPU 1", "GPU 0"]
    assert [sum(width for _, width, _ in bar) for bar in bars] == pytest.approx([1000] * 4, abs=1)
    assert waits == sorted(waits, reverse=True)
    assert 'class="claimed"' in drawn
    assert 'id="timeline"' not in written(found.report, "html", None)


def test_it_has_the_colours_of_the_tab() -> None:
    theme = (REPOSITORY / "frontend" / "src" / "theme.ts").read_text(encoding="utf-8")
    style = Path(html.__file__).with_name("html.css").read_text(encoding="utf-8")
    dark = theme.split(":root[data-theme='dark']"), style.split("(prefers-color-scheme: dark)")

    for tab, report in zip(*dark, strict=True):
        theirs, ours = (dict(re.findall(r"--([a-z0-9-]+): ([^;]+);", text)) for text in (tab, report))
        assert len(ours) > len(DRAWN_ACCOUNTS) and ours.items() <= theirs.items()
    assert set(re.findall(r"^[.]a-([a-z-]+) ", style, re.M)) == set(DRAWN_ACCOUNTS.values())
    assert {account for account in DRAWN_ACCOUNTS if not account.startswith("compute.")} == set(ACCOUNTS)
    looks = (REPOSITORY / "frontend" / "src" / "accounts.ts").read_text(encoding="utf-8")
    late, *others = re.findall(r"\['([\w.]+)', '([^']+)', '([\w-]+)', '\w+'\]", looks)
    # Late starts lie right, as in the tab's budget.
    assert [*others, late] == [(id_, WORDS[id_], color) for id_, color in DRAWN_ACCOUNTS.items()]
