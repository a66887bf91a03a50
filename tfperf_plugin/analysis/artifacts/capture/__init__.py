"""The recording itself, and what it says of machine and program.

``capture``: what was lost, and facts about the recording; ``devices``: the GPUs that it saw; ``framework``:
what the program is written in. What a loss or a missing GPU means for other findings is judged by rules.
"""
