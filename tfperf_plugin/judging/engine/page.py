"""A rule's page: what a person reads about it, and the advice of its findings.

The page is a Markdown file beside the rule's module, with the same name::

    # Title
    The action: the imperative of the verdict, at most 60 characters.
    ## Why it matters
    ## How it is measured
    ## Example                      written by ``make pages`` between two marks
    ## What to do                   a summary, then a part for each audience
    ### Keras                       numbered actions, snippets; a paragraph replaces the summary
    ### Any                         holds for every program, and names no framework
    ## What to do: VARIANT          replaces the advice where the measurement chooses it (``Found.advice``)
    ## What to do first: VARIANT    comes before the advice above
    ## Limits
    ## Guide
    ### TensorFlow                  the link below is for this audience; without a heading it is for all

A list of ``-`` in advice holds links to read on, for all or for one audience, and, in a variant, ``Title:``
and ``Action:`` in place of the page's. A name in braces, such as ``{op}``, is filled from ``Found.values``;
an action that begins with a condition in brackets, such as ``[no prefetch]``, is given if ``values`` hold it,
and after ``[unless …]`` if they do not; so is code that begins with ``python [no prefetch]``. Of several
conditions all must hold. ``Program.conditions`` are known on each page.
Code for a shell that starts ``python train.py`` with environment variables is what ``tfperf try`` can test; a
comment behind it says what it stands in for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from msgspec import field
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.judging.engine.words import filled
from tfperf_plugin.judging.verdicts import Fix, Guide, Link, Snippet
from tfperf_plugin.records import Record

WHY: Final = "Why it matters"
MEASURED: Final = "How it is measured"
EXAMPLE: Final = "Example"
TO_DO: Final = "What to do"
LIMITS: Final = "Limits"
GUIDE: Final = "Guide"
EXAMPLE_BEGIN: Final = "<!-- example: `make pages` writes it -->"
EXAMPLE_END: Final = "<!-- /example -->"

AUDIENCES: Final[Mapping[str, Callable[[Program], bool]]] = {
    "Keras": lambda of: of.framework == "Keras",
    "Custom loop": lambda of: of.framework == "custom loop",
    "TensorFlow": lambda of: of.uses_tensorflow,
    "JAX": lambda of: of.framework == "JAX",
    "PyTorch": lambda of: of.framework == "PyTorch" and not of.server,
    "tf.data": lambda of: of.uses_tensorflow or of.tf_data,
    "Server": lambda of: bool(of.server),
    "Python": lambda of: bool(of.framework),
    "CUDA": lambda of: not of.framework and not of.server,
    "Any": lambda of: True,
}
"""Heading → whether a part of the advice is for a program. "Server" is one for language models; "CUDA" speaks
to programs without a framework, and to those whose framework the profile does not show."""

_LANGUAGES: Final = {"sh": "shell", "powershell": "PowerShell"}
_CONDITION: Final = re.compile(r"\[(unless )?([^\[\]]{1,60})\] ?")
_GIVEN: Final = re.compile(r"(?m)^(\d+\. )?((?:\[[^\[\]]{1,60}\] )+)(?=\S)")
_CODE_GIVEN: Final = re.compile(r"(?m)^```(\w+) ((?:\[[^\[\]]{1,60}\] ?)+)$")
_VALUE: Final = re.compile(r"\{([a-z_]{1,40})\}")
_ITEM: Final = re.compile(r"(?:\d+\.|-) +")
_LINK: Final = re.compile(r"\[([^\[\]]{1,200})\]\((https://[^\s()]{1,300})\)")


class PageError(ValueError):
    """The page does not have the form that is described above; says where and why."""


class Part(Record, frozen=True):
    """Advice for one audience; ``summary`` replaces that of the whole, "" if it has none of its own.

    Actions and code begin with their conditions.
    """

    audience: str
    summary: str = ""
    actions: tuple[str, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    links: tuple[Link, ...] = ()


class Advice(Record, frozen=True):
    """What to do, in the case ``name`` ("" for the usual one); ``first``: it comes before the usual advice.

    ``title`` and ``action`` replace those of the page unless they are "".
    """

    name: str
    first: bool
    title: str
    action: str
    summary: str
    parts: tuple[Part, ...]
    links: tuple[Link, ...]

    def fix(self, program: Program, values: Mapping[str, Any]) -> Fix:
        """The advice for this program, with values in place of names in braces."""
        known = {**program.conditions, **values}
        parts = [part for part in self.parts if AUDIENCES[part.audience](program)]
        return Fix(
            summary=filled(next((p.summary for p in parts if p.summary), self.summary), values),
            actions=tuple(filled(a, values) for p in parts for a in _holding(p.actions, known)),
            snippets=tuple(
                Snippet(s.framework, filled(code, values))
                for p in parts
                for s in p.snippets
                for code in _holding((s.code,), known)
            ),
            links=(*self.links, *(link for p in parts for link in p.links)),
        )


def general(text: str) -> str:
    """A page, or an action of one, as it reads without a measurement.

    A condition reads “If no prefetch: …”, the name of a value is in capitals. Code of Python stays as it is.
    """
    text = _CODE_GIVEN.sub(lambda given: f"{_as_words(given[2])}\n\n```{given[1]}", text)
    parts = text.split("```")
    parts[::2] = [_VALUE.sub(_in_capitals, _GIVEN.sub(_number_and_words, part)) for part in parts[::2]]
    parts[1::2] = [general_code(part, part.startswith("sh")) for part in parts[1::2]]
    return "```".join(parts)


def general_code(code: str, is_shell: bool) -> str:
    """Code as it reads without a measurement: braces of Python are its own."""
    return _VALUE.sub(_in_capitals, code) if is_shell else code


def _number_and_words(given: re.Match[str]) -> str:
    return f"{given[1] or ''}{_as_words(given[2])} "


def _as_words(conditions: str) -> str:
    """ "If compiled, unless CUDA graphs:"."""
    said = ", ".join(f"{unless or 'if '}{name}" for unless, name in _CONDITION.findall(conditions))
    return f"{said[0].upper()}{said[1:]}:"


def _in_capitals(value: re.Match[str]) -> str:
    return value[1].replace("_", " ").upper()


def _holding(texts: Iterable[str], known: Mapping[str, Any]) -> Iterator[str]:
    """Those actions and that code whose conditions hold, without them."""
    for text in texts:
        while condition := _CONDITION.match(text):
            if bool(known.get(condition[2])) == bool(condition[1]):
                break
            text = text[condition.end() :]
        else:
            yield text


class Page(Record, frozen=True):
    """A page in parts. ``why`` and ``measured``: paragraphs; ``advice``: by name, "" is the usual one;
    ``guides``: by audience.

    ``text``: all of it, as it stands in the file.
    """

    title: str
    action: str
    why: tuple[str, ...]
    measured: tuple[str, ...]
    advice: Mapping[str, Advice]
    limits: tuple[str, ...]
    guides: Mapping[str, Guide]
    text: str = field(default="")

    @property
    def guide(self) -> Guide:
        """The first guide, whoever it is for."""
        return next(iter(self.guides.values()))

    def guide_for(self, program: Program) -> Guide | None:
        """The section of a guide for this program; ``None`` if no guide is for its framework."""
        return next((guide for name, guide in self.guides.items() if AUDIENCES[name](program)), None)

    def advice_of(self, name: str) -> Advice:
        """The advice in a case; raises KeyError where the page has none of this name."""
        chosen, usual = self.advice[name], self.advice[""]
        if not chosen.first:
            return chosen
        return replace(
            chosen,
            summary=chosen.summary or usual.summary,
            parts=(*chosen.parts, *usual.parts),
            links=(*chosen.links, *usual.links),
        )


def title(text: str) -> str:
    """The title of a page, its first line."""
    return text.partition("\n")[0].removeprefix("# ")


@cache
def parse(text: str, name: str = "page") -> Page:
    """The page that a text holds; ``name`` is for errors. Raises PageError."""
    title, head, found = "", "", dict[str, list[Block]]()
    for level, heading, blocks in sections(text, name):
        if level == 1:
            title, head = heading, _only(blocks, "the action", name)
        elif heading in found:
            raise PageError(f"{name}: two sections “{heading}”")
        else:
            found[heading] = blocks
    advice = {}
    for heading in [h for h in found if h.startswith(TO_DO)]:
        kind, _, case = heading.partition(": ")
        if kind not in (TO_DO, f"{TO_DO} first"):
            raise PageError(f"{name}: “{heading}” is no “{TO_DO}: …”")
        advice[case] = _advice(case, kind != TO_DO, found.pop(heading), name)
    try:
        page = Page(
            title=title,
            action=head.removesuffix("."),
            why=tuple(block.text for block in found.pop(WHY)),
            measured=tuple(block.text for block in found.pop(MEASURED)),
            advice=advice,
            limits=tuple(item for block in found.pop(LIMITS) for item in block.items),
            guides=_guides(found.pop(GUIDE), name),
            text=text,
        )
    except KeyError as missing:
        raise PageError(f"{name}: no section {missing}") from None
    found.pop(EXAMPLE, None)
    if found or "" not in advice:
        raise PageError(f"{name}: {', '.join(found) or TO_DO} is not expected, or missing")
    return page


class Block(Record, frozen=True):
    """A paragraph, the items of a list, code, or a heading of the third level; ``line``: where it begins."""

    line: int
    text: str = ""
    items: tuple[str, ...] = ()
    numbered: bool = False
    language: str = ""
    heading: str = ""


def sections(text: str, name: str) -> Iterator[tuple[int, str, list[Block]]]:
    """Level, heading and blocks of the sections of the first two levels."""
    found: list[tuple[int, str, list[Block]]] = []
    for block in _blocks(text.split("\n"), name):
        level = len(block.heading) - len(block.heading.lstrip("#"))
        if level in (1, 2):
            found.append((level, block.heading[level:].strip(), []))
        elif not found:
            raise PageError(f"{name}:{block.line}: text before the title")
        else:
            found[-1][2].append(block)
    if not found or found[0][0] != 1:
        raise PageError(f"{name}: it begins with a title")
    yield from found


def _blocks(lines: list[str], name: str) -> Iterator[Block]:
    """The blocks of a page, in order; what stands between the marks of the example is left out."""
    at = 0
    while at < len(lines):
        line, begin = lines[at], at
        if line == EXAMPLE_BEGIN:
            at = lines.index(EXAMPLE_END, at) + 1
        elif not line.strip():
            at += 1
        elif line.startswith("#"):
            yield Block(begin + 1, heading=line)
            at += 1
        elif line.startswith("```"):
            end = next((i for i in range(at + 1, len(lines)) if lines[i] == "```"), 0)
            if not end:
                raise PageError(f"{name}:{begin + 1}: the code has no end")
            yield Block(begin + 1, text="\n".join(lines[at + 1 : end]), language=line[3:])
            at = end + 1
        else:
            while at < len(lines) and lines[at].strip() and not lines[at].startswith(("#", "```")):
                at += 1
            yield _prose(lines[begin:at], begin + 1)


def _prose(lines: list[str], at: int) -> Block:
    """A paragraph or a list; lines of an item that go on are indented."""
    if not _ITEM.match(lines[0]):
        return Block(at, text=_plain(" ".join(lines)))
    items: list[str] = []
    for line in lines:
        if match := _ITEM.match(line):
            items.append(line[match.end() :])
        else:
            items[-1] += f" {line.strip()}"
    return Block(at, items=tuple(map(_plain, items)), numbered=lines[0][0].isdigit())


def _plain(text: str) -> str:
    """Text without the marks of code: the tab and a terminal show names as they are."""
    return text.replace("`", "").strip()


def _advice(case: str, first: bool, blocks: list[Block], name: str) -> Advice:
    """The advice of a section: what is for all, then a part below the name of each audience."""
    (_, above), *below = _by_audience(blocks, name)
    said: dict[str, str] = {}
    head = _part("", above, name, said)
    if head.actions or head.snippets:
        raise PageError(f"{name}: actions and code of “{case}” stand below the name of their audience")
    parts = [_part(audience, found, name) for audience, found in below]
    title, action = said.get("Title", ""), said.get("Action", "")
    return Advice(case, first, title, action, head.summary, tuple(parts), head.links)


def _by_audience(blocks: list[Block], name: str) -> list[tuple[str, list[Block]]]:
    """What is for all, then what stands below the name of each audience."""
    parts: list[tuple[str, list[Block]]] = [("Any", [])]
    for block in blocks:
        if not block.heading:
            parts[-1][1].append(block)
            continue
        audience = block.heading.lstrip("# ")
        if audience not in AUDIENCES:
            raise PageError(f"{name}:{block.line}: “{audience}” is none of {', '.join(AUDIENCES)}")
        parts.append((audience, []))
    return parts


def _part(audience: str, blocks: list[Block], name: str, said: dict[str, str] | None = None) -> Part:
    """Advice for one audience; title and action go to ``said`` where they may stand."""
    summary, actions, snippets, links = "", list[str](), list[Snippet](), list[Link]()
    label = {"Custom loop": "custom loop", "CUDA": "C++", "Any": "Python"}
    for block in blocks:
        if block.numbered:
            actions.extend(block.items)
        elif block.language:
            kind, _, given = block.language.partition(" ")
            language = _LANGUAGES.get(kind) or label.get(audience, audience)
            snippets.append(Snippet(language, f"{given} {block.text}" if given else block.text))
        elif not block.items:
            summary = block.text
        for item in () if block.numbered else block.items:
            key, _, value = item.partition(": ")
            if link := _LINK.fullmatch(item):
                links.append(Link(link[1], link[2]))
            elif said is not None and key in ("Title", "Action"):
                said[key] = value
            else:
                raise PageError(f"{name}:{block.line}: “{item}” is neither a link nor a title or an action")
    return Part(audience, summary, tuple(actions), tuple(snippets), tuple(links))


def _only(blocks: list[Block], what: str, name: str) -> str:
    if len(blocks) != 1 or not blocks[0].text:
        raise PageError(f"{name}: {what} is one paragraph")
    return blocks[0].text


def _guides(blocks: list[Block], name: str) -> dict[str, Guide]:
    """A link for each audience; without a heading, for all."""
    for_all, *parts = _by_audience(blocks, name)
    told = parts if parts and not for_all[1] else [for_all, *parts]
    return {audience: guide(_only(below, "the guide", name), name) for audience, below in told}


def guide(text: str, name: str) -> Guide:
    """The section of a guide that a link in the page ``name`` leads to. Raises PageError."""
    link = _LINK.fullmatch(text)
    if not link:
        raise PageError(f"{name}: the guide is one link")
    return Guide(link[1], link[2])
