"""Finds the steps of a host (``find``) and what belongs to each of them.

One file for each means to find where steps begin: ``marks`` (events that mark steps), ``pytorch``,
``programs`` and ``periods``; they return ``Marks``. A recording of PyTorch or Nsight Systems in which none
finds any counts as one step. ``assign`` says what belongs to each step. Which steps are usual says
``analysis/steps.py``, which defines a step for all other rooms.

A step's window on a host runs from its start to the start of the next step. It begins when the host
begins the step or, where the host runs ahead, when the last kernel of the previous step has ended. So
windows tile time, and a step's kernels lie in its own window although launches are asynchronous.

A device event belongs to the step of its launch (found by correlation id). If the launch lies under an
executor or FunctionRun event with TensorFlow's step id, that id names the step. Otherwise it is the step in
which the host began the work: a launch on a helper thread is followed back to the call that handed it over.
Events of a stream without a recorded launch, before the stream's first kernel with one, were launched before
the recording began and belong to no step. Other events without a recorded launch are assigned by start time.

The last step ends with the work that its function launched and with the loss that the host reads back. What a
callback runs after that belongs to no step.
"""
