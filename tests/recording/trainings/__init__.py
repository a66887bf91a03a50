"""Trainings as users write them, which know nothing of tfperf; each trains a small model."""
