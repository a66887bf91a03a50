"""Nothing here turns data into code: no pickle, no eval, no shell, no markup from strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

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
    "subprocess": {
        "recording/machine.py",
        "recording/sampler/start.py",
        "execution/process.py",
        "execution/limits.py",
        "proof/child.py",
        "proof/code.py",
    },
    "ctypes": {
        "arrays/native.py",
        "arrays/intervals.py",
        "execution/limits.py",
        "readers/xspace/compiled.py",
    },
}
"""nvidia-smi is asked how GPUs are linked, vm_stat for free memory, git for the source, workers are started:
fixed commands, no shell. ``proof/child.py`` starts tfperf for ``tfperf mcp``, after consent,
and the training that the user names, word by word, and no other;
``recording/watched.py`` becomes it. What ctypes loads is compiled code of this package, and the C
library, by which workers give up their rights."""
TEMPLATE_NAMES = {
    "lit-html": {"TemplateResult", "html", "noChange", "nothing", "render", "svg"},
    "lit-html/directives/style-map.js": {"styleMap"},
}
SINKS = re.compile(
    r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|srcdoc|DOMParser|"
    r"setHTMLUnsafe|parseHTMLUnsafe|unsafeHTML|inner-h-t-m-l|eval)\b|new Function\b|javascript:|"
    r"setTimeout\(\s*['\"`]"
)


def what_becomes_code(tree: ast.AST, name: str) -> Iterator[ast.Import | ast.ImportFrom | ast.Call]:
    """The imports and calls in a file of this name that could run data, or load what was pickled."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            roots = {module.partition(".")[0] for module in imported}
            if roots & MODULES or any(name not in ONLY_IN.get(root, {name}) for root in roots):
                yield node
        elif isinstance(node, ast.Call) and is_dangerous(node):
            yield node


def is_dangerous(call: ast.Call) -> bool:
    called, given = call.func, {k.arg: k.value for k in call.keywords}
    for option in ("allow_pickle", "shell"):
        value = given.get(option)
        if value is not None and not (isinstance(value, ast.Constant) and value.value is False):
            return True
    if isinstance(called, ast.Name):
        return called.id in CALLS
    if isinstance(called, ast.Attribute):
        loads_arrays = called.attr == "load" and ast.unparse(called.value) == "np"
        return called.attr in METHODS or (loads_arrays and "allow_pickle" not in given)
    return False


def test_no_data_becomes_code() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    found = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno}: {ast.unparse(node)}"
        for path in files
        for node in what_becomes_code(
            ast.parse(path.read_text(encoding="utf-8")), str(path.relative_to(PACKAGE))
        )
    ]

    assert len(files) > 100
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from yaml import load",
        "import subprocess",
        "eval(text)",
        "os.system(text)",
        "run(text, shell=True)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
    ],
)
def test_what_could_become_code_is_noticed(code: str) -> None:
    assert len(list(what_becomes_code(ast.parse(code), "rules/step_gaps.py"))) == 1


def test_no_text_becomes_markup() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}"
        for path in sorted(FRONTEND.rglob("*.ts"))
        if path.name != "patches.ts"  # hostile names, for tests
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if not line.lstrip().startswith(("//", "*", "/*")) and SINKS.search(line)
    ]

    assert found == []
    assert SINKS.search("part.innerHTML = text")


def test_what_templates_take_stays_text() -> None:
    """lit-html puts what stands in ${…} into the page as text or as the value of an attribute that is written
    beside it; only its functions named unsafe, and attributes that are code or pages, break that.
    styleMap sets one property of a style at a time."""
    for path in sorted(FRONTEND.rglob("*.ts")):
        text = path.read_text(encoding="utf-8")
        for names, module in re.findall(r"import (?:type )?\{([^}]*)\} from '(lit-html[^']*)'", text):
            known = TEMPLATE_NAMES.get(module, set())
            assert {name.split()[-1] for name in names.split(",")} <= known, f"{path.name}: {names}"
        code = r"[\s.](?:on(?!ly\b)\w+|innerHTML|outerHTML|srcdoc|style)=[\"']?\$\{(?!styleMap\()"
        assert not re.search(code, text), path.name
