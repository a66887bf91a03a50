"""The columns of one run: what happened on each host thread and GPU stream, in integer nanoseconds."""
