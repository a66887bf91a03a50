"""Kineto traces, the JSON of PyTorch's profiler: the only place that knows this format.

``files`` tells from the start of each file which files are one run; ``blocks`` inflates a file and cuts it
into blocks of whole events, or smaller parts where they are damaged; ``form`` decodes these; ``events`` makes
columns of them, ends a recording whose file was cut, and reads what the trace says beside its events;
``host_trace`` makes a ``HostTrace`` of these, with ``ops`` and ``work`` for what the arguments of events say.
Builds of PyTorch without CUDA write a dialect of their own, a bare list.
"""
