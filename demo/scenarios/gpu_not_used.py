"""TensorFlow has found no GPU: its threads compute the model, and nothing says so."""

from demo.simulator.models import ConvNet
from demo.simulator.training import InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=32),
    precision="fp32",
    input=InputPipeline(prefetch_to_device=False),
    visible_gpus=0,
    cpu_threads=4,
)
