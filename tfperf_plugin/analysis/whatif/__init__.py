"""Predicts a step without chosen findings.

``recorded`` keeps what a replay needs of a run, as columns beside the report; ``predict`` replays them. The
rules of the findings say which may be left out, and what they claim.
"""
