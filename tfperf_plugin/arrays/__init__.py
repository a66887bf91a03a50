"""Vectors that know nothing of traces.

``intervals`` of time (with C, ``native``), ``groups`` of rows, distinct numbers and codes (``unique``),
``medians``, and ``threads`` to compute in. The meaning of the numbers is known in rooms below.
"""
