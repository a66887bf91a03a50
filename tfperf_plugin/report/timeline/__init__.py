"""The timeline of a step: ``arrays`` keep it in a report, ``step`` draws it, ``claims`` say which finding
claims which time."""
