"""What GPUs compute, and how fast they could.

What ran: ``kernels``, ``ops``, ``phases``, ``sequences``, ``loops``, ``shapes``, ``op_names``. How fast it
could run: ``bounds``, from ``roofline``, ``tensor_work`` (with ``tensor_ops`` and ``moved_bytes``) and
``tiles``; without steps ``kernel_rates``. Why it is slower: ``slow``, ``attention``, ``updates``,
``batch``. The model: ``parameters``, ``loss_scaling``. Rates of GPUs are in ``hardware``; what XLA's
programs compute, readers tell. Memsets have no artifact: the ledger counts them as ``compute.other``.
"""
