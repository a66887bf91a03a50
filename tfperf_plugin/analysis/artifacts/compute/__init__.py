"""The work that GPUs compute, and how fast it could be.

What ran: ``kernels``, ``ops``, ``phases``, ``sequences``, ``loops``, ``shapes``, ``op_names``. How fast it
could run: ``bounds``, from ``roofline``, ``tensor_work`` and ``tiles``; without steps ``kernel_rates``. Why
it is slower: ``slow``, ``attention``, ``updates``, ``batch``. The model: ``parameters``. Rates of GPUs are in
``hardware``; readers find the work of XLA's programs. Memsets have no artifact: the ledger counts them as
``compute.other``.
"""
