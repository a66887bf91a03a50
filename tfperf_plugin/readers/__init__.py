"""From files to ``HostTrace``: which runs there are, and what their files hold. Steps and meaning come later.

``base`` says what a reader is, ``formats`` lists readers, ``content`` holds a file's bytes and bounds what is
more than a pass over them; ``tables`` builds what all formats have in common, and ``anomalies`` keeps what
was skipped or guessed; ``logdirs/`` and ``remote`` say where files are. Each format has a room of its own,
and no other room knows its name.

TensorFlow is not imported: that takes seconds, and XProf's step numbers for GPUs are wrong in known ways
(``tests/analysis`` compares them with ours). Files are read, not mapped, because a mapped file that shrinks
kills the process. Planes become columns one after the other, and lines are read in blocks, so that only some
megabytes of a file are in memory at once.
"""
