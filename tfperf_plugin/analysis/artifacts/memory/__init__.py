"""GPU memory, and the copies of one GPU.

``memory``: the memory in use and since when; ``allocations``: calls that allocate while a GPU is idle;
``copies``: by direction and place in the step; ``migrations``: of pages of managed memory. Copies between
GPUs are in ``communication/peer_copies``.
"""
