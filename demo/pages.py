"""``python -m demo.pages`` writes the index of rules, and the example on the page of every rule.

The example is what the report says about the rule's own demo run. With ids of rules, only theirs are written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from demo.reports import demo_report
from tfperf_plugin import docs
from tfperf_plugin.judging.engine.page import EXAMPLE, EXAMPLE_BEGIN, EXAMPLE_END
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.report.render.text import part_to_markdown


def path_of(rule: Rule) -> Path:
    """The file of the rule's page."""
    return docs.RULES_FOLDER / rule.group / f"{rule.id.replace('-', '_')}.md"


def with_rules(index: str) -> str:
    """The index with its lists of rules, one for each group."""
    for group, title in docs.GROUP_TITLES.items():
        before, heading, rest = index.partition(f"## {title}\n\n")
        lines = (f"- [{r.title}]({group}/{path_of(r).name}) `{r.id}`" for r in RULES if r.group == group)
        index = before + heading + "\n".join(lines) + "\n" + re.sub(r"(- .*\n)*", "", rest, count=1)
    return index


def with_example(rule: Rule) -> str:
    """The rule's page with its example. Raises ValueError if its demo run does not show it first."""
    before, _, rest = rule.page.text.partition(EXAMPLE_BEGIN)
    if not rest:
        raise ValueError(f"{path_of(rule).name} has no place for its {EXAMPLE}.")
    after = rest.partition(EXAMPLE_END)[2]
    return f"{before}{EXAMPLE_BEGIN}\n" + "\n\n".join(_example(rule)) + f"\n{EXAMPLE_END}{after}"


def _example(rule: Rule) -> Iterator[str]:
    scenario = rule.id.replace("-", "_")
    yield (
        f"From the simulated training `{scenario}`, which is made to show this; build it with "
        f"`python -m demo.build OUT --only {scenario}`. The report says:"
    )
    report = demo_report(scenario)
    first = next(iter(report.trust if rule.trust else report.findings), None)
    if first is None or first.id != rule.id:
        raise ValueError(f"The demo run {scenario} does not show {rule.id} first.")
    words = next((words for words in report.words if words.id == first.id), None)
    said = part_to_markdown(first, words).strip()
    yield said if rule.trust else "\n".join(f"> {line}".rstrip() for line in said.split("\n"))


if __name__ == "__main__":
    if unknown := set(sys.argv[1:]) - {rule.id for rule in RULES}:
        raise SystemExit(f"There is no rule {', '.join(sorted(unknown))}.")
    readme = docs.RULES_FOLDER / "README.md"
    readme.write_text(with_rules(readme.read_text(encoding="utf-8")), encoding="utf-8")
    for one in RULES:
        if not sys.argv[1:] or one.id in sys.argv[1:]:
            path_of(one).write_text(with_example(one), encoding="utf-8")
