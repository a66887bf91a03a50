"""Declares, runs and ranks rules."""
