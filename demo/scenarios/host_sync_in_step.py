"""The host waits for the GPU in the middle of the step.

Forty ops of a small detector read their counts of boxes back and wait for them. Whenever the host may go
on, nothing is queued on the GPU any more.
"""

from demo.simulator.devices import V100
from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, Reading, Training

TRAINING = Training(
    model=ConvNet(batch=48, table_parameters=1_230_000_000),
    device=V100,
    readings=(Reading("functional_1/boxes/NonMaxSuppressionV3", 40, 60 * MICROSECOND_NS),),
)
