"""Who may know whom: a room knows only the rooms above it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "tfperf_plugin"

ROOMS = (
    "errors",
    "version",
    "records",
    "arrays",
    "hardware",
    "trace",
    "readers",
    "recording",
    "analysis",
    "judging",
    "report",
    "execution",
    "proof",
    "compare",
    "docs",
    "cli",
    "tensorboard",
    "api",
    "keras",
)
"""From top to bottom."""

ONLY_IN = {
    "argparse": {"cli"},
    "distributed": {"execution"},
    "etils": {"readers", "recording"},
    "mcp": {"cli"},
    "tensorboard": {"readers", "recording", "tensorboard"},  # what reads and writes event files
    "tensorflow": {"keras"},
    "threading": {"records", "arrays", "readers", "recording", "execution", "proof", "tensorboard"},
    "werkzeug": {"tensorboard"},
}
"""What only some rooms may import."""

NOWHERE = {"google", "keras", "multiprocessing", "pandas", "pickle", "xprof"}


def modules() -> dict[str, Path]:
    """Module → file; the package itself, which offers ``api`` on demand, belongs to no room."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    del found[""]
    return found


def imports(path: Path) -> Iterator[str]:
    """Full names of what a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def inside(path: Path) -> set[str]:
    """What a file imports of this package, from ``tfperf_plugin.`` on."""
    return {name.split(".", 1)[1] for name in imports(path) if name.startswith("tfperf_plugin.")}


def room(module: str) -> str:
    return module.split(".")[0]


def test_a_room_knows_only_the_rooms_above_it() -> None:
    for module, path in modules().items():
        above = ROOMS[: ROOMS.index(room(module)) + 1]
        assert {name for name in inside(path) if room(name) not in above} == set(), module


def test_nothing_imports_in_a_circle() -> None:
    known = modules()
    graph = {}
    for module, path in known.items():
        names = {name if name in known else name.rpartition(".")[0] for name in inside(path)}
        graph[module] = {name for name in names if name in known and name != module}

    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_libraries_stay_in_their_rooms() -> None:
    for module, path in modules().items():
        used = {name.split(".")[0] for name in imports(path)}
        assert {name for name in used & ONLY_IN.keys() if room(module) not in ONLY_IN[name]} == set(), module
        assert used & NOWHERE == set(), module
        assert not used & {"psutil", "pynvml"} or module.startswith("recording.sampler."), module


def test_what_runs_inside_the_training_is_apart_from_what_judges_it() -> None:
    known = {name: {room(other) for other in inside(path)} for name, path in modules().items()}

    assert {module for module, rooms in known.items() if "keras" in rooms} == set()
    beside = [rooms for module, rooms in known.items() if room(module) in ("keras", "recording")]
    assert set().union(*beside) <= {"errors", "readers", "records", "recording", "version"}


def test_rules_see_neither_each_other_nor_raw_events() -> None:
    """Only the names of roles are shared with the trace."""
    for module, path in modules().items():
        if module.startswith("judging.rules."):
            group = module.rpartition(".")[0]
            seen = {n for n in inside(path) if n.startswith(("judging.rules", "readers", "trace"))}
            assert {n for n in seen if not n.startswith((f"{group}._", "trace.roles"))} == set(), module


def test_a_report_is_finished_before_it_is_written() -> None:
    """Model, panels and what assembles them know no writer."""
    for module, path in modules().items():
        if module.startswith("report.") and not module.startswith(("report.render", "report.slice")):
            assert {name for name in inside(path) if name.startswith("report.render")} == set(), module
