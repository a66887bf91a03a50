"""Files made to hurt: bounded memory and time, and an answer."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.fuzz.bombs import bombs
from tests.fuzz.oracles import check_reader, check_whole_path
from tests.readers.xspace.test_hostile import peak_bytes

BOMBS = bombs()
TIMES, CONSTANT_BYTES = 60, 60e6
"""What the whole path may take at most: so many times the file, and so much besides."""
LIMIT_S = 10
"""On a busy machine; the worst takes a tenth of it alone."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_bounded_memory_and_time(name: str, tmp_path: Path) -> None:
    data = BOMBS[name]
    began = time.process_time()

    check_reader(data)
    peak = peak_bytes(lambda: check_whole_path(tmp_path, data))

    assert peak < TIMES * len(data) + CONSTANT_BYTES, f"{peak / 1e6:.0f} MB for {len(data) / 1e6:.1f} MB"
    assert time.process_time() - began < LIMIT_S
