"""Something with a defect that chance alone hardly meets, to see that fuzzing finds it."""

from __future__ import annotations

from tests.fuzz.wire import parse


def spring(data: bytes) -> float:
    """Divides by zero for a profile of several planes, one of which has no lines."""
    planes = [field for field in parse(data) if field.number == 1 and isinstance(field.content, list)]
    if len(planes) < 4:
        return 0.0
    lines = [
        sum(inner.number == 3 for inner in plane.content)
        for plane in planes
        if isinstance(plane.content, list)
    ]
    if min(lines) > 1:
        return 1.0
    if min(lines) == 1:
        return 2.0
    return 1 / min(lines)
