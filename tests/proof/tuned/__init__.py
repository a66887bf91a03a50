"""Trainings that are slow for one cause, tuned by one command each."""
