"""An LSTM with an argument that cuDNN's kernel does not know runs as a while loop, op by op."""

from demo.simulator.models import UnrolledRnn
from demo.simulator.training import InputPipeline, Launching, Training

TRAINING = Training(
    model=UnrolledRnn(form="loop", time_steps=30, table_parameters=3_010_000_000),
    input=InputPipeline(read_ns=20_000, map_ns=400_000),
    launching=Launching(dispatch_ns=8_000),
)
