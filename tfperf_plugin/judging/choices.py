"""What can be chosen: findings with what they claim of the average step, each with those folded under it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.analysis.whatif.predict import Predicted, predict
from tfperf_plugin.analysis.whatif.recorded import Recorded
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.records import Record

# Findings after whose fix batches are made faster. One that makes them ahead, no faster, is not among them.
FASTER_INPUT: Final = frozenset(("input-bound", "map-not-parallel", "reads-on-demand", "python-in-input"))
AHEAD: Final = "prefetch-missing"


class Choice(Record, frozen=True):
    """``saving_ns``: as the report has it; ``claims``: account → ns of the average step, of the finding and
    of those folded under it together; ``frees_input``/``frees_launches``: its fix makes batches, or launches,
    faster."""

    id: str
    saving_ns: int
    claims: Mapping[str, int]
    frees_input: bool
    frees_launches: bool


class WhatIf(Record, frozen=True):
    """A run that can be replayed. ``average``: account → ns of its step; ``choices``: as the report ranks."""

    recorded: Recorded
    average: Mapping[str, int]
    choices: tuple[Choice, ...]

    def without(self, ids: Collection[str]) -> Predicted:
        """The step without these findings; ids that cannot be chosen change nothing."""
        chosen = [c for c in self.choices if c.id in ids]
        return predict(
            self.recorded,
            self.average,
            [c.claims for c in chosen],
            sum(c.saving_ns for c in chosen),
            frees_input=any(c.frees_input for c in chosen),
            frees_launches=any(c.frees_launches for c in chosen),
        )

    def arrays(self) -> dict[str, Ints]:
        """Everything but the ids, which are those of the report's findings that cost time, in order."""
        claims = [[c.claims.get(a, 0) for a in ACCOUNTS] for c in self.choices]
        frees = [[c.frees_input, c.frees_launches] for c in self.choices]
        return self.recorded.arrays() | {
            "replay/average": np.array([self.average[a] for a in ACCOUNTS], np.int64),
            "replay/claims": np.array(claims, np.int64).reshape(-1, len(ACCOUNTS)),
            "replay/frees": np.array(frees, np.int64).reshape(-1, 2),
        }

    @staticmethod
    def from_arrays(arrays: Mapping[str, Any], findings: Sequence[Finding]) -> WhatIf:
        """What ``arrays`` stored beside a report with these findings. Raises KeyError if it is not there."""
        average, claims, frees = (arrays[f"replay/{name}"] for name in ("average", "claims", "frees"))
        rows = zip(choosable(findings), claims.tolist(), frees.tolist(), strict=True)
        return WhatIf(
            Recorded.from_arrays(arrays),
            dict(zip(ACCOUNTS, average.tolist(), strict=True)),
            tuple(
                Choice(f.id, _saving(f), dict(zip(ACCOUNTS, row, strict=True)), bool(free[0]), bool(free[1]))
                for f, row, free in rows
            ),
        )


def choosable(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings that say what they would save."""
    return tuple(f for f in findings if f.saving)


def choices(findings: Sequence[Finding], claims: Mapping[str, Mapping[str, int]]) -> tuple[Choice, ...]:
    """What can be chosen, in order; ``claims`` of every finding, the folded ones too."""
    return tuple(_choice(f, claims) for f in choosable(findings))


def _choice(finding: Finding, claims: Mapping[str, Mapping[str, int]]) -> Choice:
    """A symptom claims what its cause claims: of each account the larger claim, not both."""
    folded = [f.id for f in finding.explains]
    every = [claims.get(id_, {}) for id_ in (finding.id, *folded)]
    most = {a: max(c.get(a, 0) for c in every) for a in ACCOUNTS}
    ahead_only = AHEAD in folded and not FASTER_INPUT.intersection(folded)
    return Choice(
        finding.id,
        _saving(finding),
        {a: ns for a, ns in most.items() if ns},
        not ahead_only and bool(FASTER_INPUT.intersection((finding.id, *folded))),
        most["idle.launch"] + most["idle.dispatch"] > 0,
    )


def _saving(finding: Finding) -> int:
    return finding.saving.ns if finding.saving else 0
