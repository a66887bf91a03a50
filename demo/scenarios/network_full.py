"""The GPU waits for data that comes over a network of 10 Gbit/s, as fast as that carries it."""

from dataclasses import replace

from demo.scenarios.input_bound import TRAINING as INPUT_BOUND
from demo.simulator.machine import Machine
from demo.simulator.training import MICROSECOND_NS, Files, InputPipeline

LINK_GBPS = 1.25

TRAINING = replace(
    INPUT_BOUND,
    input=InputPipeline(
        records=16,
        files=Files(record_bytes=3_800_000, latency_ns=500 * MICROSECOND_NS, gbps=LINK_GBPS, readers=8),
    ),
    machine=Machine(gpu_busy=0.53, network_gbps=0.97 * LINK_GBPS, link_gbps=LINK_GBPS, disk_gbps=0.0),
)
