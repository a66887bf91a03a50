"""One thing of a report, for an agent: a finding, a check, an account, an op, a step or a host.

The first lines say what it is, then come rows, 20 on a page, then which rows these are and a command.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from tfperf_plugin.errors import BadOptionError, NotInReport, did_you_mean
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import FindingWords, Report, StepColumn, Table
from tfperf_plugin.report.panels.budget import WORDS
from tfperf_plugin.report.panels.sections import checks
from tfperf_plugin.report.render.agent import (
    few,
    finding_lines,
    headed,
    in_ms,
    measured,
    placed,
    share,
    title,
)
from tfperf_plugin.report.render.blocks import agent_rows
from tfperf_plugin.report.render.commands import At, advised, at, is_blocked, next_of, try_of
from tfperf_plugin.report.render.lines import threshold_text, words_of
from tfperf_plugin.report.render.plain import quoted, short
from tfperf_plugin.report.tables import table_of

MOST_BYTES: Final = 4_000
ROWS: Final = 20
"""On a page."""
_MOST_FACTS: Final = 1_500
_MOST_FACT: Final = 600
_MOST_ROW: Final = 800
_NAMED: Final = 10


class _Shown(NamedTuple):
    """A thing, as it is shown."""

    id: str
    facts: tuple[str, ...]  # lines about it
    rows: tuple[str, ...]  # its parts, most important first
    next: str  # a command


def to_show(report: Report, id_: str, page: int = 1, where: At | None = None) -> str:
    """What ``id_`` names, in at most ``MOST_BYTES`` bytes of UTF-8. ``where``: how commands name the run.

    Raises NotInReport, BadOptionError.
    """
    where = where or at(report.run)
    shown = next(filter(None, (find(report, id_, where) for find in _KINDS)), None)
    if shown is None:
        known = tuple(_ids(report))
        hint = did_you_mean(id_, known) or "ids are those that reports for agents name."
        close = [one for one in known if one.partition(":")[0] == id_.partition(":")[0]] or known
        raise NotInReport(f"Nothing in this report is called {id_!r:.100}; {hint}", close[:_NAMED])
    pages = max(1, -(-len(shown.rows) // ROWS))
    if not 1 <= page <= pages:
        raise BadOptionError(f"There is no page {page}; the last one is {pages}.")
    begin = (page - 1) * ROWS
    rows = [short(row, _MOST_ROW) for row in shown.rows[begin : begin + ROWS]]
    more = f"tfperf show {shown.id} {where} --page {page + 1}" if page < pages else shown.next
    which = f"rows {begin + 1 if rows else 0}-{begin + len(rows)} of {len(shown.rows)} | next: {more}"
    head = (title("tfperf-show", report, shown.id), *_cut(shown.facts))
    left = MOST_BYTES - len("\n".join((*head, which, "")).encode())
    room = _room([len(row.encode()) + 1 for row in rows], left)
    return "\n".join((*head, *(short(row, room) for row in rows), which)) + "\n"


def _room(sizes: Sequence[int], left: int) -> int:
    """The most bytes of a row so that all fit into ``left``: short rows leave their room to longer ones."""
    for number, size in enumerate(sorted(sizes)):
        if size * (len(sizes) - number) > left:
            return min(_MOST_ROW, left // (len(sizes) - number) - 1)
        left -= size
    return _MOST_ROW


def _cut(facts: Sequence[str]) -> Iterator[str]:
    """The facts, cut so that all of them together take ``_MOST_FACTS`` bytes."""
    left = _MOST_FACTS
    for fact in facts:
        line = short(fact, min(_MOST_FACT, left))
        left = max(3, left - len(line.encode()))
        yield line


def _ids(report: Report) -> Iterator[str]:
    for finding in (*report.findings, *report.trust):
        yield from (finding.id, *(inner.id for inner in finding.explains))
    yield from (row.id for _, rows in checks(report) for row in rows)
    if report.ledger:
        yield from (account.id for account in report.ledger.accounts)
    yield from (f"host:{id_of(host)}" for host in report.hosts)
    yield from (f"step:{column.id}" for column in report.steps.columns)
    yield from dict.fromkeys(op for op, _ in _ops(table_of(report, "ops")))


def id_of(name: str) -> str:
    """A name as part of an id: as it is if that is one plain word, else its hash."""
    return name if quoted(name) == name else hashed(name)


def hashed(name: str) -> str:
    """Eight hexadecimal digits that stand for a name."""
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]


# ------------------------------------------------------------------------------ findings


def _finding(report: Report, id_: str, where: At) -> _Shown | None:
    every = [
        (f, f in report.trust) for top in (*report.trust, *report.findings) for f in (top, *top.explains)
    ]
    found = next((one for one in every if one[0].id == id_), None)
    if found is None:
        return None
    finding, trust = found
    facts = finding_lines(report, finding, words_of(report).get(id_, FindingWords(id_)))
    return _Shown(
        id_, facts, tuple(_parts(finding)), report.record if trust else _tried(report, finding, where)
    )


def _tried(report: Report, finding: Finding, where: At) -> str:
    """Try its variables, or else what one changes in the code."""
    if is_blocked(report) or advised(report, finding):
        return next_of(report, finding, where)
    return try_of(report, finding, where)


def _parts(finding: Finding) -> Iterator[str]:
    for item in finding.evidence:
        against = ", ".join(filter(None, (threshold_text(item), item.source)))
        yield f"evidence: {measured(item)}" + (f" ({against})" if against else "")
    for action in finding.fix.actions or (finding.fix.summary,):
        yield f"fix: {action}"
    for snippet in finding.fix.snippets:
        yield from (f"code for {snippet.framework}: {line}" for line in snippet.code.split("\n"))
    for inner in finding.explains:
        yield f"explains: {headed(inner)}"
    for place in finding.where:
        yield f"at: {placed(place)} {quoted(place.label)}"
    for name in finding.saving.kernels if finding.saving else ():
        yield f"kernel: {quoted(name, 200)}"


def _check(report: Report, id_: str, where: At) -> _Shown | None:
    for verdict, rows in checks(report):
        for row in rows:
            if row.id == id_:
                how = (f"how: {row.how}",) if row.how else ()
                explained = f"tfperf explain {id_}" if row not in report.manual else _report(where)
                return _Shown(id_, (f"{row.title}: {verdict.lower()}", f"why: {row.reason}"), how, explained)
    return None


def _report(where: At) -> str:
    return f"tfperf report {where} --format agent"


# ------------------------------------------------------------------- accounts, ops, steps, hosts


def _account(report: Report, id_: str, where: At) -> _Shown | None:
    ledger = report.ledger
    account = next((a for a in ledger.accounts if a.id == id_), None) if ledger else None
    if ledger is None or account is None:
        return None
    facts = [f"{WORDS[id_]}: {in_ms(account.ns)} of {in_ms(ledger.step_ns)} ms ({share(account.ratio)})"]
    facts += [f"why: {row.sentence}" for row in report.idle if row.account == id_ and row.sentence]
    claiming = [f for f in report.findings if f.saving and id_ in f.saving.accounts]
    facts += [f"claimed by: {headed(finding)}" for finding in claiming[:3]]
    ops = _ops(table_of(report, "ops")) if id_ == "compute" else ()
    rows = [f"{op} {line}" for op, line in ops]
    by_gpu = [(row, a) for row in ledger.devices for a in row.accounts if a.id == id_]
    if len(ledger.devices) > 1:
        by_gpu.sort(key=lambda of: -of[1].ns)
        rows += [
            f"host:{id_of(row.host)} {quoted(row.device)} {in_ms(a.ns)} ms {share(a.ratio)}"
            for row, a in by_gpu
        ]
    steps = sorted((c for c in report.steps.columns if id_ in c.accounts), key=lambda c: -c.accounts[id_])
    rows += [f"step:{c.id} {in_ms(c.accounts[id_])} of {in_ms(c.step_ns)} ms{_note(c)}" for c in steps]
    then = f"tfperf show {claiming[0].id} {where}" if claiming else _report(where)
    return _Shown(id_, tuple(facts), tuple(rows), then)


def _note(column: StepColumn) -> str:
    return "" if column.judged else f", not judged: {column.note}"


def _op_id(row: Mapping[str, Any]) -> str:
    return f"op:{hashed(row.get('name') or '')}"


def _ops(table: Table | None) -> Iterator[tuple[str, str]]:
    """The id of each op, and its row in a line."""
    if table:
        for row, line in zip(table.records(), agent_rows(table), strict=True):
            yield _op_id(row), line


def _op(report: Report, id_: str, where: At) -> _Shown | None:
    ops, launches = table_of(report, "ops"), table_of(report, "launches")
    found = next((row for row in (ops.records() if ops else ()) if _op_id(row) == id_), None)
    if ops is None or found is None:
        return None
    name, type_ = found.get("name") or "", found.get("type") or ""
    only = replace(ops, rows=ops.rows[(place := ops.records().index(found)) : place + 1])
    facts = (f"name: {quoted(name, 400)}", *(f"in a step: {line}" for line in agent_rows(only, wide=True)))
    lines = zip(launches.records(), agent_rows(launches), strict=True) if launches else ()
    rows = tuple(f"kernel {line}" for row, line in lines if row.get("op") in (name, f"{name}:{type_}"))
    return _Shown(id_, facts, rows, f"tfperf show compute {where}")


def _step(report: Report, id_: str, where: At) -> _Shown | None:
    column = next((c for c in report.steps.columns if id_ == f"step:{c.id}"), None)
    if column is None:
        return None
    judged = "judged" if column.judged else "not judged"
    facts = (
        f"{in_ms(column.step_ns)} ms, {judged}{', far longer than others' if column.outlier else ''}; "
        f"mean of {column.gpus_count} GPUs{f'; {column.note}' if column.note else ''}",
        f"on host:{id_of(column.host)}: {column.begin_ms:.3f}..{column.end_ms:.3f} ms",
    )
    by_time = sorted(column.accounts.items(), key=lambda item: -item[1])
    rows = [f"{name} {in_ms(ns)} ms {share(ns / max(1, column.step_ns))}" for name, ns in by_time]
    rows += [
        f"host:{id_of(i.host)} {quoted(d.device)}: {_most(d.accounts)}"
        for i in report.steps.items
        if i.number == column.number
        for d in i.devices
    ]
    return _Shown(id_, facts, tuple(rows), _report(where))


def _most(accounts: Mapping[str, int]) -> str:
    """The accounts with the most time: "idle.launch 2.49 ms, compute 0.46 ms"."""
    by_time = sorted(accounts.items(), key=lambda item: -item[1])
    return ", ".join(few([f"{name} {in_ms(ns)} ms" for name, ns in by_time if ns], 4))


def _host(report: Report, id_: str, where: At) -> _Shown | None:
    host = next((name for name in report.hosts if id_ in (f"host:{id_of(name)}", f"host:{name}")), None)
    if host is None:
        return None
    times = next((row for row in report.by_host if row.host == host), None)
    late = f", late by {in_ms(times.late_ns)} ms" if times and times.late_ns is not None else ""
    facts = [f"name: {quoted(host, 300)}"]
    if times:
        facts.append(
            f"{times.steps_count} steps of {in_ms(times.step_ns)} ms: own {in_ms(times.own_ns)}, "
            f"waiting in collectives {in_ms(times.wait_ns)}{late}{', slow' if times.slow else ''}"
        )
    rows = [
        f"{quoted(d.device)} {quoted(d.name)}, {'used, ' if d.participates else ''}busy {share(d.busy_ratio)}"
        for d in report.devices
        if d.host == host
    ]
    rows += [
        f"{quoted(r.device)}: {_most({a.id: a.ns for a in r.accounts})}"
        for r in (report.ledger.devices if report.ledger else ())
        if r.host == host
    ]
    rows += [
        f"step {step.step}: own {in_ms(step.own_ns)} ms, waiting {in_ms(step.wait_ns)} ms"
        for step in (times.steps if times else ())
    ]
    return _Shown(f"host:{id_of(host)}", tuple(facts), tuple(rows), _report(where))


_Find = Callable[[Report, str, At], _Shown | None]
_KINDS: Final[tuple[_Find, ...]] = (_finding, _check, _account, _op, _step, _host)
