"""How steps get their batches: tf.data pipelines, waiting for input, and what a batch holds."""
