"""tfperf: finds what costs time in the profiles that TensorBoard shows.

``python_api.md`` describes what can be imported from here. Nothing of it is loaded before it is used:
TensorBoard imports this package when it starts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfperf_plugin.api import analyze as analyze
    from tfperf_plugin.api import export as export
    from tfperf_plugin.api import list_runs as list_runs
    from tfperf_plugin.errors import BadOptionError as BadOptionError
    from tfperf_plugin.errors import NotJudgeable as NotJudgeable
    from tfperf_plugin.errors import OutOfTime as OutOfTime
    from tfperf_plugin.errors import RunNotFound as RunNotFound
    from tfperf_plugin.errors import TfperfError as TfperfError
    from tfperf_plugin.errors import UnreadableInput as UnreadableInput
    from tfperf_plugin.report.model import Report as Report
    from tfperf_plugin.version import __version__ as __version__

_FROM: Final = {
    "BadOptionError": "errors",
    "NotJudgeable": "errors",
    "OutOfTime": "errors",
    "Report": "report.model",
    "RunNotFound": "errors",
    "TfperfError": "errors",
    "UnreadableInput": "errors",
    "__version__": "version",
    "analyze": "api",
    "export": "api",
    "list_runs": "api",
}

__all__ = list(_FROM)


def __getattr__(name: str) -> object:
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_FROM})
