"""Runs code of pages in one framework: ``python -m tests.snippets.process jax RESULTS < jobs``."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import itertools
import json
import linecache
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

Names = dict[str, Any]
#: Seconds that one snippet may take.
LIMIT_S = 60
#: Functions that write down any keyword that they get, and the keywords that mean something to profilers.
FREE = {"Trace": {"step_num", "_r"}, "StepTraceAnnotation": {"step_num"}}
_NUMBERS = itertools.count(1)


def main(framework: str, results: str) -> None:
    """Runs each job of the standard input and writes what went wrong with it, "" if nothing did."""
    signal.signal(signal.SIGALRM, _too_long)
    module = importlib.import_module(f"tests.snippets.with_{framework}")
    said = {}
    for job in json.load(sys.stdin):
        before = dict(os.environ)
        signal.alarm(LIMIT_S)
        try:
            module.run(job)
            said[job["id"]] = ""
        except ImportError as missing:
            said[job["id"]] = f"skipped: {missing.name} is not installed" if missing.name else repr(missing)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            said[job["id"]] = (
                f"{type(error).__name__}: {str(error)[:6000]} ({Path(last.filename).name}:{last.lineno})"
            )
        finally:
            signal.alarm(0)
            os.environ.clear()
            os.environ.update(before)
            module.restore()
    Path(results).write_text(json.dumps(said), encoding="utf-8")


def _too_long(*_: object) -> None:
    raise TimeoutError(f"took more than {LIMIT_S} s")


def executed(code: str, names: Names, replaced: Mapping[str, str]) -> set[str]:
    """Runs code after it was adapted to a machine without a GPU; gives the names that it defines."""
    for old, new in replaced.items():
        code = code.replace(old, new)
    before, file = dict(names), f"<snippet {next(_NUMBERS)}>"
    # What reads the source of functions, such as AutoGraph, finds it here.
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        exec(compile(code, file, "exec"), names)
    return {name for name, value in names.items() if name not in before or before[name] is not value}


def checked(function: Callable[..., Any], instead: Callable[[], Any] = MagicMock) -> Callable[..., Any]:
    """Stands for a function that needs a GPU or a network: it only looks at its arguments."""
    signature = inspect.signature(function)

    def bound(*args: Any, **keywords: Any) -> Any:
        signature.bind(*args, **keywords)
        return instead()

    return bound


def span(text: str, names: Names, owners: Names, replaced: Mapping[str, str]) -> None:
    """Checks a span: a path that leads to something, and arguments that a function takes.

    ``owners``: parameter, method or attribute → what has it, for spans that are only its name.
    """
    for old, new in replaced.items():
        text = text.replace(old, new)
    tree = _parsed(text)
    names = {name: getattr(owner, name) for name, owner in owners.items() if hasattr(owner, name)} | names
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "OWNER":
        for keyword in tree.keywords:
            _owned(str(keyword.arg), owners)
            _value(keyword.value, names)
    elif isinstance(tree, ast.Call):
        _takes(_reached(tree.func, names), tree, names)
    elif isinstance(tree, ast.Name) and tree.id in owners:
        _owned(tree.id, owners)
    else:
        _reached(tree, names)


def _parsed(text: str) -> ast.expr:
    """The expression that a span is; ``name=value`` is an argument of what is found by the name."""
    text = text.lstrip("@.").replace("…", "...").replace("::", ".")
    with contextlib.suppress(SyntaxError):
        return ast.parse(text, mode="eval").body
    with contextlib.suppress(SyntaxError):
        (statement,) = ast.parse(text).body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
            return ast.parse(ast.unparse(statement.targets[0]), mode="eval").body
    return ast.parse(f"OWNER({text})", mode="eval").body


def _reached(tree: ast.expr, names: Names) -> Any:
    """What a path leads to; modules on the way are imported."""
    if not isinstance(tree, ast.Attribute):
        return _value(tree, names)
    owner = _reached(tree.value, names)
    if inspect.ismodule(owner) and not hasattr(owner, tree.attr):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(f"{owner.__name__}.{tree.attr}")
    return getattr(owner, tree.attr)


def _owned(name: str, owners: Names) -> None:
    owner = owners[name]
    if name not in _parameters(owner) and not hasattr(owner, name):
        raise TypeError(f"{owner} has no {name}")


def _value(tree: ast.expr, names: Names) -> Any:
    return eval(compile(ast.Expression(tree), "span", "eval"), names)


def _takes(function: Any, call: ast.Call, names: Names) -> None:
    """Fails unless the function has these parameters, by name: a ``**kwargs`` proves nothing."""
    keywords = {str(keyword.arg) for keyword in call.keywords}
    if keywords <= _parameters(function):
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            _value(value, names)
        return
    if "..." in ast.unparse(call):
        raise TypeError(f"{function} has no parameter {', '.join(sorted(keywords - _parameters(function)))}")
    _value(call, names)


def _parameters(function: Any) -> set[str]:
    """Names of parameters of a function, or of a class and those that it passes ``**kwargs`` to."""
    found = set(FREE.get(getattr(function, "__name__", ""), ()))
    for one in inspect.getmro(function) if inspect.isclass(function) else (function,):
        for signed in (one, one.__init__) if inspect.isclass(one) else (one,):
            with contextlib.suppress(ValueError, TypeError):
                found |= set(inspect.signature(signed).parameters)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
