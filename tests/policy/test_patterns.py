"""Patterns are matched against names from a profile: each takes time in proportion to a name's length."""

from __future__ import annotations

import ast
import functools
import importlib
import math
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tfperf_plugin

_parser: Any = importlib.import_module("re._parser" if hasattr(re, "_parser") else "sre_parse")
SIZES = (1 << 10, 1 << 14)
"""Characters; no name is longer than the last."""
PARTS, MOST_TIMES, NEGLIGIBLE_S = 16, 5, 2e-3
"""A text beside so many texts of that part of its length: between once their time if it is linear, and 16
times if it is quadratic."""
ANY = "y"
"""A character that begins no word of the patterns."""
ALIKE = {"sub": "findall", "split": "findall", "finditer": "findall"}
SHORT_TEXTS = {"tfperf_plugin.report.options"}
"""Modules whose patterns never see more than a hundred characters."""
LATE = type(functools.cache(len))
"""What compiles a pattern when it is used first."""
METHODS = {"search", "match", "fullmatch", "findall", *ALIKE}


def test_every_pattern_takes_time_in_proportion_to_the_name() -> None:
    slow = [
        f"{place}: {pattern.pattern!r:.80} on {text(8)!r:.60}"
        for place, pattern, method in patterns()
        if place.rpartition(".")[0] not in SHORT_TEXTS
        for text in hard_texts(pattern)
        if is_quadratic(getattr(pattern, method), text)
    ]

    assert not slow, "\n".join(slow)


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"a.*b", "search"), (r"(?i)x|loop_.*fusion", "search"), (r"w(?!.*_s?1688)", "search"),
        (r"\w*c", "search"),
        (r"^\w*adam\w*/", "search"), (r"(.+)[:_]\d+", "search"), (r"C_\w*?_(F8|I8)\w*_", "search"),
        (r"(/_\d+)+$", "search"), (r"^.*(a|C_.*_M\d+x)", "search"), (r"(a+)(a+)b", "match"),
    ],
)  # fmt: skip
def test_what_is_quadratic_is_found(pattern: str, method: str) -> None:
    compiled = re.compile(pattern)
    assert any(is_quadratic(getattr(compiled, method), text) for text in hard_texts(compiled))


def test_all_patterns_are_found() -> None:
    """Of tables, and of calls of functions of ``re``; what is put together at run time would not be."""
    found = {pattern.pattern for _, pattern, _ in patterns() if isinstance(pattern.pattern, str)}
    assert any("loop_" in pattern for pattern in found)
    assert r"(\.\d{1,18}){1,8}$" in found
    assert len(found) > 150


def is_quadratic(match: Callable[[str], object], text: Callable[[int], str]) -> bool:
    """The lengths grow, so that what takes the cube of a length is found before it takes hours.

    Times that are too far apart are taken again: the least of each counts.
    """
    for size in SIZES:
        whole, part = text(size), text(size // PARTS)
        whole_s, parts_s = cpu_s(match, whole), math.inf
        for _ in range(5):
            if whole_s <= NEGLIGIBLE_S:
                break
            parts_s = min(parts_s, cpu_s(match, part, PARTS))
            if whole_s <= MOST_TIMES * parts_s:
                break
            whole_s = min(whole_s, cpu_s(match, whole))
        else:
            return True
    return False


def cpu_s(match: Callable[[str], object], text: str, times: int = 1) -> float:
    began = time.thread_time()
    for _ in range(times):
        match(text)
    return time.thread_time() - began


def of_text(pattern: re.Pattern[Any]) -> re.Pattern[str]:
    """The pattern itself, or for bytes the same pattern for text."""
    if isinstance(pattern.pattern, bytes):
        return re.compile(pattern.pattern.decode("latin-1"), pattern.flags)
    return pattern


def hard_texts(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Texts of any length that begin to match again and again, and do not end."""
    seen = set()
    for before, repeated, after in repeats(_parser.parse(pattern.pattern, pattern.flags), "", ""):
        almost = after[:-1]
        cycles = {
            before,
            repeated,
            before + repeated,
            before + after,
            before + almost,
            after,
            almost,
            f"/{before}",
        }
        cycles |= {f"_{repeated}", f"{repeated}/", f" {before}", f"{before}:"}
        for cycle in cycles - {""}:
            for head in {"", before} if before not in cycle else {""}:
                for middle, tail in (("", ""), (after, repeated), (after, "!"), ("", repeated)):
                    for end in ("!", "\n!", almost):
                        seen.add((head, cycle, middle, tail, end))
    for parts in sorted(seen):
        yield lambda size, parts=parts: _joined(size, *parts)  # type: ignore[misc]


def _joined(size: int, head: str, cycle: str, middle: str, tail: str, end: str) -> str:
    half = size // 2 if tail else size
    filled = (head + cycle * (half // len(cycle)))[:half] + middle
    return filled + (tail * size)[: size - len(filled) - len(end)] + end if tail else filled + end


def repeats(tree: Any, before: str, after: str) -> Iterator[tuple[str, str, str]]:
    """Of each part that may be repeated without end: what comes before it, what fits it, what comes after."""
    parts = list(tree)
    for at, (kind, value) in enumerate(parts):
        left = before + sample(parts[:at])
        right = sample(parts[at + 1 :]) + after
        if str(kind) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            if value[1] > 1000:
                yield left, sample(value[2]), right
            yield from repeats(value[2], left, right)
        else:
            for inner in _inner(str(kind), value):
                yield from repeats(inner, left, right)


def _inner(kind: str, value: Any) -> list[Any]:
    if kind == "BRANCH":
        return list(value[1])
    if kind == "ATOMIC_GROUP":
        return [value]
    return [value[-1]] if kind in ("SUBPATTERN", "ASSERT", "ASSERT_NOT") else []


def sample(tree: Any) -> str:
    """A short text that fits."""
    found = ""
    for kind, value in tree:
        if str(kind) == "LITERAL":
            found += chr(value)
        elif str(kind) == "IN":
            found += _one_of(value)
        elif str(kind) in ("ANY", "NOT_LITERAL"):
            found += ANY
        elif "REPEAT" in str(kind):
            found += sample(value[2]) * max(1, value[0])
        elif str(kind) in ("SUBPATTERN", "BRANCH", "ATOMIC_GROUP"):
            found += sample(_inner(str(kind), value)[0])
    return found


def _one_of(members: Any) -> str:
    kinds = {str(kind): value for kind, value in members}
    if "NEGATE" in kinds:
        return ANY
    if "LITERAL" in kinds:
        return chr(kinds["LITERAL"])
    if "RANGE" in kinds:
        return chr(kinds["RANGE"][0])
    return {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " "}.get(str(kinds.get("CATEGORY")), ANY)


def patterns() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Where each pattern of the package stands, the pattern, and the methods of it that are used."""
    for info in pkgutil.walk_packages(tfperf_plugin.__path__, "tfperf_plugin."):
        if info.name.endswith((".__main__", "._decode", "._intervals")):
            continue
        module = importlib.import_module(info.name)
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        used = [
            (node.value, ALIKE.get(node.attr, node.attr))
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in METHODS
        ]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                method = ast.unparse(node.func).removeprefix("re.")
                if method in METHODS and isinstance(node.args[0], ast.Constant):
                    pattern = re.compile(str(node.args[0].value))
                    yield f"{info.name}:{node.lineno}", pattern, ALIKE.get(method, method)
        of_name = [(value.id, method) for value, method in used if isinstance(value, ast.Name)]
        of_others = {method for name, method in of_name if name != "re" and name not in vars(module)}
        for name, held in vars(module).items():
            own = {method for called_name, method in of_name if called_name == name}
            for pattern in map(of_text, within(held)):
                for method in sorted(own or of_others or {"search"}):
                    yield f"{info.name}.{name}", pattern, method


def within(value: Any) -> Iterator[re.Pattern[str]]:
    """The patterns in a value, however deep."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from within(item)
    elif isinstance(value, dict):
        yield from within([*value.keys(), *value.values()])
    elif cells := getattr(getattr(value, "__wrapped__", value), "__closure__", None):
        held = [cell.cell_contents for cell in cells]
        held = [item() if isinstance(item, LATE) else item for item in held]
        yield from within([item for item in held if isinstance(item, (re.Pattern, tuple))])
    elif not isinstance(value, type) and (fields := getattr(type(value), "__struct_fields__", ())):
        yield from within([getattr(value, field) for field in fields])
