"""How steps get their batches: tf.data's pipelines and what steps wait for.

``pipelines`` rebuilds them, from ``pipeline_tree``, ``critical_path`` and ``stages``; ``host_input`` and
``idle_input`` say what waiting costs; ``sliced_batch`` finds batches of which a part is dropped. Copies of
batches are in ``memory/copies``.
"""
