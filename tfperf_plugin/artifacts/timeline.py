"""Where time goes on the timeline: the places that findings point at, worst first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tfperf_plugin.engine.outcome import Place
from tfperf_plugin.ledger import ACCOUNTS, Ledger

PLACES_COUNT = 5
# Pieces of one account that lie closer together than this are one place to look at.
JOIN_NS = 200_000


@dataclass(frozen=True)
class Timeline:
    """Finds the longest stretches of accounts in the ledger's pieces of judged steps."""

    ledger: Ledger

    def worst(self, accounts: Sequence[str], label: str, count: int = PLACES_COUNT) -> tuple[Place, ...]:
        """The stretches with most time of these accounts, worst first, at most one per step and GPU."""
        wanted = np.array([ACCOUNTS.index(a) for a in accounts])
        found: list[tuple[int, Place]] = []
        for host in self.ledger.hosts:
            for device in host.devices:
                keep = np.isin(device.segments.owner, wanted) & host.steps.judged[device.segment_step]
                begin, end = device.segments.begin_ns[keep], device.segments.end_ns[keep]
                step = device.segment_step[keep]
                if not len(begin):
                    continue
                fresh = np.concatenate([[True], (begin[1:] - end[:-1] > JOIN_NS) | (step[1:] != step[:-1])])
                first = np.flatnonzero(fresh)
                weight = np.add.reduceat(end - begin, first)
                last = np.append(first[1:], len(begin)) - 1
                seen: set[int] = set()
                for i in np.argsort(-weight, kind="stable").tolist():
                    s = int(step[first[i]])
                    if s in seen:
                        continue
                    seen.add(s)
                    place = Place(
                        host=host.host,
                        begin_ms=int(begin[first[i]]) / 1e6,
                        end_ms=int(end[last[i]]) / 1e6,
                        label=label,
                        device=device.device,
                        step=int(host.steps.number[s]),
                    )
                    found.append((int(weight[i]), place))
                    if len(seen) >= count:
                        break
        return first_places(found, count)


def first_places(found: Iterable[tuple[int, Place]], count: int = PLACES_COUNT) -> tuple[Place, ...]:
    """The places with the largest weight, in a stable order."""
    ordered = sorted(found, key=lambda f: (-f[0], f[1].host, f[1].begin_ms, f[1].device or ""))
    return tuple(place for _, place in ordered[:count])
