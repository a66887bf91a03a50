"""What all records of this program have in common."""

from __future__ import annotations

from msgspec import Struct


class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """Values of declared types by name, which never change; ``codec.py`` and JSON read and write them.

    Values that were read have the declared types; what has other keys is refused.
    """
