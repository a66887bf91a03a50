"""Parts compiled from C, if there was a compiler at installation. Callers fall back on NumPy without them.

``TFPERF_COMPILED=no`` in the environment asks for NumPy in any case, ``TFPERF_COMPILED=yes`` for an error
where a part is not there. Both ways give the same results.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

COMPILED = "TFPERF_COMPILED"
Library = Any  # functions that ctypes finds by name
Signature = tuple[Any, tuple[Any, ...]]
"""What a function returns and takes, as types of ctypes."""


def library(name: str, version: int, functions: Mapping[str, Signature]) -> Library | None:
    """The functions of the extension ``name``; ``None`` if NumPy has to do the work.

    ``version`` is the version of its source: an extension that was built from another version is not used.
    """
    wanted = os.environ.get(COMPILED)
    if wanted == "no":
        return None
    found = _load(name, version, tuple(functions.items()))
    if found is None and wanted == "yes":
        raise ImportError(f"{COMPILED} asks for {name}, which was not built on this machine.")
    return found


@functools.cache
def _load(name: str, version: int, functions: tuple[tuple[str, Signature], ...]) -> Library | None:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    try:
        found = ctypes.CDLL(spec.origin)
        for function_name, (result, arguments) in functions:
            function = getattr(found, function_name)
            function.restype, function.argtypes = result, arguments
        return found if found.tfperf_version() == version else None
    except (OSError, AttributeError):  # for another machine; of another version
        return None


class Column:
    """Type of an argument that is an array without gaps; functions get the address of its first number."""

    @classmethod
    def from_param(cls, column: NDArray[Any]) -> ctypes.c_void_p:
        """Called by ctypes."""
        return ctypes.c_void_p(address(column))


def address(column: NDArray[Any]) -> int:
    """The address of an array without gaps, valid while the array lives."""
    if not column.flags.c_contiguous:
        raise ValueError("a column with gaps")
    return column.ctypes.data


def contiguous(column: NDArray[Any]) -> NDArray[np.int64]:
    """The column as int64 without gaps; the same object if it is that already."""
    return np.ascontiguousarray(column, np.int64)


_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1


def reuse_memory() -> None:
    """Lets this process use freed memory again instead of giving it back to the system, which clears it.

    For processes that end with their work: otherwise pages of large arrays are made twice as often. Does
    nothing where memory is not managed by the GNU C library.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, TypeError, AttributeError):  # none there; Windows
        return
    mallopt(_ARENA_MAX, 1)  # arenas of other threads cannot hold large arrays
    mallopt(_MMAP_THRESHOLD, 32 << 20)  # what is larger would leave gaps that nothing else fills
    mallopt(_TRIM_THRESHOLD, (1 << 31) - 1)
