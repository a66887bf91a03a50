"""Nothing here turns data into code: no pickle, no eval, no shell, no markup from strings."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "tfperf_plugin"
FRONTEND = REPOSITORY / "frontend" / "src"
MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "marshal",
    "shelve",
    "copyreg",
    "multiprocessing",  # what its connections and queues carry is pickled
    "joblib",
    "cloudpickle",
    "yaml",
    "cffi",
    "imp",
    "xml",
    "telnetlib",
    "ftplib",
}
CALLS = {"eval", "exec", "compile", "__import__", "input", "breakpoint"}
METHODS = {"system", "popen", "mktemp", "literal_eval", "loads_unsafe"}
ONLY_IN = {
    "subprocess": {"recording/machine.py", "process.py"},
    "ctypes": {"native.py", "trace/intervals.py", "xspace/compiled.py"},
}
"""nvidia-smi is asked how GPUs are linked, workers are started: fixed commands, no shell. What ctypes loads
is compiled code of this package."""
TEMPLATE_NAMES = {"TemplateResult", "html", "noChange", "nothing", "render", "svg"}
SINKS = re.compile(
    r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|srcdoc|DOMParser|"
    r"setHTMLUnsafe|parseHTMLUnsafe|unsafeHTML|inner-h-t-m-l|eval)\b|new Function\b|javascript:|"
    r"setTimeout\(\s*['\"`]"
)


def python_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_data_becomes_code(path: Path) -> None:
    name = str(path.relative_to(PACKAGE))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            roots = {module.partition(".")[0] for module in imported}
            assert not roots & MODULES, (node.lineno, roots)
            assert all(name in ONLY_IN.get(root, {name}) for root in roots), (node.lineno, roots)
        elif isinstance(node, ast.Call):
            called = node.func
            assert not (isinstance(called, ast.Name) and called.id in CALLS), node.lineno
            assert not (isinstance(called, ast.Attribute) and called.attr in METHODS), node.lineno
            given = {k.arg: k.value for k in node.keywords}
            for dangerous in ("allow_pickle", "shell"):
                value = given.get(dangerous)
                assert value is None or (isinstance(value, ast.Constant) and value.value is False), (
                    node.lineno
                )
            if (
                isinstance(called, ast.Attribute)
                and called.attr == "load"
                and ast.unparse(called.value) == "np"
            ):
                assert "allow_pickle" in given, node.lineno


@pytest.mark.parametrize(
    "path", sorted(FRONTEND.rglob("*.ts")), ids=lambda path: str(path.relative_to(FRONTEND))
)
def test_no_text_becomes_markup(path: Path) -> None:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        is_test_data = path.name in ("fakes.ts", "hostile.ts")
        if not is_test_data and not line.lstrip().startswith(("//", "*", "/*")):
            assert not SINKS.search(line), f"{path.name}:{number}: {line.strip()}"


def test_what_templates_take_stays_text() -> None:
    """lit-html puts what stands in ${…} into the page as text or as the value of an attribute that is written
    beside it; only its functions named unsafe, and attributes that are code or pages, break that."""
    for path in sorted(FRONTEND.rglob("*.ts")):
        text = path.read_text(encoding="utf-8")
        for names, module in re.findall(r"import (?:type )?\{([^}]*)\} from '(lit-html[^']*)'", text):
            assert module == "lit-html", f"{path.name}: {module}"
            assert {name.split()[-1] for name in names.split(",")} <= TEMPLATE_NAMES, f"{path.name}: {names}"
        assert not re.search(r"[\s.](?:on(?!ly\b)\w+|innerHTML|outerHTML|srcdoc|style)=[\"']?\$\{", text), (
            path.name
        )
