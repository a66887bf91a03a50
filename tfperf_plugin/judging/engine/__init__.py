"""Reads, runs and ranks rules.

``rule`` declares them; ``page`` reads their pages, ``say`` and ``words`` fill sentences, ``advice`` chooses
what to do by the framework that the profile shows; ``inputs`` gives ``judge`` what its parameters ask for;
``judged_ops`` sums up ops of GPUs; ``run`` runs all rules, ``evidence_level`` limits what they say to what is
recorded, and ``rank`` orders, folds and budgets what they find.
"""
