"""Which steps are usual: warm-up and rare long steps are told apart before anything is divided."""

from __future__ import annotations

from tests.builders import MS, Host, inputs


def test_the_ledger_is_of_usual_steps() -> None:
    host = Host()
    for number, (begin, end) in enumerate([(0, 2_500), (2_500, 2_600), (2_600, 2_700), (2_700, 2_800)]):
        host.step(number, begin, end)
        host.kernel(end - 60, end)
    ledger = inputs(host).ledger

    assert ledger is not None
    assert (ledger.step_ns, ledger.average()["compute"]) == (100 * MS, 60 * MS)
