"""``python -m tfperf_plugin.cli``."""

from __future__ import annotations

import sys

from tfperf_plugin.cli import main

sys.exit(main())
