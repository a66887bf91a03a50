"""``make demo`` names an address when TensorBoard serves the first runs, and builds others behind it."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from demo.__main__ import FIRST, OTHERS, SHOWN, address, serve
from demo.build import RUN, run_names, training
from tests.demo.test_guide import TEXT

SERVE = """
import sys, demo.__main__ as demo
demo.FIRST, demo.OTHERS, demo.capture_real = (demo.SHOWN,), ("too_few_steps",), lambda out: None
sys.exit(demo.main([sys.argv[1], "--port", "0"]))
"""


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", SERVE, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield process
        process.kill()


def test_the_address_opens_a_run_on_the_port_that_was_free(demo: subprocess.Popen[str]) -> None:
    assert demo.stdout
    said = ""
    while "\nOpen " not in said or "\n2 of 2 " not in said:
        said += next(demo.stdout)
    url = said.split("\nOpen ")[1].split()[0]

    root, where = urlsplit(url), parse_qs(urlsplit(url).fragment)
    assert root.port not in (None, 0)
    with urlopen(f"http://{root.netloc}/data/plugin/diagnostics/runs") as answer:  # it serves already
        names = {run["name"] for run in json.load(answer)["runs"]}
    assert where["p.diagnostics.run"] == [f"{SHOWN}/{RUN}"]
    assert names == {f"{SHOWN}/{RUN}", f"too_few_steps/{RUN}"}
    assert "\n1 of 2  gpu_stagger: critical: Launch skew across GPUs\n" in said

    demo.send_signal(signal.SIGTERM)
    demo.wait(60)
    with pytest.raises(OSError, match="refused"):
        urlopen(url)


def test_the_address_is_one_that_the_tab_reads() -> None:
    assert address("http://localhost:6007/") == (
        "http://localhost:6007/#diagnostics&p.diagnostics.run=gpu_stagger%2F2026_01_01_00_00_00"
    )


def test_the_runs_of_the_guide_come_first_and_all_are_scenarios() -> None:
    assert len({*FIRST, *OTHERS}) == len(FIRST) + len(OTHERS)
    assert {*FIRST, *OTHERS} <= {*run_names()}
    assert {name for name in run_names() if f"`{name}`" in TEXT} <= {*FIRST}
    assert training(FIRST[0]).gpus > 1


def test_nothing_more_is_built_once_tensorboard_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = shutil.which("false")
    monkeypatch.setattr(sys, "executable", failing)
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    assert serve(tmp_path, 0, (None for _ in itertools.count())) == 1
