"""The form of events as they are stored, and the decoder of blocks of them; times in µs.

What other viewers of traces need, such as arrows between threads, becomes objects without fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce
from itertools import islice
from operator import or_
from typing import Any, Final

import msgspec
from msgspec import Raw, field

from tfperf_plugin.records import known

EXACT_US: Final = 1 << 43
"""Above that, a float is no exact time in µs to three decimals."""
FAILURES: Final = (msgspec.MsgspecError, ValueError, ArithmeticError, RecursionError)
"""What decoding raises for a text that has another form."""
_TRIED: Final = 100
_LONG: Final = 40
NOTHING: Final = Raw(b"")
Plain = int | str | float | None
"""What can be a key of a dictionary."""


class Args(msgspec.Struct, frozen=True, gc=False):
    """The arguments of an event that are read, of whatever kind it is; numbers are −1 where absent."""

    correlation: Any = -1
    device: Any = -1
    stream: Any = -1
    bytes: Any = -1
    registers: Plain = field(default=-1, name="registers per thread")
    shared: Plain = field(default=-1, name="shared memory")
    grid: Raw = NOTHING
    block: Raw = NOTHING
    occupancy: Plain = field(default=-1, name="est. achieved occupancy %")
    dims: Raw = field(default=NOTHING, name="Input Dims")
    types: Raw = field(default=NOTHING, name="Input type")
    values: Raw = field(default=NOTHING, name="Concrete Inputs")
    sequence: Any = field(default=-1, name="Sequence number")
    #: PyTorch numbers ops and marks one after another, while it records.
    number: Any = field(default=-1, name="External id")
    collective: Plain = field(default="", name="Collective name")
    output: Plain = field(default=-1, name="Out msg nelems")
    input: Plain = field(default=-1, name="In msg nelems")
    dtype: Plain = ""
    group: Any = field(default=-1, name="Group size")


class Complete(msgspec.Struct, tag_field="ph", tag="X", gc=False):
    """Something with a start and a duration."""

    cat: str = ""
    name: str = ""
    pid: Plain = ""
    tid: Plain = ""
    ts: Any = None
    dur: Any = 0
    args: Args = Args()


class MemoryArgs(msgspec.Struct, frozen=True, gc=False):
    """What PyTorch's allocators say of what they did; numbers are −1 where absent."""

    change: Any = field(default=-1, name="Bytes")
    address: Any = field(default=-1, name="Addr")
    allocated: Any = field(default=-1, name="Total Allocated")
    reserved: Any = field(default=-1, name="Total Reserved")
    device_type: Any = field(default=-1, name="Device Type")
    device_id: Any = field(default=-1, name="Device Id")


class Instant(msgspec.Struct, tag_field="ph", tag="i", gc=False):
    """A moment, such as that of an allocation."""

    name: str = ""
    pid: Plain = None
    tid: Plain = None
    ts: Any = None
    args: MemoryArgs = MemoryArgs()


class NameArgs(msgspec.Struct, frozen=True, gc=False):
    """A name."""

    name: Any = ""


class Named(msgspec.Struct, tag_field="ph", tag="M", gc=False):
    """What the process or a thread is called."""

    name: str = ""
    pid: Plain = ""
    tid: Plain = ""
    args: NameArgs = NameArgs()


_OTHERS: Final = "BEIPCRcnbesftTpFSNODVvaA()"
PHASES: Final = "XiM" + _OTHERS
LEFT_OUT: Final = _OTHERS[0]
"""A phase of which nothing is read."""
_FORMS: Final = [msgspec.defstruct(f"Phase{ph}", (), tag_field="ph", tag=ph, gc=False) for ph in _OTHERS]
_STORED: Any = reduce(or_, (Complete, Instant, Named, *_FORMS))


class Decoder:
    """Decodes the events of a trace, block by block.

    If times have more digits than a float holds, numbers with decimals are decimals from then on.
    """

    def __init__(self) -> None:
        self._decoder = msgspec.json.Decoder(known(list[_STORED]))
        self._is_exact = False

    def of(self, block: bytes) -> Sequence[Any] | None:
        """The events of a text of the form ``{…}, {…}``; None if it has another form."""
        text = b"[%b]" % block
        try:
            events = self._decoder.decode(text)
            times = islice((event.ts for event in events if type(event) is Complete), _TRIED)
            if not self._is_exact and any(type(time) is float and abs(time) > EXACT_US for time in times):
                self._is_exact = True
                self._decoder = msgspec.json.Decoder(known(list[_STORED]), float_hook=_exact)
                events = self._decoder.decode(text)
        except FAILURES:
            return None
        return events


def _exact(number: str) -> Decimal | float:
    """A number with decimals or an exponent; of enormous ones, a decimal takes long to become an integer."""
    return Decimal(number) if len(number) < _LONG and "e" not in number.lower() else float(number)
