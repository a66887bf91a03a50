"""The GPU waits for the host to launch.

A recurrent cell is written op by op and unrolled; each of its kernels is done in a few microseconds,
far sooner than the host can schedule and launch the next one.
"""

from demo.simulator.models import UnrolledRnn
from demo.simulator.training import InputPipeline, Training

TRAINING = Training(
    model=UnrolledRnn(table_parameters=3_010_000_000),
    input=InputPipeline(read_ns=20_000, map_ns=400_000),
)
