"""The GPU waits for data from an SSD on a SATA port, which gives 0.5 GB a second and is busy all the time."""

from dataclasses import replace

from demo.scenarios.input_bound import TRAINING as INPUT_BOUND
from demo.simulator.machine import Machine
from demo.simulator.training import MICROSECOND_NS, Files, InputPipeline

DISK_GBPS = 0.5

TRAINING = replace(
    INPUT_BOUND,
    input=InputPipeline(
        records=16,
        files=Files(record_bytes=1_600_000, latency_ns=100 * MICROSECOND_NS, gbps=DISK_GBPS, readers=8),
    ),
    machine=Machine(gpu_busy=0.51, disk_gbps=DISK_GBPS, disk_busy=0.99),
)
