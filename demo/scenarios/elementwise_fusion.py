"""The activation is written op by op: nineteen kernels that each pass over the whole tensor."""

from demo.simulator.models import Transformer
from demo.simulator.training import Training
from demo.simulator.variants import HandWrittenActivation

TRAINING = Training(model=HandWrittenActivation(Transformer(batch=32, table_parameters=2_700_000_000)))
