"""TensorBoard's way in. It imports almost nothing: an error here would keep TensorBoard from starting."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from tensorboard.plugins import base_plugin

if TYPE_CHECKING:
    from tfperf_plugin.tensorboard.plugin import DiagnosticsPlugin


NEEDED: Final = ("etils", "numpy", "tfperf_plugin.judging.rules", "tfperf_plugin.tensorboard.jobs")
"""What the plugin imports once somebody opens TensorBoard: it would hold up the start."""


class DiagnosticsLoader(base_plugin.TBLoader):  # type: ignore[misc]  # TensorBoard has no types
    """Loads the plugin; if anything of it is broken or missing, TensorBoard starts without it."""

    def load(self, context: base_plugin.TBContext) -> DiagnosticsPlugin | None:
        """The plugin, already looking for profiles in the background, or None with a line in the log."""
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
