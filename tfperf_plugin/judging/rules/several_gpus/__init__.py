"""GPUs and hosts that work together."""
