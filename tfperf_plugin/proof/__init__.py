"""From a finding to proof: launches of a training in random order, and what their times show.

Here are the effect of a change and its test, what launches without a change differ by, plans, guards and
verdicts. What runs inside a training stands in ``recording``; reports side by side in ``compare``.
"""
