"""The columns of one run: what happened on each host thread and GPU stream, in integer nanoseconds.

``model`` defines the columns, ``roles`` tells from names what events are, ``memo`` keeps results with the
events that they come from. Files are read in ``readers``; steps and meaning are found in ``analysis``.
"""
