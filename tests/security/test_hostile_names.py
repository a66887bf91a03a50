"""Whatever a profile calls things stays text: in the terminal, Markdown, HTML, JSON and headers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.reports import rows
from tests.security.hostile import HOSTS, MARKUP, PAYLOAD, RUN, add_hostile_run
from tfperf_plugin.cli import main
from tfperf_plugin.compare.build import compare
from tfperf_plugin.compare.render import to_markdown as comparison_to_markdown
from tfperf_plugin.compare.render import to_text as comparison_to_text
from tfperf_plugin.execution.analyze import Analysis, analyze_run
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.render.export import FORMATS, file_name
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.text import part_to_markdown, to_markdown, to_text
from tfperf_plugin.report.serialize import to_json
from tfperf_plugin.report.whatif import prediction, prediction_lines

COLOURS = re.compile(r"\x1b\[(?:[0-9]{1,2})?m")
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
TAGS = {
    "html", "head", "meta", "title", "style", "body", "main", "svg", "defs", "pattern", "rect", "g", "p", "h1", "h2",
    "h3", "h4", "dl", "div", "dt", "dd", "label", "input", "small", "section", "article", "header", "footer", "details", "summary", "table", "thead", "tbody", "tr", "th",
    "td", "ul", "ol", "li", "span", "b", "a", "figure", "figcaption", "pre", "code",
}  # fmt: skip


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile")
    add_hostile_run(path)
    return path


@pytest.fixture(scope="module")
def analysis(logdir: Path) -> Analysis:
    (run,) = find_runs(str(logdir))
    assert [host.host for host in run.hosts] == list(HOSTS)
    return analyze_run(run)


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a JSON value and where it stands."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, path)


def assert_plain(text: str) -> None:
    """Nothing that a terminal or an eye could be led astray by."""
    assert not CONTROLS.findall(text)
    assert not [line for line in text.splitlines() if line.startswith(("X-Injected", "# heading"))]


def assert_no_markup(markdown: str) -> None:
    """Names are escaped: no tag but our own, no link but to the guide, no image, no code, no cell."""
    assert_plain(markdown)
    assert set(re.findall(r"<(/?\w+)", markdown)) <= {"details", "/details", "summary", "/summary"}
    # A bracket, a backtick or a bar of a name has a backslash before it.
    assert not re.search(r"(?<!\\)\]\((?!https?://)", markdown)
    assert not re.search(r"!(?<!\\)\[", markdown)
    assert "`code`" not in markdown
    # Nobody is mentioned, and nothing that GitHub makes a link of stays whole.
    assert not re.search(r"@octo|#12|GH-12|://198|www\.octo", markdown)


def test_the_hostile_text_is_everywhere(analysis: Analysis) -> None:
    """Else the tests below would prove nothing."""
    report = to_json(analysis.report)
    places = {path for path, text in texts(report) if "onerror" in text}

    assert report["ledger"] is not None
    assert {
        ".run", ".hosts", ".devices.name", ".findings.summary", ".findings.where.host", ".input.iterators.written",
        ".memory.devices.alive.op", ".sections.blocks.rows", ".stagger.items.thread", ".training.host",
        ".trust.evidence.value",
    } - places == set()  # fmt: skip
    for id, column in ("kernels", "name"), ("kernels", "op"), ("ops", "name"), ("input", "stage"):
        assert any("onerror" in str(getattr(row, column)) for row in rows(analysis.report, id)), (id, column)


def test_the_terminal_shows_it_as_text(analysis: Analysis) -> None:
    report = analysis.report

    assert_plain(to_text(report, color=False))
    assert_plain(COLOURS.sub("", to_text(report, color=True)))
    found = prediction(report, prediction(report, ()).can)
    assert_plain("\n".join(prediction_lines(report, found)))


def test_the_command_line_prints_it_as_text(
    logdir: Path, analysis: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (
        ["report", str(logdir)],
        ["report", str(logdir), "--run", PAYLOAD],
        ["runs", str(logdir)],
    ):
        main(arguments)
        output = capsys.readouterr()
        assert_plain(output.out)
        assert_plain(output.err)
    assert len(output.out.splitlines()) == 2
    assert analysis.report.findings[0].title.split()[0] in output.out


def test_markdown_escapes_it(analysis: Analysis) -> None:
    report = analysis.report

    assert_no_markup(to_markdown(report))
    words = {words.id: words for words in report.words}
    for finding in report.findings:
        assert_no_markup(part_to_markdown(finding, words[finding.id]))
        assert_plain(words[finding.id].agent)
    for note in report.trust:
        assert_no_markup(part_to_markdown(note, None))


def test_comparisons_escape_it(analysis: Analysis) -> None:
    result = compare(analysis.report, analysis.report)

    assert_no_markup(comparison_to_markdown(result))
    assert_plain(comparison_to_text(result, color=False))
    assert_plain(COLOURS.sub("", comparison_to_text(result, color=True)))


class Elements(HTMLParser):
    """Refuses everything in a document that could run or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.policy = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        for name, value in attributes:
            assert not name.startswith("on") and name not in (
                "src",
                "srcset",
                "style",
                "action",
                "formaction",
            )
            assert name != "href" or str(value).startswith(("https://", "http://", "#"))
            assert tag != "meta" or str(value).lower() != "refresh"
        if ("http-equiv", "Content-Security-Policy") in attributes:
            self.policy = dict(attributes)["content"] or ""

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")


def test_the_html_export_shows_it_as_text(analysis: Analysis) -> None:
    document = to_html(analysis.report)
    elements = Elements()
    elements.feed(document)
    elements.close()

    assert not CONTROLS.findall(document)
    assert any(MARKUP.partition("&")[0] in text for text in elements.texts)
    assert "<script" not in document
    assert elements.policy.startswith("default-src 'none';")


def test_json_gives_it_as_it_is(analysis: Analysis) -> None:
    text = FORMATS["json"].write(analysis.report)

    assert text.isascii()
    assert json.loads(text)["run"] == RUN


@pytest.mark.parametrize(
    "run",
    [
        PAYLOAD,
        RUN,
        "a\r\nSet-Cookie: x=1",
        '"; filename="x.exe',
        "../../etc/passwd",
        "\0",
        "x" * 9999,
        "\u202e",
        "",
    ],
)
def test_names_of_files_to_keep_are_harmless(run: str) -> None:
    for form in FORMATS.values():
        assert re.fullmatch(r"diagnostics-[A-Za-z0-9_.-]{1,120}\.(md|json|html|txt)", file_name(run, form))
