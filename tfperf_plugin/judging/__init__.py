"""What the artifacts mean: rules, their verdicts and their order. Nothing is measured from events here.

``rules`` holds a page and a measurement for each rule, ``engine`` reads and runs them and ranks what they
find, ``verdicts`` defines findings as all later rooms see them.

A saving is a bound on what the ledger holds for the cause, never a constant from a guide. A finding without
a cost comes after those that have one, and notes come last; "nothing to fix" is said only if no account but
compute holds 10 % of the step and the capture is not in doubt. A symptom is folded only under causes that
claim 80 % of what it claims. Silence is tested as much as findings: the tests of each rule mark its
near-misses.
"""
