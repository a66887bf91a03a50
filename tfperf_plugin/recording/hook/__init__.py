"""What runs inside a training that ``tfperf record`` or ``tfperf try`` starts: it sees and records steps.

``path/`` stands first on PYTHONPATH, so each Python that the command starts imports its ``sitecustomize``,
which waits until a framework is imported. ``watch`` then wraps what the framework calls in each step: Keras'
``train_function``, what ``jax.jit`` returns, updates of PyTorch's optimizers. ``recorder`` counts these
calls, and records some of them: a profile, or only how long they take.

A training must never fail, wait or change because of this. So each error ends the recording and not the
training; no framework is imported here, only used once the training has imported it; and of all processes,
the first that made enough steps records, and no other one.
"""
