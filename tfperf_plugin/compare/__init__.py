"""Compares reports: whether the new run is faster, by how much and where, or why that is unknown.

Sentences on the difference of two runs are in ``build``, of several launches a side in ``several``, on
findings that came or went in ``findings``. ``board`` puts many runs side by side.
"""
