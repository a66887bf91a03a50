"""The simulated GPU memory: blocks never overlap, free neighbours join, fragmentation is what is left."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.simulator import Training, simulate
from demo.simulator.arena import ALIGNMENT, Arena
from demo.simulator.models import Transformer
from tests.demo.reading import events

KB = 1024


def test_the_smallest_hole_that_fits_is_taken() -> None:
    arena = Arena(10 * KB)
    blocks = [arena.allocate(size * KB) for size in (3, 1, 2, 1)]
    arena.release(blocks[0])
    arena.release(blocks[2])  # holes of 3, 2, and 3 at the end

    assert arena.allocate(2 * KB) == blocks[2]
    assert arena.used_bytes == 4 * KB


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


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 5 * KB)), max_size=60))
def test_blocks_and_holes_tile_the_memory(changes: list[tuple[bool, int]]) -> None:
    arena = Arena(32 * KB)
    for allocates, number in changes:
        if allocates and any(hole >= number + ALIGNMENT for hole in arena.free.values()):
            arena.allocate(number)
        elif arena.blocks:
            arena.release(sorted(arena.blocks)[number % len(arena.blocks)])

    parts = sorted([*arena.free.items(), *arena.blocks.items()])
    ends = [address + size for address, size in parts]
    assert [address for address, _ in parts[1:]] == ends[:-1]
    assert sum(size for _, size in parts) == 32 * KB
    holes = sorted(arena.free.items())
    assert all(a + size < b for (a, size), (b, _) in itertools.pairwise(holes))


def test_gradients_between_freed_activations_break_up_the_memory() -> None:
    rows = events(simulate(Training(model=Transformer(batch=8))), "worker0", "/host:CPU")
    memory = sorted((r for r in rows if r.name.startswith("Memory")), key=lambda r: r.start_ps)
    fragmentation = [f for r in memory if isinstance(f := r.stats["fragmentation"], float)]

    assert max(fragmentation) > 0.01
    assert min(fragmentation) == 0
    assert all(0 <= f < 1 for f in fragmentation)
