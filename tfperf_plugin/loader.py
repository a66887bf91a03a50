"""TensorBoard's way in. It imports almost nothing: an error here would keep TensorBoard from starting."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tensorboard.plugins import base_plugin

if TYPE_CHECKING:
    from tfperf_plugin.plugin import DiagnosticsPlugin


class DiagnosticsLoader(base_plugin.TBLoader):  # type: ignore[misc]  # TensorBoard has no types
    """Loads the plugin; if anything of it is broken or missing, TensorBoard starts without it."""

    def load(self, context: base_plugin.TBContext) -> DiagnosticsPlugin | None:
        """The plugin, already looking for profiles in the background, or None with a line in the log."""
        try:
            from tfperf_plugin.plugin import DiagnosticsPlugin

            plugin = DiagnosticsPlugin(context)
            plugin.look_for_runs()
        except Exception:
            logging.getLogger(__name__).warning(
                "The Diagnostics tab is missing: tfperf could not be loaded.", exc_info=True
            )
            return None
        return plugin
