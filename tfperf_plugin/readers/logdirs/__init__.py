"""Finds the profiles in a log directory and gives them their names.

A profile is a directory ``plugins/profile/RUN``, at any depth, with one ``HOST.xplane.pb`` per host.
Runs and hosts have the same names as in TensorBoard's profile plugin, because links to its trace viewer
contain those names. A training run stores a record of itself next to its profiles, as
``plugins/diagnostics/HOST.START.training.json``. Nothing is ever written to the log directory.

``runs`` says what a run is, ``finding`` searches for runs and for what trials keep, ``places`` says which run
a user means by a path; ``files`` lists folders and reads files, and ``training`` knows the records.
"""
