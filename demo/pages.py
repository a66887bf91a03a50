"""``python -m demo.pages`` writes the page of every rule, and their index, into ``tfperf_plugin/docs/rules``.

With ids of rules, only their pages and the index.

All but the example comes from the rules' declarations; the example is what the report says about the
rule's own demo run. Same rules, same pages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from demo.reports import demo_report
from tfperf_plugin import docs
from tfperf_plugin.judging.engine import rank
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.judging.rules import RULES, by_hand
from tfperf_plugin.judging.verdicts import Snippet
from tfperf_plugin.report.render.text import part_to_markdown

_SHELL = "shell"
_ABOUT = (
    "Each rule has a page: what it says, why it matters, how it is measured, from which numbers on it says "
    "so and where these are from, an example, what to do, and what it cannot see."
)
_READ_MORE = f"[All rules]({docs.INDEX}.md)"


def page(rule: Rule) -> str:
    """The page of one rule, as Markdown. Raises ValueError if its demo run does not show it first."""
    blocks = [f"# {_text(rule.title)}", f"`{rule.id}` · {_text(docs.introduction(rule))} {_READ_MORE}"]
    for part in docs.sections(rule):
        blocks += [f"## {part.heading}", *_blocks(part)]
        if part.heading == docs.MEASURED:
            blocks += ["## Example", *_example(rule)]
    return _document(blocks)


def index() -> str:
    """The list of all pages, as Markdown."""
    blocks = ["# What tfperf checks", _ABOUT]
    if docs.read(docs.ACCURACY) is not None:
        blocks.append(
            f"[How often the rules are right](../{docs.ACCURACY}.md), and how far promised savings are off."
        )
    blocks += ["## What the pages have in common", _list(_common())]
    for group, title in docs.GROUP_TITLES.items():
        rows = [f"- [{_text(r.title)}]({r.id}.md) `{r.id}`" for r in RULES if r.group == group]
        if rows:
            blocks += [f"## {title}", "\n".join(rows)]
    blocks += [
        "## To check by hand",
        "What a profile cannot show; it is never counted as passed.",
        "\n".join(
            f"- **{_text(item.row.title)}.** {_text(item.row.reason)} {_text(item.row.how)} "
            f"([{_text(item.guide.section)}]({item.guide.url}))"
            for item in by_hand.ITEMS
        ),
    ]
    return _document(blocks)


def _common() -> tuple[str, ...]:
    severities = ", ".join(f"{name} from {percent(share)} on" for name, share in rank.SEVERITY_RATIO)
    return (
        "An average step is the mean over the recorded steps that are complete, neither trace nor compile, "
        "and that nothing interrupts, and over the GPUs that ran kernels. Shares are shares of this step.",
        "Each nanosecond of a step on a GPU belongs to one account, such as Compute or Input wait; what runs "
        "under compute costs nothing. A finding claims time of accounts, and no two findings claim the same.",
        f"The severity follows from the time that a finding promises, as a share of the step: {severities}. "
        "Findings that cost no step time state their own. A promised saving is a bound: up to so much.",
        f"With fewer than {rank.ENOUGH_STEPS_COUNT} such steps no finding is critical, and all are less "
        "certain.",
        f"A finding is shown below others if they cover at least {percent(rank.EXPLAINED_RATIO)} of the time "
        "that both it and they claim.",
    )


def write(folder: Path, ids: Sequence[str] = ()) -> None:
    """Writes all pages, or those of the rules ``ids``, and removes those of rules that are gone."""
    kept = {rule.id for rule in RULES} | {docs.INDEX, docs.ACCURACY}
    for path in folder.glob("*.md"):
        if path.stem not in kept:
            path.unlink()
    texts = {rule.id: page(rule) for rule in RULES if not ids or rule.id in ids} | {docs.INDEX: index()}
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def _blocks(part: docs.Section) -> Iterator[str]:
    yield from map(_text, part.text)
    if part.thresholds:
        rows = [f"| {_text(name)} | {value} | {_text(source)} |" for name, value, source in part.thresholds]
        yield "\n".join(("| threshold | value | source |", "|---|---:|---|", *rows))
    if part.items:
        yield _list(part.items, part.numbered)
    for snippet in part.snippets:
        yield f"**{_text(snippet.framework)}**"
        yield _code(snippet)
    if part.rules:
        yield "\n".join(f"- [{_text(r.title)}]({r.id}.md)" for r in part.rules)
    if part.links:
        yield "\n".join(f"- [{_text(link.title)}]({link.url})" for link in part.links)


def _example(rule: Rule) -> Iterator[str]:
    scenario = rule.id.replace("-", "_")
    yield (
        f"From the simulated training `{scenario}`, which is made to show this; build it with "
        f"`python -m demo.build OUT --only {scenario}`. The report says:"
    )
    report = demo_report(scenario)
    first = next(iter(report.trust if rule.trust else report.findings), None)
    if first and rule.explained_by == (first.id,):  # found only under what it explains
        first = next(iter(first.explains), None)
    if first is None or first.id != rule.id:
        raise ValueError(f"The demo run {scenario} does not show {rule.id} first.")
    said = part_to_markdown(first, rule.trust).strip()
    yield said if rule.trust else "\n".join(f"> {line}".rstrip() for line in said.split("\n"))


def _list(items: tuple[str, ...], numbered: bool = False) -> str:
    return "\n".join(f"{f'{n}.' if numbered else '-'} {_text(item)}" for n, item in enumerate(items, 1))


def _code(snippet: Snippet) -> str:
    language = "sh" if snippet.framework == _SHELL else "python"
    return f"```{language}\n{snippet.code}\n```"


def _text(text: str) -> str:
    """Text in which nothing is markup."""
    escaped = "".join("\\" + c if c in "\\`*_[]|" else c for c in text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _document(blocks: list[str]) -> str:
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    if unknown := set(sys.argv[1:]) - {rule.id for rule in RULES}:
        raise SystemExit(f"There is no rule {', '.join(sorted(unknown))}.")
    write(docs.FOLDER, sys.argv[1:])
