"""Attention in three ops: scores of 4,096 x 4,096 tokens go to memory, through a softmax, and are read again.

A report must find attention-unfused: a product of queries and keys, a softmax and a product with the values,
each limited by memory, take most of the step.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Training

TRAINING = Training(
    model=Transformer(batch=2, length=4_096, hidden=1_024, layers=3, table_parameters=2_000_000_000),
    precision="bf16",
)
