"""What XProf's overview page says of real captures, held against facts that are read from their bytes.

    python -m demo.accuracy.xprof CAPTURES_PY LIST FOLDER

``CAPTURES_PY`` is a module with ``facts(path)``: kernels, tail, span, most, busy and copies of a capture in
ms; ``LIST`` a table of captures with a column ``folder``; ``FOLDER`` holds the capture ``NAME`` as
``NAME/plugins/profile/RUN/HOST.xplane.pb``. Captures are judged that hold kernels and the callback's tail.
A step is right within the same tolerance as for our own report. A verdict about input is right if the
batch's copies, outside kernels, take at least 15 % of the device's span where it says that the program waits
for input, and less where it says that it does not; "All Others" names no cause, so only its share is judged:
within 10 points of the true share in which neither kernels nor those copies run.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tfperf_plugin.records import Record

INPUT_RATIO: Final = 0.15
"""Copies of the batch from which on a capture is input-bound; the limit of our own judge."""
SHARE_TOLERANCE: Final = 0.10
_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")


class Said(Record, frozen=True):
    """One capture: the truth and what XProf says. Times in ms; ``step_ms`` is ``None`` where it has no step.

    ``kind``: "no step", "not input-bound", "waits for input" or "all others"; ``first``: the first sentence
    in its own words.
    """

    folder: str
    span_ms: float
    busy_ms: float
    copies_ms: float
    step_ms: float | None
    step_right: bool
    kind: str
    share: float
    true: bool
    first: str
    launch: str
    precision: str


def overview(file: Path) -> list[dict[str, Any]]:
    """XProf's tables, asked on a link in a folder of its own: it writes caches beside what it reads."""
    from xprof.convert import raw_to_tool_data  # takes seconds, and need not be installed

    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / file.name
        link.symlink_to(file.resolve())
        data, _ = raw_to_tool_data.xspace_to_tool_data([str(link)], "overview_page", {})
    tables: list[dict[str, Any]] = json.loads(data)
    return tables


def judge(folder: str, file: Path, true: dict[str, float]) -> Said:
    """What XProf says of one capture."""
    tables = overview(file)
    figures, advice = tables[1]["p"], tables[3]["p"]
    step = float(figures["steptime_ms_average"]) if tables[1]["rows"] else None
    span, most = true["span"], true["most"]
    right = step is not None and span * 0.97 <= step <= max(span * 1.15, most) + 5
    first = figures["input_conclusion"] or advice["statement"]
    kind = _kind(first, step)
    found = _SHARE.search(first)
    share = float(found[1]) / 100 if found else 0.0
    copies = true["copies"] / span
    truths: dict[str, bool] = {
        "no step": False,
        "not input-bound": copies < INPUT_RATIO,
        "waits for input": copies >= INPUT_RATIO,
        "all others": abs(share - (1 - true["busy"] / span - copies)) <= SHARE_TOLERANCE,
    }
    return Said(
        folder,
        span,
        true["busy"],
        true["copies"],
        step,
        right,
        kind,
        share,
        truths[kind],
        first,
        advice["kernel_launch_statement"],
        advice["precision_statement"],
    )


def _kind(first: str, step: float | None) -> str:
    if step is None or "No step" in first:
        return "no step"
    if "NOT input-bound" in first:
        return "not input-bound"
    return "all others" if "All Others" in first else "waits for input"


def judged(facts: Callable[[str], dict[str, Any]], listed: Path, folder: Path) -> Iterator[Said]:
    """Every capture of the list that is there, has kernels and the callback's tail, and can be read."""
    with listed.open(encoding="utf-8") as lines:
        names = [row["folder"] for row in csv.DictReader(lines, delimiter="\t")]
    for name in names:
        file = next(iter(sorted((folder / name).glob("plugins/profile/*/*.xplane.pb"))), None)
        if file is None:
            continue
        try:
            true = facts(str(file))
        except (IndexError, KeyError):
            continue  # damaged
        if true["kernels"] and true["tail"]:
            yield judge(name, file, true)


def table(rows: list[Said]) -> str:
    """One line a capture, and the sums, as Markdown."""
    lines = [
        "| capture | device span | kernels | batch copies | XProf's step | right | XProf says first | true |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        step = "none" if r.step_ms is None else f"{r.step_ms:.1f} ms"
        said = f"{r.kind} ({r.share:.1%})" if r.kind != "no step" else r.kind
        lines.append(
            f"| {r.folder} | {r.span_ms:.1f} ms | {r.busy_ms:.1f} ms | {r.copies_ms:.1f} ms | {step} | "
            f"{_yes(r.step_right)} | {said} | {_yes(r.true)} |"
        )
    kinds = Counter(r.kind for r in rows)
    lines += [
        "",
        f"Step right: {sum(r.step_right for r in rows)} of {len(rows)}.",
        f"First statement true: {sum(r.true for r in rows)} of {len(rows)}.",
    ]
    lines += [
        f'Says "{kind}": {n}, true {sum(r.true for r in rows if r.kind == kind)}.'
        for kind, n in kinds.most_common()
    ]
    bound = [r for r in rows if r.copies_ms >= INPUT_RATIO * r.span_ms]
    lines += [
        f"Batch copies take at least {INPUT_RATIO:.0%} of the span: {len(bound)}; of these it says that the "
        f"program waits for input in {sum(r.kind == 'waits for input' for r in bound)}.",
        f"Speaks of kernel launches: {sum(bool(r.launch) for r in rows)}; advises 16 bit: "
        f"{sum(bool(r.precision) for r in rows)}.",
    ]
    return "\n".join(lines)


def _yes(right: bool) -> str:
    return "yes" if right else "no"


def main() -> None:
    """Reads the arguments and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("captures_py", type=Path)
    parser.add_argument("list", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    spec = importlib.util.spec_from_file_location("captures", arguments.captures_py)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print(table(list(judged(module.facts, arguments.list, arguments.folder))))


if __name__ == "__main__":
    main()
