"""Reads, runs and ranks rules.

``rule`` declares them; ``page`` reads their pages, ``words`` fills sentences; ``inputs`` gives ``judge`` what
its parameters ask for; ``judged_ops`` sums up ops of GPUs; ``run`` runs all rules and chooses their advice,
``evidence_level`` limits what they say to what is recorded, ``severity`` weighs it, and ``rank`` orders,
folds and budgets what they find.
"""
