"""What a file may make its reader compute beyond one pass over its bytes.

Windows, graphs, sets of sizes and inputs of ops can ask for far more work than they take bytes. Whatever
loops over them draws on one budget for each host; what it no longer covers is not judged.
"""

from __future__ import annotations


class Budget:
    """``left``: steps of about a microsecond; a host gets one for each byte of its programs or its file."""

    def __init__(self, left: int) -> None:
        self.left = left

    def draw(self, steps: int) -> bool:
        """Takes ``steps``; False, and nothing is taken, if fewer are left."""
        if steps > self.left:
            return False
        self.left -= steps
        return True
