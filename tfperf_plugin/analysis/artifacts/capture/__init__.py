"""The recording itself, and its facts about machine and program.

``capture``: what was lost, and facts about the recording; ``devices``: the GPUs that it saw; ``framework``:
the framework of the program. Rules judge what a loss or a missing GPU means for other findings.
"""
