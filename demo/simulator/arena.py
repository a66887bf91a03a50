"""GPU memory in one piece, handed out as TensorFlow's allocator does: the smallest hole that fits.

What is freed joins free neighbours. Whether free memory is in one piece or in many is what becomes of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ALIGNMENT = 256
# Where the region begins, as addresses of device memory look like.
BASE = 0x7F00_0000_0000


@dataclass
class Arena:
    """``capacity_bytes`` of memory. ``free``: the holes, address → size; ``blocks``: what is in use."""

    capacity_bytes: int
    free: dict[int, int] = field(init=False)
    blocks: dict[int, int] = field(default_factory=dict)
    peak_bytes: int = 0

    def __post_init__(self) -> None:
        self.capacity_bytes -= self.capacity_bytes % ALIGNMENT
        self.free = {BASE: self.capacity_bytes}

    @property
    def used_bytes(self) -> int:
        return self.capacity_bytes - sum(self.free.values())

    @property
    def spare_bytes(self) -> int:
        """What can be allocated in one piece without a new peak."""
        return min(self.peak_bytes - self.used_bytes, max(self.free.values(), default=0))

    @property
    def fragmentation(self) -> float:
        """Share of the free memory that is not in the largest hole."""
        holes = self.free.values()
        return 1 - max(holes) / sum(holes) if holes else 0.0

    def allocate(self, size_bytes: int) -> int:
        """Address of a new block; raises ``MemoryError`` if no hole is large enough."""
        size = -(-max(size_bytes, 1) // ALIGNMENT) * ALIGNMENT
        fitting = [(hole, address) for address, hole in self.free.items() if hole >= size]
        if not fitting:
            raise MemoryError(f"no hole of {size} bytes among {sum(self.free.values())} free bytes")
        hole, address = min(fitting)
        del self.free[address]
        if hole > size:
            self.free[address + size] = hole - size
        self.blocks[address] = size
        self.peak_bytes = max(self.peak_bytes, self.used_bytes)
        return address

    def release(self, address: int) -> int:
        """Gives a block back and says how large it was."""
        size = freed = self.blocks.pop(address)
        for begin, hole in list(self.free.items()):
            if begin + hole == address:
                address, size = begin, size + hole
                del self.free[begin]
            elif begin == address + size:
                size += hole
                del self.free[begin]
        self.free[address] = size
        return freed
