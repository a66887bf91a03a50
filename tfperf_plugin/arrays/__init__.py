"""Vectors: intervals, distinct numbers, compiled helpers, threads. They know nothing of traces."""
