"""GPU memory: what is allocated and when, and copies between host and GPU."""
