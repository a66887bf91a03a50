"""Compares two reports: whether the new run is faster, by how much and where, or why that is unknown."""
