"""The formats of simulated profiles, and the demo runs that are not written as TensorFlow writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from demo.simulator import Training, kineto, nsight, profile
from demo.simulator.captured import PROFILE_START_NS
from demo.simulator.simulation import Encode

RUN = "2026_01_01_00_00_00"


class Format(NamedTuple):
    """``place``: of the file of a ``{host}``, in the folder of its run."""

    encode: Encode
    place: str


XSPACE = Format(profile.encode, f"plugins/profile/{RUN}/{{host}}.xplane.pb")
KINETO = Format(kineto.encode, f"{{host}}_4000.{PROFILE_START_NS // 10**6}.pt.trace.json.gz")
NSIGHT = Format(nsight.encode, f"{RUN}.sqlite")

OTHERS: Mapping[str, tuple[str, Format]] = {
    "data_parallel": ("data_parallel", KINETO),
    "pytorch_host_op_in_step": ("host_op_in_step", KINETO),
    "pytorch_input_bound": ("input_bound", KINETO),
    "pytorch_kernel_launch_bound": ("kernel_launch_bound", KINETO),
    "pytorch_mixed_precision_off": ("mixed_precision_off", KINETO),
    "pytorch_two_ranks": ("allreduce_exposed", KINETO),
    "pytorch_exchange_each_batch": ("exchange_each_batch", KINETO),
    "unused_parameters": ("unused_parameters", KINETO),
    "nsight_kernel_launch_bound": ("kernel_launch_bound", NSIGHT),
    "page_migrations": ("page_migrations", NSIGHT),
}
"""Name of the run → its scenario and its format. A scenario of PyTorch alone has only this run."""


def changed(name: str, scenario: Training) -> Training:
    """What this demo run trains: its scenario, with one GPU in each process where it has several ranks."""
    return replace(scenario, gpus=1, hosts=2) if name.endswith("_two_ranks") else scenario
