"""Compares reports: whether the new run is faster, by how much and where, or why that is unknown.

``build`` makes a comparison of one or more launches a side. ``steps`` decides for one launch a side,
``launches`` for more, and asks and tells the user's history; ``comparable`` says whether runs can be compared
at all, ``findings`` which findings came or went. ``board`` puts many runs side by side.
"""
