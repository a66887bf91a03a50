"""Every test of the reader runs with both decoders, where both are there."""

from __future__ import annotations

from tests.compiled import with_and_without
from tfperf_plugin.readers.xspace import compiled

decoder = with_and_without(compiled.library)
