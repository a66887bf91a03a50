"""Columns of one run: what happened on which host thread and GPU stream, in integer nanoseconds."""
