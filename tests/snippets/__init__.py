"""Code on the pages of rules, run in its framework on the CPU.

``pages`` finds it, ``process`` runs it in a process of its own for each framework, whose module here
(``with_tensorflow``, ``with_jax``, ``with_torch``) defines what code needs: a model, data, a step.
"""
