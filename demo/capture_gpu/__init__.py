"""Trains with JAX on this machine's GPU, in pairs with and without one planted cause, and profiles both.

``python -m demo.capture_gpu`` writes a table: whether the rules name the cause first, the saving that they
promise and the saving that is measured without the profiler.
"""
