"""``make demo`` names an address only when TensorBoard serves it, and the address opens a run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from demo.__main__ import SHOWN, address
from demo.build import build

SERVE = "import sys, demo.__main__ as demo; sys.exit(demo.serve(sys.argv[1], 0))"


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    build(tmp_path, [SHOWN])
    command = [sys.executable, "-c", SERVE, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield process
        process.kill()


def test_the_address_opens_a_run_on_the_port_that_was_free(demo: subprocess.Popen[str]) -> None:
    assert demo.stdout
    url = next(line.split()[1] for line in demo.stdout if line.startswith("Open "))

    root, where = urlsplit(url), parse_qs(urlsplit(url).fragment)
    assert root.port not in (None, 0)
    with urlopen(f"http://{root.netloc}/data/plugin/diagnostics/runs") as answer:  # it serves already
        names = [run["name"] for run in json.load(answer)["runs"]]
    assert where["p.diagnostics.run"] == names

    demo.send_signal(signal.SIGTERM)
    demo.wait(60)
    with pytest.raises(OSError, match="refused"):
        urlopen(url)


def test_the_address_is_one_that_the_tab_reads() -> None:
    assert address("http://localhost:6007/") == (
        "http://localhost:6007/#diagnostics&p.diagnostics.run=gpu_stagger%2F2026_01_01_00_00_00"
    )
