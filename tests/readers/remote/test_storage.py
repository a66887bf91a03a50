"""Profiles on gs:// and s3://, read by the real gcsfs and s3fs from storage on this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo.build import RUN, build
from tests.readers.remote.storage import SECRET, environment, storage

pytestmark = pytest.mark.slow

SCENARIO = "healthy_four_hosts"
FOLDER = f"bucket/logs/{SCENARIO}/plugins"
RECORD = f"{FOLDER}/diagnostics/worker0.20251231T235900.000000+0000.training.json"
PACKAGES = {"gs": "gcsfs", "s3": "s3fs"}


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logdir")
    build(path, [SCENARIO])
    return path


@pytest.fixture(scope="module")
def addresses(logdir: Path) -> Iterator[tuple[str, str]]:
    objects = {
        f"bucket/logs/{path.relative_to(logdir).as_posix()}": path.read_bytes()
        for path in logdir.rglob("*.pb")
    }
    with storage({**objects, RECORD: b'{"schema_version": 1, "parameters": 1000}'}) as (gcs, s3, _):
        yield gcs, s3


@pytest.fixture(params=PACKAGES)
def scheme(request: pytest.FixtureRequest) -> str:
    scheme: str = request.param
    if importlib.util.find_spec(PACKAGES[scheme]) is None:
        pytest.skip(f"{PACKAGES[scheme]} is not installed; `make matrix` has a cell with it")
    return scheme


def tfperf(addresses: tuple[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tfperf_plugin.cli", *arguments]
    settings = os.environ | environment(*addresses)
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=False)


def test_the_report_is_that_of_the_same_files_here(
    scheme: str, addresses: tuple[str, str], logdir: Path
) -> None:
    there = tfperf(addresses, "report", f"{scheme}://bucket/logs", "--format", "json", "--no-cache")
    here = tfperf(addresses, "report", str(logdir), "--format", "json", "--no-cache")

    assert (there.returncode, there.stderr) == (0, "")
    remote, local = (without_times(json.loads(done.stdout)) for done in (there, here))
    (training,) = remote.pop("training")
    assert training["file"] == RECORD.removeprefix("bucket/logs/")
    assert local.pop("training") == []
    assert remote["hosts"] == [f"worker{number}" for number in range(4)]
    assert remote["run"] == f"{SCENARIO}/{RUN}"
    assert {key: remote[key] for key in ("ledger", "steps")} == {
        key: local[key] for key in ("ledger", "steps")
    }


def without_times(report: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in report.items() if key != "timing"}


@pytest.mark.parametrize(
    ("bucket", "said"),
    [(SECRET, "cannot be read: "), ("nowhere", "No profiles below ")],
)
def test_what_is_refused_or_missing_is_one_line(
    scheme: str, addresses: tuple[str, str], bucket: str, said: str
) -> None:
    done = tfperf(addresses, "report", f"{scheme}://{bucket}/logs")

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert f"{scheme}://{bucket}/logs" in done.stderr
