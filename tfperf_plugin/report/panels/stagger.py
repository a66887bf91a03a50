"""The stagger card: when each GPU of a host starts a step."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.starts import HostStarts, Starts
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.report import model

STEPS_CAP = 20
"""Number of listed steps: those whose GPUs start furthest apart."""


def stagger_card(starts: Starts, devices: Devices, facts: TrainingFacts | None) -> model.Stagger | None:
    """The card of the host with the largest median spread of starts; ``None`` if no host has two GPUs."""
    if not starts.hosts:
        return None
    host = max(starts.hosts, key=lambda h: int(np.median(h.spread_ns)))
    furthest = np.argsort(-host.spread_ns, kind="stable")[:STEPS_CAP]
    launch = host.launch_spread_ns
    return model.Stagger(
        host=host.host,
        order=host.order,
        spread_ns=int(np.median(host.spread_ns)),
        launch_spread_ns=None if launch is None else int(np.median(launch)),
        cost_ns=host.cost_ns + host.wait_ns,
        devices=host.start_order,
        one_thread=host.one_thread,
        private_threads=devices.private_threads.get(host.host, False)
        or bool(facts and facts.private_threads),
        items=tuple(_item(host, i, k) for k in sorted(furthest.tolist()) for i in range(len(host.names))),
        steps_total=len(host.step),
        steps_cap=STEPS_CAP,
    )


def _item(host: HostStarts, gpu: int, step: int) -> model.StaggerItem:
    first, last, launch = (int(x[gpu, step]) for x in (host.first_ns, host.last_ns, host.launch_ns))
    thread = int(host.thread[gpu, step])
    begin = int(host.first_ns[:, step].min())
    return model.StaggerItem(
        step=int(host.number[step]),
        host=host.host,
        device=host.names[gpu],
        first_launch_ns=launch - begin if launch >= 0 else None,
        first_kernel_ns=first - begin,
        last_kernel_ns=last - begin,
        begin_ms=first / 1e6,
        end_ms=last / 1e6,
        idle_ns=int(host.idle_ns[gpu, step]),
        wait_ns=int(host.waiting_ns[gpu, step]),
        thread=host.threads[thread] if thread >= 0 else "",
    )
