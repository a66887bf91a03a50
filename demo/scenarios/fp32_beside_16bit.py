"""One of four layers computes in float32, on units that Tensor Cores outdo several times; the rest in 16 bit.

A report must find fp32-beside-16bit: the products of encoder_1.
"""

from demo.simulator.devices import V100
from demo.simulator.models import Transformer
from demo.simulator.training import Training
from demo.simulator.variants import PartlyFloat32

TRAINING = Training(
    model=PartlyFloat32(
        Transformer(batch=16, layers=4, table_parameters=1_000_000_000), ("functional_1/encoder_1/",)
    ),
    device=V100,
)
