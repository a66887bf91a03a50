"""What the machine did while the training ran, of which a profile holds a few steps.

``activity``: when steps ran and when the training stood.
"""
