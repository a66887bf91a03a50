"""Number formats, Tensor Cores and fusion."""
