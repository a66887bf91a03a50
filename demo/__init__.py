"""Demonstration profiles: simulated and captured training runs."""
