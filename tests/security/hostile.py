"""A run with hostile text in every text field: markup, escapes, bidi, format strings, line breaks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from demo.build import training
from demo.simulator import simulate
from demo.xspace_writer import XSpaceMessage
from tfperf_plugin.readers.logdirs.training import RECORD_SUFFIX

MARKUP = "<img src=x onerror=top.hacked=1><script>top.hacked=1</script>\"'&amp;"
ESCAPES = "\x1b[31m\x1b]0;owned\x07\x9b31m\x08"
TURNED = "\u202egnp.exe\u2066\u200f"
FORMATS = "{0}{self.x}%s%n%(x)s${z}{{y}}[[y]]"
LINES = "\r\nX-Injected: 1\n\n# heading\u2028\u2029"
MARKDOWN = "[link](javascript:top.hacked=1)|cell|`code`![i](http://198.51.100.1/x.png)"
LINKS = " @octocat octo/cat#12 GH-12 cat@octo.example www.octo.example"
PAYLOAD = MARKUP + ESCAPES + TURNED + FORMATS + LINES + MARKDOWN + LINKS
NAME = "<img src=x onerror=top.hacked=1>\u202e%s\x1b[31m{0}"
"""As above, as far as a file can be called so."""
RUN = f"2026 {NAME}"
HOSTS = (f"a{NAME}", f"b{NAME}")

# By these names and values the analysis knows what it looks at.
_KEPT = ("Steps", "/host:", "/device:", "TensorFlow ")
_KEPT_VALUES = ("traced", "true", "false", "Nvidia", "GPU_", "kind_src")


def add_hostile_run(logdir: Path) -> None:
    """Writes the run, one with several hosts and GPUs, and a record of its training."""
    folder = logdir / "plugins" / "profile" / RUN
    folder.mkdir(parents=True)
    for host, data in zip(HOSTS, profiles(), strict=True):
        (folder / f"{host}.xplane.pb").write_bytes(data)
    records = logdir / "plugins" / "diagnostics"
    records.mkdir(parents=True, exist_ok=True)
    start = "20251231T235900.000000+0000"
    (records / f"{HOSTS[0]}.{start}{RECORD_SUFFIX}").write_text(
        '{"schema_version": 1, "policy": "<script>", "strategy": "Mirrored", "versions": {"tensorflow": "<b>"}}'
    )


@cache
def profiles() -> tuple[bytes, ...]:
    """The files of the hosts."""
    files = simulate(replace(training("gpu_stagger"), gpus=2, hosts=2)).files
    return tuple(_hostile(data) for data in files.values())


def _hostile(data: bytes) -> bytes:
    space = XSpaceMessage.FromString(data)
    for texts in (space.errors, space.warnings, space.hostnames):
        texts[:] = [text + PAYLOAD for text in texts] + [PAYLOAD]
    for plane in space.planes:
        _spoil(plane)
    other = space.planes.add(name=PAYLOAD)
    other.lines.add(id=1, name=PAYLOAD, display_name=PAYLOAD).events.add(metadata_id=1, duration_ps=5)
    other.event_metadata[1].name = PAYLOAD
    found: bytes = space.SerializeToString()
    return found


def _spoil(plane: Any) -> None:
    referred = set[int]()
    holders = [plane.stats, *(m.stats for m in plane.event_metadata.values())]
    holders += [event.stats for line in plane.lines for event in line.events]
    for stat in (stat for stats in holders for stat in stats):
        if stat.WhichOneof("value") == "ref_value":
            referred.add(stat.ref_value)
        elif stat.WhichOneof("value") == "str_value" and not stat.str_value.startswith(_KEPT_VALUES):
            stat.str_value += PAYLOAD
    used = {stat.metadata_id for stats in holders for stat in stats}
    for id, metadata in plane.stat_metadata.items():
        if id in referred - used and not metadata.name.startswith(_KEPT_VALUES):
            metadata.name += PAYLOAD
    for metadata in plane.event_metadata.values():
        if _takes_a_suffix(metadata.name):
            metadata.name += PAYLOAD
        metadata.display_name += PAYLOAD
    for line in plane.lines:
        if not line.name.startswith(_KEPT):
            line.name += PAYLOAD
        line.display_name = PAYLOAD
    spare = max(plane.stat_metadata, default=0) + 1
    plane.stat_metadata[spare].name = PAYLOAD
    plane.stats.add(metadata_id=spare, str_value=PAYLOAD)


def _takes_a_suffix(name: str) -> bool:
    """Whether the analysis still knows the event by the start of its name: kernels, iterators, ops."""
    return "_" in name or "::" in name or ":" in name
