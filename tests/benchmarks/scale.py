"""Measures runs of many hosts that differ, read by a pool of processes: time and memory by number of hosts.

    python -m tests.benchmarks.scale [HOSTS …] [--steps N] [--jobs N]   by default 16, 64 and 256, 5 steps

The hosts are those of one simulated training on two GPUs each, with batches, clocks and begins of their own;
five steps are about 3,300 events and 220 KB a host, 150 steps 100,000 events. The coordinator is the process
that merges what the others read: its memory should grow by summaries, not by events, and time should be
linear in hosts. Time is that of processors, which tells more than a clock on a machine that is shared. This
is no test: it asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

SIMULATE = """
import json, sys
from dataclasses import replace
from pathlib import Path
from demo.build import training
from demo.simulator import simulate
from demo.simulator.training import HostClocks
folder, count, steps, errors, lags = json.loads(sys.argv[1])
job = replace(
    training("slow_host"), hosts=count, steps=steps, clocks=HostClocks(tuple(errors), tuple(lags)),
    uneven_batches=0.1,
)
for host, data in simulate(job).files.items():
    (Path(folder) / f"{host}.xplane.pb").write_bytes(data)
"""
ANALYSE = """
import json, resource, sys, time
from tfperf_plugin import runs
from tfperf_plugin.execution.analyze import analyse
from tfperf_plugin.report.options import Options
from tfperf_plugin.execution.limits import available_bytes
from tfperf_plugin.execution.pool import HostPool, plan
def peak():
    with open("/proc/self/status") as status:  # what getrusage says is inherited from the parent
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))
(run,) = runs.find_runs(sys.argv[1])
before, began = peak(), time.perf_counter()
chosen = plan(run, int(sys.argv[2]))
with HostPool(chosen.workers, chosen.bytes_each) as pool:
    found = analyse(run, Options(), lambda *_: None, pool, chosen.kept_bytes)
    seconds = time.perf_counter() - began
own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({
    "hosts": len(found.report.hosts), "seconds": seconds, "before": before, "peak": peak(),
    "own": own.ru_utime + own.ru_stime, "others": others.ru_utime + others.ru_stime,
    "arrays": sum(a.nbytes for a in found.arrays.values()), "omitted": len(found.report.omitted),
    "workers": chosen.workers, "largest_worker": others.ru_maxrss * 1024,
}))
"""


def write_hosts(folder: Path, count: int, steps: int) -> None:
    """Writes the profiles of so many hosts of one training into a new folder."""
    random = Random(count)
    errors = [0, *(random.randrange(-5_000_000, 5_000_000) for _ in range(count - 1))]
    lags = [0, *(random.randrange(-9_000_000, 9_000_000) for _ in range(count - 1))]
    folder.mkdir(parents=True)
    # In a process of its own: what it takes is not given back.
    _run(SIMULATE, json.dumps([str(folder), count, steps, errors, lags]))


def measure(count: int, steps: int, jobs: int) -> dict[str, Any]:
    """Writes a run of so many hosts, reads it once, and says what that took."""
    with tempfile.TemporaryDirectory() as logdir:
        folder = Path(logdir) / "plugins" / "profile" / "run"
        write_hosts(folder, count, steps)
        files = [(path.stat().st_size, sha256(path.read_bytes()).digest()) for path in folder.iterdir()]
        found: dict[str, Any] = json.loads(_run(ANALYSE, logdir, str(jobs)))
        return {**found, "file_bytes": sum(size for size, _ in files), "different": len(set(files))}


def _run(script: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scale", description=__doc__)
    parser.add_argument("hosts", nargs="*", type=int, default=[16, 64, 256])
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    print(
        "| hosts (different) | files | wall | processors, a host | coordinator's processor "
        "| its memory at first, at most | more, a host | arrays | a worker at most |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for count in given.hosts:
        row = measure(count, given.steps, given.jobs)
        each = (row["own"] + row["others"]) / count
        grown = (row["peak"] - row["before"]) / count
        print(
            f"| {count} ({row['different']}) | {row['file_bytes'] / 1e6:.1f} MB | {row['seconds']:.1f} s | "
            f"{each:.3f} s | {row['own']:.1f} s | {row['before'] / 1e6:.0f}, {row['peak'] / 1e6:.0f} MB | "
            f"{grown / 1e3:.0f} kB | {row['arrays'] / 1e6:.1f} MB | {row['largest_worker'] / 1e6:.0f} MB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
