"""Who may know whom: a stage knows only the stages to its left."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "tfperf_plugin"

ORDER = (
    ("records", "threads"),
    ("errors", "version", "engine.outcome", "native", "codes", "medians"),
    ("guide",),
    ("remote",),
    ("runs",),
    ("codec",),
    ("training",),
    ("xspace",),
    ("trace",),
    ("steps",),
    ("artifacts.collectives",),
    ("artifacts.communication",),
    ("ledger",),
    ("artifacts",),
    ("engine",),
    ("rules",),
    ("whatif",),
    ("report",),
    ("compare",),
    ("pages",),
    ("cache",),
    ("process",),
    ("workers",),
    ("cluster",),
    ("service",),
    ("plugin", "cli", "api"),
    ("loader",),
    ("recording",),
    ("keras",),
)
"""From left to right; parts of one group do not know each other.

Some modules stand apart from their package: the vocabulary of outcomes knows nothing, and the ledger
needs to know who waits in a collective.
"""

ONLY_IN = {
    "google": {"xspace"},  # protobuf: the wire format
    "tensorboard": {"plugin", "loader"},
    "werkzeug": {"plugin"},
    "argparse": {"cli"},
    "etils": {"remote", "runs", "recording"},
    "subprocess": {"recording", "process"},
    "tensorflow": {"keras"},
    "threading": {"remote", "service", "plugin", "process", "threads", "workers", "report"},
    "ctypes": {"native", "xspace", "trace"},  # what was compiled from C
    "distributed": {"cluster"},
}
"""What only some parts may import."""

NOWHERE = {"xprof", "keras", "pickle", "multiprocessing", "pandas"}
PLACE = {part: place for place, parts in enumerate(ORDER) for part in parts}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def part_of(path: Path) -> str:
    return part_named(path.relative_to(PACKAGE).with_suffix("").parts)


def part_named(parts: Sequence[str]) -> str:
    module = ".".join(parts[:2])
    return module if module in PLACE else parts[0]


@functools.cache
def imports(path: Path) -> set[str]:
    """Full names of what ``path`` imports, wherever in the file, unless for type checking only."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def test_a_stage_knows_only_the_stages_to_its_left() -> None:
    wrong = []
    for path in modules():
        part = part_of(path)
        assert part in PLACE, f"{path}: {part} has no place in the order"
        ours = {
            part_named(name.split(".")[1:]) for name in imports(path) if name.startswith("tfperf_plugin.")
        }
        right = {other for other in ours - {part} if PLACE[other] >= PLACE[part]}
        wrong += [f"{path.relative_to(PACKAGE)} imports {other}" for other in sorted(right)]

    assert wrong == []


def test_libraries_stay_in_their_stage() -> None:
    wrong = []
    for path in modules():
        used = {name.split(".")[0] for name in imports(path)}
        strange = {name for name in used & ONLY_IN.keys() if part_of(path) not in ONLY_IN[name]}
        wrong += [f"{path.relative_to(PACKAGE)} imports {name}" for name in sorted(strange | used & NOWHERE)]

    assert wrong == []


def test_what_runs_inside_the_training_is_apart_from_what_judges_it() -> None:
    known = {part_of(path): set[str]() for path in modules()}
    for path in modules():
        known[part_of(path)] |= {
            part_named(name.split(".")[1:]) for name in imports(path) if name.startswith("tfperf_plugin.")
        }

    assert {part for part in known if "keras" in known[part]} == set()
    assert {part for part in known if "recording" in known[part]} - {"recording"} == {"keras"}
    assert (known["recording"] | known["keras"]) <= {"recording", "training", "runs"}


def test_rules_do_not_import_each_other() -> None:
    for path in (PACKAGE / "rules").glob("*.py"):
        if path.name != "__init__.py":
            siblings = {name for name in imports(path) if name.startswith("tfperf_plugin.rules.")}
            assert {name for name in siblings if not name.split(".")[2].startswith("_")} == set(), path.name
