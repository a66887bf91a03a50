"""Figures of hardware that no profile records, each with its source.

``peaks`` and ``speeds``: rates of GPUs, and what good libraries reach of them; ``links``: bandwidths
between GPUs; ``models``: names of GPUs by their figures. The last two read tables, the JSON files beside
them. What a run's own GPUs record is in ``artifacts/capture/devices``.
"""
