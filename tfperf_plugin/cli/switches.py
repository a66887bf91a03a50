"""List the changes that tfperf can make in a training that it starts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tfperf_plugin.cli.output import Output, fit
from tfperf_plugin.recording.switches import SWITCHES, find
from tfperf_plugin.recording.switches.switch import Switch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf switches`` takes."""
    parser.add_argument("switch", metavar="NAME", nargs="?", help="tells all of one switch")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf switches``. Raises BadOptionError."""
    return Output(fit("".join(f"{line}\n" for line in _lines(arguments.switch))))


def _lines(name: str | None) -> Iterator[str]:
    if name:
        yield from _all_of(find(name.partition("=")[0]))
        return
    rows = [(_written(switch), ", ".join(switch.works_in)) for switch in SWITCHES]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for switch, (written, works_in) in zip(SWITCHES, rows, strict=True):
        probe = " (a probe)" if switch.shows else ""
        yield f"{written:{widths[0]}}  {works_in:{widths[1]}}  {switch.does}{probe}"
    yield ""
    yield "tfperf try --switch NAME -- python train.py    measures what one brings"
    yield "tfperf switches NAME                           tells all of it"


def _written(switch: Switch) -> str:
    return f"{switch.id}={switch.value}" if switch.value else switch.id


def _all_of(switch: Switch) -> Iterator[str]:
    yield f"{_written(switch)}: {switch.does}"
    yield f"  Works in: {', '.join(switch.works_in)}"
    yield f"  Needs: {switch.finds}"
    if switch.shows:
        yield f"  A probe: it shows {switch.shows}; nobody keeps it."
    else:
        yield f"  To keep it: {switch.kept(switch.value)}"
    if switch.limit:
        yield f"  Mind: {switch.limit}"
    yield f"  Try it: tfperf try --switch {switch.id} -- python train.py"
