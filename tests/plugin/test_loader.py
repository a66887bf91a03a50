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

from tfperf_plugin import loader
from tfperf_plugin.loader import DiagnosticsLoader


def test_it_loads(tmp_path: Path) -> None:
    plugin = DiagnosticsLoader().load(base_plugin.TBContext(logdir=str(tmp_path)))

    assert plugin is not None
    assert plugin.plugin_name == "diagnostics"


def test_it_imports_only_the_base_of_plugins() -> None:
    tree = ast.parse(Path(loader.__file__).read_text(encoding="utf-8"))
    imported = {
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
    }

    assert imported == {"__future__", "logging", "typing", "tensorboard.plugins"}


@pytest.mark.parametrize("broken", ["numpy", "etils", "tfperf_plugin.plugin", "tfperf_plugin.rules"])
def test_a_broken_part_costs_only_the_tab(tmp_path: Path, broken: str) -> None:
    """In a process of its own: a module that cannot be imported stays so."""
    script = f"""
import sys
sys.modules[{broken!r}] = None
from tfperf_plugin.loader import DiagnosticsLoader
print("loaded:", DiagnosticsLoader().load(None))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert done.stdout == "loaded: None\n", done.stderr
    assert "The Diagnostics tab is missing" in done.stderr


def test_a_failing_constructor_costs_only_the_tab(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tfperf_plugin import plugin as plugin_module

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
