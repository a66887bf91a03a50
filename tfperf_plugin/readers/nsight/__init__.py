"""SQLite exports of Nsight Systems → ``HostTrace``: the only place that knows the tables of that format.

``files`` finds exports. ``database`` reads columns of tables, within bounds; ``gpu_work`` (kernels, copies,
memsets, graphs), ``host_events`` (CUDA's functions and NVTX ranges) and ``host_trace`` (GPUs and all else)
say which tables these are; ``host_trace`` makes the result. ``ranges`` knows what names of NVTX ranges mean,
and which of them mark the steps. A file may hold several processes, and CUDA numbers the calls of each for
itself: whatever joins calls with their work asks for the process, too.

Schemas: https://docs.nvidia.com/nsight-systems/UserGuide/index.html#exporter-sqlite-schema. Tables are
written only if there is something in them, and columns come and go with versions, so each is asked for.
"""
