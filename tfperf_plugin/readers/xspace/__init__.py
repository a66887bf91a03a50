"""XSpace files to planes, lines and columns of events: the only place that knows the file format."""

from tfperf_plugin.readers.xspace.anomalies import Anomalies, Anomaly
from tfperf_plugin.readers.xspace.model import Line, Plane, XSpace
from tfperf_plugin.readers.xspace.reader import read, read_each
from tfperf_plugin.readers.xspace.stats import FloatColumn, IntColumn, StatValue, TextColumn

__all__ = [
    "Anomalies",
    "Anomaly",
    "FloatColumn",
    "IntColumn",
    "Line",
    "Plane",
    "StatValue",
    "TextColumn",
    "XSpace",
    "read",
    "read_each",
]
