"""The training of ``gpu_stagger`` with what its first finding advises: launch threads for each GPU."""

from dataclasses import replace

from demo.scenarios import gpu_stagger

_BEFORE = gpu_stagger.TRAINING
TRAINING = replace(
    _BEFORE, seed=2, launching=replace(_BEFORE.launching, private_threads=True, shared_thread=False)
)
