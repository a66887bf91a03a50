"""Environments of their own: one with the wheel and what a cell names, and what has to work in it."""

from __future__ import annotations

import ast
import gzip
import json
import math
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import REPOSITORY
from tests.e2e.tensorboard import tensorboard
from tests.matrix.cells import Cell
from tests.wheels import make_environment, pip

SHOWN = (
    "tensorboard",
    "xprof",
    "tensorboard-plugin-profile",
    "tensorflow-cpu",
    "numpy",
    "protobuf",
    "etils",
    "msgspec",
)
REPORT_LIMIT_S = 60


def make(cell: Cell, wheel: Path, folder: Path) -> Path:
    """The Python of a fresh environment with the wheel and what the cell names; pip finds nothing amiss."""
    python = make_environment(folder) / "python"
    # What is used is compiled when it is.
    install = ("--python", str(python), "install", "--no-compile", "--only-binary", ":all:")
    pip(*install, str(wheel), *cell.requirements)
    pip("--python", str(python), "check")
    return python


def versions(python: Path) -> dict[str, str]:
    """Name → version of what a cell is about."""
    code = "import importlib.metadata as m; print([(d.name, d.version) for d in m.distributions()])"
    listed = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    found = {name.replace("_", "-"): version for name, version in ast.literal_eval(listed)}
    return {name: found[name] for name in SHOWN if name in found}


def report(python: Path | str, logdir: Path, run: str, **settings: str) -> dict[str, Any]:
    """The report as ``tfperf report`` prints it, without how long it took."""
    command = [str(python), "-m", "tfperf_plugin.cli", "report", str(logdir), "--run", run]
    done = subprocess.run(
        [*command, "--format", "json", "--no-cache"],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY if python == sys.executable else Path(python).parent,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | settings,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    del found["timing"]
    return found


def differences(one: Any, other: Any, place: str = "report") -> list[str]:
    """Where two reports differ; the last digits of numbers with a point are NumPy's own."""
    if isinstance(one, float) and isinstance(other, float):
        same = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
        return [] if same else [f"{place}: {one} and {other}"]
    if type(one) is not type(other):
        return [f"{place}: {one!r:.80} and {other!r:.80}"]
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return [f"{place}: keys {one.keys() ^ other.keys()}"]
        return [line for key in one for line in differences(one[key], other[key], f"{place}.{key}")]
    if isinstance(one, list):
        if len(one) != len(other):
            return [f"{place}: {len(one)} and {len(other)} items"]
        pairs = enumerate(zip(one, other, strict=True))
        return [line for n, (a, b) in pairs for line in differences(a, b, f"{place}[{n}]")]
    return [] if one == other else [f"{place}: {one!r:.80} and {other!r:.80}"]


def served(
    python: Path, cell: Cell, logdir: Path, run: str, look: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """The report as TensorBoard of this environment serves it; its tab and its module are there.

    The front end offers links to the profile plugin if TensorBoard lists that plugin. ``look`` is given the
    address while TensorBoard runs.
    """
    with tensorboard(logdir, python=str(python)) as address:
        root = f"{address}data/plugin/diagnostics"
        listing = json.loads(fetch(f"{address}data/plugins_listing"))
        assert listing["diagnostics"]["tab_name"] == "Diagnostics"
        assert ("profile" in listing) == cell.profile, f"listed: {sorted(listing)}"
        module = (REPOSITORY / "tfperf_plugin" / "tensorboard" / "static" / "index.js").read_bytes()
        assert fetch(f"{root}/static/index.js") == module, "another module"
        listed = [row["name"] for row in json.loads(fetch(f"{root}/runs"))["runs"]]
        assert run in listed, f"runs: {listed}"
        if cell.profile:  # links into it are made of its names of runs and hosts
            theirs = json.loads(fetch(f"{address}data/plugin/profile/runs"))
            assert run in theirs, f"runs of the profile plugin: {theirs}"
        until = time.monotonic() + REPORT_LIMIT_S
        while "state" in (found := json.loads(fetch(f"{root}/report?run={run}"))):
            assert time.monotonic() < until, found
            time.sleep(0.2)
        look(address)
    del found["timing"]
    return dict(found)


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url) as response:
        content: bytes = response.read()
    # The profile plugin compresses its lists, whether that was asked for or not.
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
