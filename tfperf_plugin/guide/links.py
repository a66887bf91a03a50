"""What links between GPUs reach in practice, with sources. Version of the table: 2026-11.

Bus bandwidth by nccl-tests' definition: bytes × 2(n−1)/n / time, GB/s per GPU, GB = 10^9 bytes.
Only the maker's board names that imply a link are listed; for any other GPU the link is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class LinkRate:
    """``busbw_gbps``: measured AllReduce bus bandwidth at large sizes; ``source`` says of what."""

    busbw_gbps: float
    source: str


# H100 SXM with NVLink SHARP: n GPUs → GB/s; up to four GPUs 370.
_H100: Final = {5: 420.0, 6: 440.0, 7: 460.0, 8: 480.0}


def link_rate(device_name: str, participants: int) -> LinkRate | None:
    """What AllReduce reaches between this many GPUs of this name on one host; ``None`` if not known."""
    if participants > 8:
        return None
    if re.search(r"V100-SXM", device_name):
        return LinkRate(120, "NVLink 2, derived from 150 GB/s line rate")
    if re.search(r"A100-SXM", device_name):
        return LinkRate(230, "NVLink 3, measured bus bandwidth")
    if re.search(r"H100(-SXM| 80GB HBM3)", device_name):
        return LinkRate(_H100.get(participants, 370.0), f"NVLink 4, measured with {participants} GPUs")
    if re.search(r"H200", device_name) and participants == 8:
        return LinkRate(475, "NVLink 4, measured with 8 GPUs")
    return None
