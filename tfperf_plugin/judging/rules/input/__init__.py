"""How batches reach the GPU."""
