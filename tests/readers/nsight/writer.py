"""Writes SQLite files as Nsight Systems exports them, as far as the reader asks for their tables."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Content
from tfperf_plugin.readers.formats import NSIGHT
from tfperf_plugin.trace.model import HostTrace

MACHINE = 1 << 48
PROCESS = 100
US, MS = 1_000, 1_000_000
KERNEL, RUNTIME, NVTX = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"
_CONFIGURATION = {
    "gridX": 8, "gridY": 1, "gridZ": 1, "blockX": 256, "blockY": 1, "blockZ": 1, "registersPerThread": 32,
    "staticSharedMemory": 16, "dynamicSharedMemory": 1024,
}  # fmt: skip


def process_id(process: int = PROCESS) -> int:
    """The global id of a process."""
    return MACHINE | process << 24


def thread_id(thread: int = PROCESS, process: int = PROCESS) -> int:
    """The global id of a thread."""
    return process_id(process) | thread


class Export:
    """Tables by their names; each row is what its columns hold."""

    def __init__(self) -> None:
        self.tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._strings: dict[str, int] = {}
        self._correlation = 0
        self.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=1_700_000_000_000_000_000)

    def add(self, table: str, **columns: Any) -> None:
        """Adds a row."""
        self.tables[table].append(columns)

    def text(self, value: str) -> int:
        """The number of a text."""
        if value not in self._strings:
            self._strings[value] = 1000 + len(self._strings)
            self.add("StringIds", id=self._strings[value], value=value)
        return self._strings[value]

    def call(
        self, name: str, begin: int, end: int, correlation: int | None = 0, **where: int
    ) -> None:  # fmt: skip
        """A function of CUDA, called on a ``thread`` of a ``process``."""
        self.add(
            RUNTIME, start=begin, end=end, globalTid=thread_id(**where), correlationId=correlation,
            nameId=self.text(name),
        )  # fmt: skip

    def range(self, name: str, begin: int, end: int | None, **where: int) -> None:
        """An NVTX range that a ``thread`` of a ``process`` pushed and popped."""
        self.add(
            NVTX, start=begin, end=end, eventType=59, text=name, textId=None, globalTid=thread_id(**where)
        )

    def kernel(self, begin: int, end: int, name: str = GEMM, **columns: Any) -> None:
        """A kernel without its launch."""
        named = {"demangledName": self.text(name), "shortName": self.text(name[:4])}
        self.work(KERNEL, begin, end, **{**named, **_CONFIGURATION, **columns})

    def work(
        self, table: str, begin: int, end: int, *, correlation: int | None = 0, process: int = PROCESS,
        **columns: Any,
    ) -> None:  # fmt: skip
        """What a GPU did, on the first one and on stream 7 if ``columns`` name no others."""
        where = {"deviceId": 0, "contextId": 1, "streamId": 7, "globalPid": process_id(process)}
        self.add(table, start=begin, end=end, correlationId=correlation, **{**where, **columns})

    def launch(
        self, called: int, begin: int, end: int, name: str = GEMM, *, thread: int = 0, process: int = PROCESS,
        **columns: Any,
    ) -> int:  # fmt: skip
        """A kernel, and the call that launched it, 5 µs long; returns their correlation id."""
        self._correlation += 1
        self.call(
            "cudaLaunchKernel_v7000", called, called + 5 * US, self._correlation, thread=thread or process,
            process=process,
        )  # fmt: skip
        self.kernel(begin, end, name, correlation=self._correlation, process=process, **columns)
        return self._correlation

    def write(self, path: Path, page_bytes: int = 4096, encoding: str = "UTF-8") -> Path:
        """Writes the file."""
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA page_size = {page_bytes}")
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("BEGIN")
        for table, rows in self.tables.items():
            columns = list(dict.fromkeys(column for row in rows for column in row))
            types = ", ".join(
                f'"{c}" INTEGER PRIMARY KEY' if (table, c) == ("StringIds", "id") else f'"{c}"'
                for c in columns
            )
            connection.execute(f"CREATE TABLE {table} ({types})")
            places = ",".join("?" * len(columns))
            cells = [[row.get(column) for column in columns] for row in rows]
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", cells)
        connection.execute("COMMIT")
        connection.close()
        return path

    def trace(self, folder: Path, anomalies: Anomalies | None = None) -> HostTrace:
        """What the reader makes of the file."""
        return trace(self.write(folder / "export.sqlite"), anomalies)


def content(path: Path) -> Content:
    """A file, as the product opens it."""
    return Content(path.stat().st_size, lambda at, end: path.read_bytes()[at:end], str(path))


def trace(path: Path, anomalies: Anomalies | None = None) -> HostTrace:
    """What the reader makes of a file."""
    anomalies = anomalies or Anomalies()
    return NSIGHT.trace("host", NSIGHT.decode(content(path), anomalies), anomalies)
