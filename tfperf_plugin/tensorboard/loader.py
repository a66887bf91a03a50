"""TensorBoard's entry point. Imports almost nothing: an error here would keep TensorBoard from starting."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from tensorboard.plugins import base_plugin

if TYPE_CHECKING:
    from tfperf_plugin.tensorboard.plugin import DiagnosticsPlugin


NEEDED: Final = ("etils", "numpy", "tfperf_plugin.judging.rules", "tfperf_plugin.tensorboard.jobs")
"""Modules that the plugin imports only when somebody opens TensorBoard, to keep the start fast."""


class DiagnosticsLoader(base_plugin.TBLoader):  # type: ignore[misc]  # TensorBoard has no types
    """Loads the plugin. If any part of it is broken or missing, TensorBoard starts without it."""

    def load(self, context: base_plugin.TBContext) -> DiagnosticsPlugin | None:
        """The plugin, which already looks for profiles in the background; None after a warning in the log."""
        try:
            from importlib.util import find_spec

            from tfperf_plugin.tensorboard.plugin import DiagnosticsPlugin

            missing = [name for name in NEEDED if find_spec(name) is None]
            if missing:
                raise ImportError(f"{', '.join(missing)} cannot be found")

            plugin = DiagnosticsPlugin(context)
            plugin.look_for_runs()
        except Exception:
            logging.getLogger(__name__).warning(
                "The Diagnostics tab is missing: tfperf could not be loaded.", exc_info=True
            )
            return None
        return plugin
