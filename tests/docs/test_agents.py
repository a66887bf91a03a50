"""The skill file and the pages for agents: small, and every command in them is one."""

from __future__ import annotations

import re

import pytest

from demo.reports import demo_report
from tests.report.test_agent import parses
from tfperf_plugin import docs
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.commands import at

PAGES = ("skill", "agents", "mcp", "github_action")


def page(name: str) -> str:
    return (docs.DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_the_skill_is_small_and_has_the_head_that_agents_read() -> None:
    text = page("skill")

    assert len(text.encode()) <= 3_000
    head = re.match(r"---\nname: tfperf\ndescription: (.{50,1024})\n---\n\n# ", text)
    assert head and ": " not in head[1], "a colon would end the text in YAML"


@pytest.mark.parametrize("name", PAGES)
def test_every_command_in_a_page_is_one(name: str) -> None:
    command = r"tfperf (?:report|show|try|record|compare|runs|explain|mcp) "
    found = re.findall(rf"`({command}[^`…\[]+)`", page(name))
    found += re.findall(rf"^({command}[^#\n>…]+)", page(name), re.MULTILINE)

    assert found
    for one in found:
        parses(one.partition(" > ")[0].strip())


def test_the_page_shows_what_the_report_says() -> None:
    said = to_agent(demo_report("gpu_stagger"), at("gpu_stagger/2026_01_01_00_00_00", ["logs"])).split("\n")
    (example,) = re.findall(r"^```\n(tfperf-agent .*?)^```", page("agents"), re.MULTILINE | re.DOTALL)

    for line in example.splitlines():
        stable = re.split(r"… |…$|\w{8} \| tfperf|\d+, do not", line)[
            0
        ]  # not hashes, nor the number of rules
        assert any(one.startswith(stable) for one in said), line
