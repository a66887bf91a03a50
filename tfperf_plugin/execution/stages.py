"""The stages of an analysis, in their order, and what is done in each, as the tab and the terminal say it."""

from __future__ import annotations

from typing import Final, Protocol

STAGES: Final = {
    "read": "Reading the profile",
    "trace": "Sorting events into kernels, copies and host work",
    "steps": "Finding the steps",
    "ledger": "Dividing each step among its causes",
    "rules": "Checking the rules",
    "report": "Writing the report",
}


class Progress(Protocol):
    """Receives the stage, the share 0..1 of all work that is done, and (hosts done, hosts) if several."""

    def __call__(self, stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        """May raise to stop the work."""
