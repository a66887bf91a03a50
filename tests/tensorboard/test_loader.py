"""TensorBoard starts, whatever is wrong with us."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard.backend import application
from tensorboard.plugins import base_plugin
from werkzeug.test import Client

from tests.logdirs import add_run
from tfperf_plugin.tensorboard import loader
from tfperf_plugin.tensorboard.loader import DiagnosticsLoader


def test_it_imports_only_the_base_of_plugins() -> None:
    tree = ast.parse(Path(loader.__file__).read_text(encoding="utf-8"))
    imported = {
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
    }

    assert imported == {"__future__", "logging", "typing", "tensorboard.plugins"}


@pytest.mark.parametrize(
    "broken", ["numpy", "etils", "tfperf_plugin.tensorboard.plugin", "tfperf_plugin.judging.rules"]
)
def test_a_broken_part_costs_only_the_tab(broken: str) -> None:
    """In a process of its own: a module that cannot be imported stays so."""
    script = f"""
import sys
sys.modules[{broken!r}] = None
from tfperf_plugin.tensorboard.loader import DiagnosticsLoader
print("loaded:", DiagnosticsLoader().load(None))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert done.stdout == "loaded: None\n", done.stderr
    assert "The Diagnostics tab is missing" in done.stderr


AT_THE_START = [
    "errors", "judging",
    "readers", "readers.base", "readers.content", "readers.formats", "readers.kineto", "readers.kineto.files",
    "readers.logdirs", "readers.logdirs.files", "readers.logdirs.finding", "readers.logdirs.places",
    "readers.logdirs.runs", "readers.logdirs.training", "readers.nsight",
    "readers.nsight.files", "readers.remote",
    "records", "tensorboard", "tensorboard.loader", "tensorboard.plugin", "tensorboard.together",
]  # fmt: skip


def test_the_start_loads_little_and_opening_the_rest(tmp_path: Path) -> None:
    """What is broken deeper inside shows when TensorBoard is opened, and costs the tab then."""
    add_run(tmp_path, "run")
    script = f"""
import sys, time
from tensorboard.plugins import base_plugin
from tfperf_plugin.tensorboard.loader import DiagnosticsLoader
plugin = DiagnosticsLoader().load(base_plugin.TBContext(logdir={str(tmp_path)!r}))
print(sorted(m for m in sys.modules if m.startswith("tfperf_plugin.")))
if "broken" in sys.argv:
    sys.modules["tfperf_plugin.analysis.ledger"] = None
until = time.monotonic() + 30
while time.monotonic() < until and not plugin._broken and not (plugin.is_active() and plugin._made_service):
    time.sleep(0.01)
print(plugin._broken, plugin.is_active())
"""
    for argument, answer in (("whole", "False True"), ("broken", "True False")):
        done = subprocess.run(
            [sys.executable, "-c", script, argument], capture_output=True, text=True, check=False
        )
        loaded, state = done.stdout.splitlines()

        assert loaded == str([f"tfperf_plugin.{name}" for name in AT_THE_START]), done.stderr
        assert state == answer
        assert ("The Diagnostics tab is missing" in done.stderr) == (argument == "broken")


def test_a_failing_constructor_costs_only_the_tab(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tfperf_plugin.tensorboard import plugin as plugin_module

    def fail(context: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(plugin_module, "DiagnosticsPlugin", fail)

    assert DiagnosticsLoader().load(base_plugin.TBContext(logdir="")) is None
    assert "The Diagnostics tab is missing" in caplog.text


def test_tensorboard_lists_the_tab(tmp_path: Path) -> None:
    plugin = DiagnosticsLoader().load(base_plugin.TBContext(logdir=str(tmp_path)))

    listing = Client(application.TensorBoardWSGI([plugin])).get("/data/plugins_listing").json

    assert listing is not None
    assert listing["diagnostics"]["tab_name"] == "Diagnostics"
    assert listing["diagnostics"]["loading_mechanism"] == {
        "type": "IFRAME",
        "module_path": "/data/plugin/diagnostics/static/index.js",
    }
