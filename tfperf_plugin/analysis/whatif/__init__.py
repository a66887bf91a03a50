"""What a step would take without chosen findings.

``recorded`` keeps what a replay needs of a run, as columns beside the report; ``predict`` replays them.
Which findings may be left out, and what they claim, their rules say.
"""
