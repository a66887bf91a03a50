"""What is fuzzed: functions that take any bytes, each with what it begins with and how that is changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.conftest import REPOSITORY
from tests.fuzz import oracles
from tests.fuzz.corpus import (
    event_files,
    machines,
    profiles_of_programs,
    programs,
    seeds,
    starts,
    stored,
    traces,
)
from tests.fuzz.cost import check_cost, check_resources_cost, check_scalars_cost
from tests.fuzz.databases import exports, grown_export, remade
from tests.fuzz.guided import Change, Watch
from tests.fuzz.mutate import grown_trace, mutated, retraced, reworded, rewritten
from tests.recording.test_record import FULL
from tfperf_plugin.recording.record import to_json

PACKAGE = REPOSITORY / "tfperf_plugin"


class Target(NamedTuple):
    """``check`` raises where something is wrong, ``begin`` makes inputs to begin with; ``folder`` is what
    is fuzzed, and found inputs lie in tests/fuzz/seeds with this ``suffix``. ``timed``: what it takes is
    checked, so nothing may be instrumented."""

    check: Callable[[bytes, Watch], object]
    begin: Callable[[], list[bytes]]
    folder: Path = PACKAGE
    suffix: str = "pb"
    change: Change = mutated
    timed: bool = False

    def inputs(self) -> list[bytes]:
        """All to begin with."""
        return [*self.begin(), *(path.read_bytes() for path in seeds(self.suffix))]

    def write_inputs(self, folder: Path) -> None:
        """Those as files."""
        folder.mkdir(parents=True, exist_ok=True)
        for data in self.inputs():
            (folder / name_of(data)).write_bytes(data)


def name_of(data: bytes) -> str:
    """A file name for an input."""
    return hashlib.sha256(data).hexdigest()[:16]


XSPACE, KINETO, NSIGHT = (PACKAGE / "readers" / name for name in ("xspace", "kineto", "nsight"))
TARGETS = {
    "reader": Target(oracles.check_reader, starts, XSPACE),
    "path": Target(oracles.check_path, starts),
    "hosts": Target(oracles.check_hosts, starts),
    "program": Target(oracles.check_program, programs, XSPACE, "hlo", partial(mutated, kind="HloProto")),
    "record": Target(oracles.check_record, lambda: [to_json(FULL)], PACKAGE / "recording", "json", reworded),
    "resources": Target(oracles.check_resources, machines, PACKAGE, "resources", reworded),
    "resources_cost": Target(check_resources_cost, machines, suffix="resources", change=reworded, timed=True),
    "cost": Target(check_cost, lambda: [*starts(), *profiles_of_programs()], timed=True),
    "trace": Target(oracles.check_trace, traces, KINETO, "trace", retraced),
    "trace_path": Target(oracles.check_path, traces, suffix="trace", change=retraced),
    "trace_cost": Target(
        partial(check_cost, grow=grown_trace), traces, suffix="trace", change=retraced, timed=True
    ),
    "export": Target(oracles.check_export, exports, NSIGHT, "sqlite", remade),
    "export_path": Target(oracles.check_path, exports, suffix="sqlite", change=remade),
    "export_cost": Target(
        partial(check_cost, grow=grown_export), exports, suffix="sqlite", change=remade, timed=True
    ),
    "scalars": Target(oracles.check_scalars, event_files, PACKAGE, "tfevents", rewritten),
    "scalars_cost": Target(check_scalars_cost, event_files, suffix="tfevents", change=rewritten, timed=True),
    "cache": Target(oracles.check_stored, stored, PACKAGE, "stored", reworded),
}
