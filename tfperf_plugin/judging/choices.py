"""Findings that a user can select for a what-if, with what they claim of the average step."""

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

INPUT: Final = "input-bound"
"""The finding whose fix makes batches faster."""


class Choice(Record, frozen=True):
    """``saving_ns``: as in the report; ``claims``: account → ns of the average step that the finding and
    those folded under it claim; ``frees_input``/``frees_launches``: its fix makes batches, or launches,
    faster."""

    id: str
    saving_ns: int
    claims: Mapping[str, int]
    frees_input: bool
    frees_launches: bool


class WhatIf(Record, frozen=True):
    """A run that can be replayed. ``average``: account → ns of its step; ``choices``: in report order."""

    recorded: Recorded
    average: Mapping[str, int]
    choices: tuple[Choice, ...]

    def without(self, ids: Collection[str]) -> Predicted:
        """The step without these findings; unknown ids change nothing."""
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
        """Everything but the ids: these are the ids of the report's findings with a saving, in order."""
        claims = [[c.claims.get(a, 0) for a in ACCOUNTS] for c in self.choices]
        frees = [[c.frees_input, c.frees_launches] for c in self.choices]
        return self.recorded.arrays() | {
            "replay/average": np.array([self.average[a] for a in ACCOUNTS], np.int64),
            "replay/claims": np.array(claims, np.int64).reshape(-1, len(ACCOUNTS)),
            "replay/frees": np.array(frees, np.int64).reshape(-1, 2),
        }

    @staticmethod
    def from_arrays(arrays: Mapping[str, Any], findings: Sequence[Finding]) -> WhatIf:
        """Inverse of ``arrays``, for a report with these findings. Raises KeyError if an array is missing."""
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
    """The findings with a saving in the usual step."""
    return tuple(f for f in findings if f.saving and f.saving.accounts)


def choices(findings: Sequence[Finding], claims: Mapping[str, Mapping[str, int]]) -> tuple[Choice, ...]:
    """The choices in the report's order; ``claims``: rule id → claims, for folded findings as well."""
    return tuple(_choice(f, claims) for f in choosable(findings))


def _choice(finding: Finding, claims: Mapping[str, Mapping[str, int]]) -> Choice:
    """Merges a finding with its symptoms, which claim the same time: each account takes the largest claim."""
    folded = [f.id for f in finding.explains]
    every = [claims.get(id_, {}) for id_ in (finding.id, *folded)]
    most = {a: max(c.get(a, 0) for c in every) for a in ACCOUNTS}
    return Choice(
        finding.id,
        _saving(finding),
        {a: ns for a, ns in most.items() if ns},
        INPUT in (finding.id, *folded),
        most["idle.launch"] + most["idle.dispatch"] > 0,
    )


def _saving(finding: Finding) -> int:
    return finding.saving.ns if finding.saving else 0
