"""How far launches differ without a change, as earlier launches of the same training have shown.

Launches that were not interleaved with those of another version may differ because the machine does. Earlier
*equal* launches show by how much it does: an effect counts only far above all that they differed by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

LEAST_CHANGES: Final = 12
"""With fewer equal pairs, how far launches differ is not known."""

# Two-sided 99 % quantiles of Student's t by degrees of freedom.
_T: Final = (
    (12, 3.055), (13, 3.012), (14, 2.977), (15, 2.947), (17, 2.898), (20, 2.845), (25, 2.787), (30, 2.750),
    (40, 2.704), (60, 2.660), (120, 2.617),
)  # fmt: skip


def equal_changes(levels: Sequence[float]) -> tuple[float, ...]:
    """What equal launches differ by: the change from one to the next, each launch in one pair only.

    ``levels``: of launches without a change between them, in the order of their time.
    """
    pairs = zip(levels[::2], levels[1::2], strict=False)
    return tuple(second - first for first, second in pairs)


def floor(changes: Sequence[float]) -> float | None:
    """Effects up to this, in ln, do not count; ``None`` with fewer than ``LEAST_CHANGES`` equal changes."""
    if len(changes) < LEAST_CHANGES:
        return None
    quantile = next(t for least, t in reversed(_T) if least <= len(changes))
    rms = math.sqrt(sum(x * x for x in changes) / len(changes))
    return max(quantile * rms, 2 * max(map(abs, changes)))
