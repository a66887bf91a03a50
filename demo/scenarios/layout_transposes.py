"""Images are channels first, which Tensor Cores do not like: cuDNN turns them around each convolution."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training
from demo.simulator.variants import ChannelsFirst

TRAINING = Training(model=ChannelsFirst(ConvNet(batch=512, table_parameters=2_800_000_000)))
