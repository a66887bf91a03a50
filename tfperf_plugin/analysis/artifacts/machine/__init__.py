"""What the machine did while the training ran, of which a profile holds a few steps.

``activity``: when steps ran and when the training stood. ``supply``: what processors, links and disks gave
while they ran. ``bursts``: what arrived while the training stood. ``host_load``: how busy other programs keep
the processors of each host. ``memory_growth``: how fast its memory grows, and when it is full. ``uploads``:
what was sent in bursts. ``watched_gpus``: what slowed its GPUs, and who else was on them.
"""
