"""Vectors that know nothing of traces.

``intervals`` of time (with C, ``native``), ``columns`` of numbers and their groups, and ``threads`` to
compute in. The meaning of the numbers is known in rooms below.
"""
