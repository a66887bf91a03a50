"""Finds in the columns of a trace who did what when; its meaning is judged elsewhere.

In the order of their use: what the host does (``startup``, ``step_functions``, ``launches``),
``steps`` and ``finding_steps``, ``host_activity``, ``collectives`` on one host and ``communication`` between
hosts, the ``ledger``, and ``artifacts`` derived from all of these. ``evidence`` holds the facts that
artifacts hand to findings.
"""
