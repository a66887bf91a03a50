"""From a finding to proof: launches of a training in random order, and what their times show.

Here are the effect of a change and its test, the floor from launches without a change, plans, guards and
verdicts. What runs inside a training stands in ``recording``; two reports side by side in ``compare``.
"""
