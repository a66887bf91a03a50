"""Watches the machine beside a training, from outside of it, and keeps what it sees in one file.

``start`` starts it as a process of its own, which is no child of the training: whatever happens to it, the
training does not notice. ``run`` is its loop; ``sources`` asks the system, ``gpus`` NVIDIA's driver; ``kept``
holds rows, and merges them before the file grows too large. What the file holds stands in
``recording.resources``.

The libraries that ask, psutil and nvidia-ml-py, are loaded in that process alone: neither a training nor a
report needs them. What a machine does not tell is left out, and a sentence in the file says why. Nothing here
judges, and no name of a process, user or address is kept.
"""
