"""What GPUs compute: kernels, ops and their bounds, phases, number formats, and the size of the model."""
