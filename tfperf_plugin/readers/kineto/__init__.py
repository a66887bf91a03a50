"""Kineto traces, the JSON of PyTorch's profiler: the only place that knows this format.

``files`` tells from the begin of each file which files are one run; ``blocks`` inflates a file and cuts it
into blocks of whole events; ``events`` decodes these into columns; ``host_trace`` makes a ``HostTrace`` of
them, with ``collectives``, ``shapes`` and ``memory`` for what the arguments of events say. Builds of PyTorch
without CUDA write a dialect of their own, a bare list.
"""
