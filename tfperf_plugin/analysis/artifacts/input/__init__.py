"""The way of batches to steps: tf.data's pipelines, and the stages that steps wait for.

``pipelines`` rebuilds them, from ``pipeline_tree`` and ``stages``; ``idle_input`` computes the cost of
waiting, and what batches that lay ready hide of it; ``sliced_batch`` finds batches of which a part is
dropped. Copies of batches are in ``memory/copies``.
"""
