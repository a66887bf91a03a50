"""The arguments that switches gave to calls of the training, as a patch; its files stay as they are."""

from __future__ import annotations

import ast
import difflib
import io
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tfperf_plugin.proof import files
from tfperf_plugin.proof.code import contents
from tfperf_plugin.proof.measured import Measured
from tfperf_plugin.recording.launch import Place

PATCH: Final = "change.patch"
"""In the folder of a trial; its first line says what it writes where."""
# No switch gives one of the first parameters, so a call with so few arguments by place leaves it open.
_MOST_BY_PLACE: Final = 5


def write(folder: Path, here: Path, launch: Measured) -> None:
    """Writes the patch of what a launch in ``here`` gave to calls, in files below that are as it saw them."""
    by_file = defaultdict[Path, list[Place]](list)
    for place in launch.launch.places:
        if here.resolve() in Path(place.file).parents:
            by_file[Path(place.file)].append(place)
    said, text = list[str](), ""
    for file, places in by_file.items():
        ((name, content),) = contents([file], here).items()
        if launch.sources.get(name) != content:
            continue
        old = new = file.read_bytes().decode(errors="replace")
        for place in places:
            before, new = new, with_arguments(new, place)
            said += [f"{place.call} at {name}:{place.line}"] if new != before else []
        path = Path(name).as_posix()
        text += "".join(difflib.unified_diff(_lines(old), _lines(new), f"a/{path}", f"b/{path}"))
    if text:
        files.write(folder / PATCH, f"{', '.join(said)}\n{text}".encode())


def said(folder: Path) -> Iterator[str]:
    """How to write the patch of a trial into the code, in lines; none without one."""
    if (folder / PATCH).exists():
        first = (folder / PATCH).read_text(encoding="utf-8").partition("\n")[0]
        yield f"A patch writes {first}:"
        yield f"$ git apply {shlex.quote(str(folder / PATCH))}"


def with_arguments(source: str, place: Place) -> str:
    """The source with the arguments of ``place.call``, such as "Adam(fused=True)", in the call that is there.

    It is returned as it is if there is no such call or several, or if they may be given already.
    """
    try:
        tree, wanted = ast.parse(source), ast.parse(place.call, mode="eval").body
        if not isinstance(wanted, ast.Call) or wanted.args or not wanted.keywords:
            return source
        called = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and _is(each, wanted, place)]
        if len(called) != 1 or not _leaves_open(called[0], wanted):
            return source
        changed = _inserted(source, called[0], ", ".join(map(ast.unparse, wanted.keywords)))
        called[0].keywords += wanted.keywords
        return changed if ast.dump(ast.parse(changed)) == ast.dump(tree) else source
    except (SyntaxError, ValueError):  # also of what ends in an argument in parentheses
        return source


def _is(call: ast.Call, wanted: ast.Call, place: Place) -> bool:
    here = call.lineno <= place.line <= (call.func.end_lineno or 0)
    return here and _name(call.func) == _name(wanted.func)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _leaves_open(call: ast.Call, wanted: ast.Call) -> bool:
    """Whether it is seen that ``call`` gives none of the arguments of ``wanted``."""
    names = {None, *(each.arg for each in wanted.keywords)}  # None: of **named
    is_seen = len(call.args) <= _MOST_BY_PLACE and not any(isinstance(x, ast.Starred) for x in call.args)
    return is_seen and not any(each.arg in names for each in call.keywords)


def _inserted(source: str, call: ast.Call, arguments: str) -> str:
    """``arguments`` behind those of ``call``."""
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    ends = [(each.end_lineno or 0, each.end_col_offset or 0) for each in given]
    number, at = max(ends) if ends else (call.end_lineno or 0, (call.end_col_offset or 0) - 1)
    lines = _lines(source)
    line = lines[number - 1].encode()
    inserted = f", {arguments}" if ends else arguments
    lines[number - 1] = (line[:at] + inserted.encode() + line[at:]).decode()
    return "".join(lines)


def _lines(source: str) -> list[str]:
    return list(io.StringIO(source, newline=""))
