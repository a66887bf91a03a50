"""Numbers and accounts in plain words: at most one decimal above 10, always with a unit."""

from __future__ import annotations

from typing import Final

ACCOUNT_WORDS: Final = {
    "compute": "Compute",
    "communication.transfer": "Exposed transfer",
    "communication.wait": "Straggler wait",
    "copy.h2d": "H2D copy",
    "copy.d2h": "D2H copy",
    "copy.d2d": "D2D copy",
    "idle.compile": "Compile wait",
    "idle.stagger": "Launch skew",
    "idle.input": "Input wait",
    "idle.between_steps": "Step gap",
    "idle.sync": "Host sync",
    "idle.launch": "Launch wait",
    "idle.host_op": "CPU op wait",
    "idle.dispatch": "Op dispatch",
    "idle.unknown": "Unattributed idle",
}
"""The one label of each account; the glossary defines them."""

# What a finding says if it measures the host's time because no GPU was recorded.
NO_GPU: Final = "No GPU was recorded, so this is the host's time, not a GPU's."


def ms(ns: float) -> str:
    """Nanoseconds as text: "22.0 ms", "0.31 ms", "8.0 µs", "22 µs", "1.5 s". The page does the same."""
    for unit, scale, least in (("s", 1e9, 1e9), ("ms", 1e6, 1e5), ("µs", 1e3, 1e3)):
        if abs(ns) >= least * 0.9995:
            size = abs(value := ns / scale)
            if size >= 99.95 or (unit == "µs" and size >= 9.95):
                return f"{value:,.0f} {unit}"
            return f"{value:.1f} {unit}" if size >= 9.95 else f"{value:#.2g} {unit}"
    return f"{ns:.0f} ns" if ns else "0 ms"


def percent(ratio: float) -> str:
    """A share as text: "32 %", "0.4 %"."""
    value = 100 * ratio
    plain = value == 0 or 10 <= value < 99 or value >= 99.95
    return f"{value:.0f} %" if plain else f"{value:.1f} %"


def signed_percent(ratio: float) -> str:
    """A change as text: "+32 %", "−0.4 %"."""
    return f"{'−' if ratio < 0 else '+'}{percent(abs(ratio))}"


def gpu(device: str, host: str = "") -> str:
    """A device's name as people say it: "GPU 3" for ``GPU:3``, "worker1 GPU 3" with its host."""
    return f"{host} {device.replace(':', ' ')}".lstrip()


def gigabytes(size: float) -> str:
    """Bytes as text, GB = 10^9 bytes."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size:.0f} B"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """ "1 step", "3 steps"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def listing(items: tuple[str, ...] | list[str], most: int = 4) -> str:
    """ "GPU:0, GPU:1 and 3 more"."""
    if len(items) <= most:
        return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1] if items else ""
    return ", ".join(items[: most - 1]) + f" and {len(items) - most + 1} more"
