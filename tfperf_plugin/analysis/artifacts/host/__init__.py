"""The activity of hosts while GPUs wait.

In a step: ``idle`` by account, late launches (``idle_launch``, from ``launch_gaps``), ``eager`` ops,
``arguments``, ``placement``, ``host_pass``, ``host_ops``, and ``host_compute`` where no GPU works. Around it:
``compilation``, ``startup``, ``step_gaps``, ``outliers``. ``overlap`` helps these.
"""
