"""Vectors that know nothing of traces.

``intervals`` of time (with C, ``native``), distinct numbers and codes (``unique``), ``medians``, and
``threads`` to compute in. What the numbers stand for, rooms below know.
"""
