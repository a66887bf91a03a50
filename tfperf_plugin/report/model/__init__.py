"""The report, which the command line, the HTTP routes and the tab render.

Units: ``_ns`` are integer nanoseconds, ``_bytes`` integer bytes, ``_ratio`` shares 0..1, ``_ms`` fractional
milliseconds on the timeline of one host (the unit of links into the trace viewer). Text is plain text, never
markup. ``None`` means that the profile does not say.
"""

from tfperf_plugin.report.model.communication import *
from tfperf_plugin.report.model.machine import *
from tfperf_plugin.report.model.report import *
from tfperf_plugin.report.model.steps import *
from tfperf_plugin.report.model.words import *
