"""Code that stands on the pages of rules: blocks, and spans within sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfperf_plugin.judging.engine.page import EXAMPLE_BEGIN, EXAMPLE_END, TO_DO
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.records import Record

_FENCE = re.compile(r"```(\w*)((?: \[[^\n]+\])?)\n(.*?)\n```", re.DOTALL)
_SPAN = re.compile(r"`([^`]+)`")
_EXAMPLE = re.compile(f"{re.escape(EXAMPLE_BEGIN)}.*?{re.escape(EXAMPLE_END)}", re.DOTALL)


class Code(Record, frozen=True):
    """Code of a page, under the heading ``audience``, "" outside of advice.

    ``language``: of a block, "python" or "sh"; "" for a span. ``conditions``: of a block, in brackets.
    ``several``: whether the rule is one of several GPUs.
    """

    rule: str
    case: str
    audience: str
    language: str
    conditions: str
    text: str
    several: bool

    @property
    def place(self) -> str:
        """Where it stands, for a message."""
        return " › ".join(filter(None, (self.rule, self.case, self.audience)))


def codes() -> Iterator[Code]:
    """All code of all pages, but for rows of examples, which no reader runs."""
    for rule in RULES:
        text = _EXAMPLE.sub("", rule.page.text)
        for section in re.split(r"(?m)^## ", text):
            heading, _, body = section.partition("\n")
            case = heading.partition(": ")[2] if heading.startswith(TO_DO) else heading
            for at, part in enumerate(re.split(r"(?m)^### ", body)):
                audience, _, below = part.partition("\n") if at else ("", "", part)
                place = (rule.id, case, audience)
                for block in _FENCE.finditer(below):
                    yield Code(*place, block[1], block[2], block[3], rule.group == "several_gpus")
                for span in _SPAN.finditer(_FENCE.sub("", below)):
                    yield Code(*place, "", "", re.sub(r"\s+", " ", span[1]), rule.group == "several_gpus")
