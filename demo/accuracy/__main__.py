"""``python -m demo.accuracy``: simulates the corpus and writes how often the rules are right about it."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from demo.accuracy.causes import BY_NAME
from demo.accuracy.corpus import DRAW, corpus
from demo.accuracy.incomplete import measured as measured_recordings
from demo.accuracy.measure import Measured, measured
from demo.accuracy.page import page
from demo.accuracy.pairs import REMOVALS
from demo.accuracy.pairs import measured as measured_pair
from demo.accuracy.score import first_share, precision, prediction_summary, warned
from tfperf_plugin.judging.rules import RULES

PAGE = Path(__file__).parents[2] / "tfperf_plugin" / "docs" / "accuracy.md"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m demo.accuracy", description="Measure how often the rules are right."
    )
    parser.add_argument("--sample", type=int, metavar="N", help="only N runs, a fair sample")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=[rule.id for rule in RULES],
        metavar="RULE",
        help="only runs with a cause of these rules",
    )
    parser.add_argument(
        "--out",
        type=Path,
        help=f"file to write; for the whole corpus {PAGE.name} of the documentation, else standard output",
    )
    parser.add_argument("--draw", type=int, default=DRAW, metavar="N", help="other cases of the same design")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args(arguments)
    cases = corpus(options.draw)
    if options.only:
        cases = [c for c in cases if any(BY_NAME[name].rule in options.only for name, _ in c.causes)]
    cases = cases[: options.sample]
    logging.disable(logging.CRITICAL)
    began = time.monotonic()
    runs: list[Measured] = []
    for run in measured(cases, options.workers):
        runs.append(run)
        print(f"\r{len(runs)} of {len(cases)} runs", end="", file=sys.stderr, flush=True)
    print(f" in {time.monotonic() - began:.0f} s", file=sys.stderr)
    whole = not (options.only or options.sample)
    pairs = [measured_pair(name) for name in REMOVALS] if whole else []
    text = page(runs, options.draw, pairs, list(measured_recordings()) if whole else [])
    out: Path | None = options.out or (
        None if options.only or options.sample or options.draw != DRAW else PAGE
    )
    if out is None:
        print(text, end="")
    else:
        out.write_text(text, encoding="utf-8")
        # The tab shows these numbers beside its predictions.
        numbers = {"draw": options.draw, "prediction": prediction_summary(runs)}
        out.with_suffix(".json").write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    print(
        f"precision {precision(runs).ratio:.1%}, strongest cause first {first_share(runs).ratio:.1%}, "
        f"{len(warned(runs))} warnings on healthy runs",
        file=sys.stderr,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
