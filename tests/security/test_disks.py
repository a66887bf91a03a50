"""Real disks: one that is full where the cache is, one that is read-only where the profiles are.

Both are mounted in a namespace of their own, in which a process without rights on the machine may do so; where
even that is forbidden, the tests are skipped, and those of ``test_cache.py`` and ``test_changing_files.py``
remain, which simulate the same. Each takes five seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend import application
from tensorboard.plugins import base_plugin
from werkzeug.test import Client

from demo.build import training
from demo.simulator import simulate
from tests.conftest import REPOSITORY
from tests.logdirs import add_run
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.serialize import to_json
from tfperf_plugin.tensorboard.plugin import DiagnosticsPlugin

FORBIDDEN = 77
LONG_S = 60
ROUTES = "/data/plugin/diagnostics"


def ask(client: Client, route: str, **arguments: str) -> Any:
    """What a route answers in the end."""
    until = time.monotonic() + LONG_S
    while time.monotonic() < until:
        response = client.get(f"{ROUTES}/{route}", query_string=arguments)
        if response.status_code != 202:
            assert response.status_code == 200, response.text
            return response.json
        time.sleep(0.1)
    raise AssertionError(f"no answer of {route}")


def asked_of_a_new_plugin(flags: dict[str, str]) -> dict[str, Any]:
    """What TensorBoard's routes say of the only run, whose analysis runs in a process of its own."""
    context = base_plugin.TBContext(
        logdir=flags.get("logdir", ""), flags=argparse.Namespace(logdir_spec=flags.get("logdir_spec", ""))
    )
    client = Client(application.TensorBoardWSGI([DiagnosticsPlugin(context)]))
    (listed,) = ask(client, "runs")["runs"]
    report = ask(client, "report", run=listed["name"])
    step = report["steps"]["columns"][1]["id"]
    return {"report": report, "timeline": ask(client, "timeline", run=listed["name"], step=step)}


def inside(logs: Path, small: Path, free_bytes: int, flags: dict[str, str]) -> dict[str, Any]:
    """In the namespace: mounts both disks, and asks while the one is full and once more when it has room."""
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(small)], check=True)
        subprocess.run(["mount", "--bind", str(logs), str(logs)], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", str(logs), str(logs)], check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(FORBIDDEN)
    try:
        (logs / "new").touch()
        raise AssertionError("the log directory can be written")
    except OSError as error:
        refused = error.strerror
    filler = small / "filler"
    left = os.statvfs(small)
    filler.write_bytes(bytes(left.f_bavail * left.f_frsize - free_bytes))
    full = asked_of_a_new_plugin(flags)
    while_full = sorted(path.name for path in small.rglob("*"))
    filler.unlink()
    roomy = asked_of_a_new_plugin(flags)
    return {
        "refused": refused,
        "full": full,
        "while_full": while_full,
        "roomy": roomy,
        "at_last": sorted(path.suffix for path in small.rglob("*") if path.is_file()),
    }


def in_namespace(logs: Path, tmp_path: Path, free_bytes: int, flags: dict[str, str]) -> dict[str, Any]:
    small = tmp_path / "small"
    small.mkdir()
    code = (
        "import json, sys; from pathlib import Path; from tests.security.test_disks import inside; "
        "a = json.loads(sys.argv[1]); print(json.dumps(inside(Path(a[0]), Path(a[1]), *a[2:])))"
    )
    namespace = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*namespace, "true"], check=False).returncode:
        pytest.skip("there are no namespaces here, or they are forbidden")
    done = subprocess.run(
        [*namespace, sys.executable, "-c", code, json.dumps([str(logs), str(small), free_bytes, flags])],
        cwd=REPOSITORY, env={**os.environ, "XDG_CACHE_HOME": str(small)},
        stdout=subprocess.PIPE, timeout=3 * LONG_S, check=False,
    )  # fmt: skip
    if done.returncode == FORBIDDEN:
        pytest.skip("mounts are forbidden here")
    assert done.returncode == 0
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    path = tmp_path / "logs"
    for host, data in simulate(training("too_few_steps")).files.items():
        (add_run(path, "train/run", host) / f"{host}.xplane.pb").write_bytes(data)
    return path


def without_times(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "report": {**answer["report"], "timing": []}}


@pytest.mark.parametrize(
    ("free_bytes", "spec"), [(0, False), (28 << 10, True)], ids=["full", "nearly full, --logdir_spec"]
)
def test_a_full_disk_and_a_read_only_one_cost_nothing_but_time(
    logs: Path, tmp_path: Path, free_bytes: int, spec: bool
) -> None:
    flags = {"logdir_spec": f"one:{logs}"} if spec else {"logdir": str(logs)}

    found = in_namespace(logs, tmp_path, free_bytes, flags)

    (run,) = find_runs(str(logs))
    expected = json.loads(json.dumps(to_json(analyze_run(run).report)))
    name = "one/train/run" if spec else "train/run"
    assert found["refused"] == "Read-only file system"
    assert without_times(found["full"])["report"] == {**expected, "run": name, "timing": []}
    assert without_times(found["full"]) == without_times(found["roomy"])
    assert found["full"]["timeline"]["rows"]
    assert not [path for path in found["while_full"] if path.startswith(".new-")]
    assert len([path for path in found["while_full"] if path.endswith((".gz", ".npz"))]) < 2
    assert found["at_last"] == [".gz", ".npz"]
