"""A remote log directory: ``gs://`` paths in fsspec's file system in memory, put in place of gcsfs."""

from __future__ import annotations

from typing import Any

import fsspec
import pytest
from etils import epath
from etils.epath import backend


def remote_in_memory(monkeypatch: pytest.MonkeyPatch) -> Any:
    """fsspec's file system in memory, empty; ``gs://bucket/x`` is its ``/bucket/x``."""
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]

    class InMemory(backend._FileSystemSpecBackend):  # type: ignore[misc]
        def fs(self, path: object) -> Any:
            return _WithoutScheme(memory)

    monkeypatch.setattr(epath.Path("gs://bucket").__class__, "_backend", property(lambda self: InMemory()))
    return memory


class _WithoutScheme:
    """A file system whose paths lose their ``gs://``."""

    def __init__(self, file_system: Any) -> None:
        self._file_system = file_system

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._file_system, name)

        def call(*paths: object, **kwargs: object) -> Any:
            return method(*(str(p).replace("gs://", "/") if _is_path(p) else p for p in paths), **kwargs)

        return call


def _is_path(value: object) -> bool:
    return str(value).startswith("gs://")
