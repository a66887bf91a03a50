"""Several GPUs and hosts: who transfers, who waits for whom, and in which order GPUs work.

Calls of collectives (``calls``) by what they do: ``allreduce`` and its ``estimate``; ``transfers`` and
``waits`` of all kinds. Who is late: ``step_starts``, ``lateness``, ``balance``, ``hosts``. GPUs in turn:
``step_starts``, ``model_stages``, ``peer_copies``. PyTorch's ``wrappers``. Calls are matched in
``analysis/collectives`` and ``analysis/communication``, not here.
"""
