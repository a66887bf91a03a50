"""Each layer computes its forward pass once more for the backward pass, in JAX, and most memory is free.

``jax.checkpoint`` around each layer saves memory that nobody needs: a quarter of the step is spent on it. A
report must find recompute-needless.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Communication, Training
from demo.simulator.variants import Rematerialized

TRAINING = Training(
    model=Rematerialized(Transformer(batch=24, layers=4)),
    precision="bf16",
    generation="trace",
    jax=True,
    iterator_outside_step=True,
    communication=Communication(launcher="xla"),
)
