"""What NVIDIA's driver tells of the GPUs that the training may use, by NVML.

A GPU has the number that it has in the training, and so in its profile: where CUDA_VISIBLE_DEVICES names some
GPUs, the first of them is 0.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tfperf_plugin.recording.sampler.sources import Training, Values

MOST_GPUS: Final = 32
# Bits of the reasons why a clock is lowered: releases of the library name them otherwise.
_HEAT, _POWER, _BRAKE = 0x20 | 0x40, 0x4, 0x80
_SM, _MEMORY, _CORE, _SLOWDOWN = 1, 2, 0, 1
_MHZ: Final = 1e6

Ask = Callable[[], float]


def library() -> Any:
    """NVML, begun. Raises what goes wrong."""
    import pynvml

    pynvml.nvmlInit()
    return pynvml


def visible(nvml: Any) -> list[Any]:
    """The GPUs that the training may use, in its order."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is None:
        return [nvml.nvmlDeviceGetHandleByIndex(number) for number in range(nvml.nvmlDeviceGetCount())][
            :MOST_GPUS
        ]
    found = []
    for name in filter(None, (each.strip() for each in named.split(",")[:MOST_GPUS])):
        try:
            by_number = name.isdecimal()
            ask = nvml.nvmlDeviceGetHandleByIndex if by_number else nvml.nvmlDeviceGetHandleByUUID
            found.append(ask(int(name) if by_number else name))
        except nvml.NVMLError:  # what follows it is hidden, too
            break
    return found


class Gpus:
    """What changes fast: use, memory, clocks, power, heat, and why a clock is lowered."""

    def __init__(self, nvml: Any) -> None:
        self._asks: dict[tuple[str, str], Ask] = {}
        self._reasons: dict[str, Ask] = {}
        self.limits: Values = {}
        self.lacks: list[str] = []
        for number, gpu in enumerate(visible(nvml)):
            self._add(nvml, gpu, str(number))

    def _add(self, nvml: Any, gpu: Any, of: str) -> None:
        asks: dict[str, tuple[Ask, Ask | None]] = {
            "busy": (lambda: min(1.0, nvml.nvmlDeviceGetUtilizationRates(gpu).gpu / 100), None),
            "memory": (
                lambda: nvml.nvmlDeviceGetMemoryInfo(gpu).used,
                lambda: nvml.nvmlDeviceGetMemoryInfo(gpu).total,
            ),
            "clock": (
                lambda: nvml.nvmlDeviceGetClockInfo(gpu, _SM) * _MHZ,
                lambda: nvml.nvmlDeviceGetMaxClockInfo(gpu, _SM) * _MHZ,
            ),
            "memory_clock": (
                lambda: nvml.nvmlDeviceGetClockInfo(gpu, _MEMORY) * _MHZ,
                lambda: nvml.nvmlDeviceGetMaxClockInfo(gpu, _MEMORY) * _MHZ,
            ),
            "power": (
                lambda: nvml.nvmlDeviceGetPowerUsage(gpu) / 1e3,
                lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(gpu) / 1e3,
            ),
            "temperature": (
                lambda: nvml.nvmlDeviceGetTemperature(gpu, _CORE),
                lambda: nvml.nvmlDeviceGetTemperatureThreshold(gpu, _SLOWDOWN),
            ),
        }
        for name, (ask, limit) in asks.items():
            if self._answers(f"{name.replace('_', ' ')} of GPU {of}", ask):
                self._asks[f"gpu.{name}", of] = ask
                with contextlib.suppress(Exception):
                    if limit:
                        self.limits[f"gpu.{name}", of] = limit()
        why = getattr(nvml, "nvmlDeviceGetCurrentClocksEventReasons", None)
        for reasons in filter(None, (why, nvml.nvmlDeviceGetCurrentClocksThrottleReasons)):
            ask = partial(reasons, gpu)
            if self._answers("" if reasons is why else f"why GPU {of} lowers its clock", ask):
                self._reasons[of] = ask
                break

    def _answers(self, what: str, ask: Ask) -> bool:
        try:
            ask()
        except Exception as error:
            if what:
                self.lacks.append(f"{what[0].upper()}{what[1:]}: {error}.")
            return False
        return True

    def read(self) -> Values:
        """Of each GPU, what it answered at first."""
        values = {key: ask() for key, ask in self._asks.items()}
        for of, ask in self._reasons.items():
            bits = int(ask())
            for name, bit in (("heat", _HEAT), ("power", _POWER), ("brake", _BRAKE)):
                values[f"gpu.slowed_by_{name}", of] = float(bool(bits & bit))
        return values


class Others:
    """Other processes that compute on a GPU of the training."""

    def __init__(self, nvml: Any, training: Training) -> None:
        self._nvml, self._training = nvml, training
        self._gpus = {str(number): gpu for number, gpu in enumerate(visible(nvml))}
        self.limits: Values = {}
        #: GPUs on which a process of the training was seen: of another one, a container may hide whose it is.
        self.ours: set[str] = set()

    def read(self) -> Values:
        """How many there are; 0 where none of the training was seen, as nothing is known of that GPU."""
        values: Values = {}
        pids = self._training.pids()
        for of, gpu in self._gpus.items():
            with contextlib.suppress(Exception):
                at_work = {one.pid for one in self._nvml.nvmlDeviceGetComputeRunningProcesses(gpu)}
                self.ours |= {of} if at_work & pids else set()
                values["gpu.others", of] = float(len(at_work - pids)) if at_work & pids else 0.0
        return values
