"""Large, well-shaped products run at a fifth of the peak, a quarter of what good libraries reach.

Nothing in the profile says why. A report must find slow-products.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Training
from demo.simulator.variants import SlowProducts

TRAINING = Training(model=SlowProducts(Transformer(batch=24, layers=3, table_parameters=2_700_000_000)))
