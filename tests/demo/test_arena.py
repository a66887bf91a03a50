"""The simulated GPU memory: free neighbours join, fragmentation is what is left."""

from __future__ import annotations

import pytest

from demo.simulator import Training, simulate
from demo.simulator.arena import Arena
from demo.simulator.models import Transformer
from tests.demo.reading import events

KB = 1024


def test_memory_in_pieces_is_no_memory_in_one_piece() -> None:
    arena = Arena(8 * KB)
    blocks = [arena.allocate(KB) for _ in range(8)]
    for block in blocks[::2]:
        arena.release(block)

    assert arena.fragmentation == pytest.approx(0.75)
    with pytest.raises(MemoryError):
        arena.allocate(2 * KB)
    for block in blocks[1::2]:
        arena.release(block)
    assert (arena.fragmentation, len(arena.free), arena.peak_bytes) == (0, 1, 8 * KB)


def test_gradients_between_freed_activations_break_up_the_memory() -> None:
    rows = events(simulate(Training(model=Transformer(batch=8))), "worker0", "/host:CPU")
    memory = sorted((r for r in rows if r.name.startswith("Memory")), key=lambda r: r.start_ps)
    fragmentation = [f for r in memory if isinstance(f := r.stats["fragmentation"], float)]

    assert max(fragmentation) > 0.01
    assert min(fragmentation) == 0
    assert all(0 <= f < 1 for f in fragmentation)
