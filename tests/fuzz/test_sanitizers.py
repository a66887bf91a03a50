"""The parts in C under the sanitizers of addresses and of undefined behaviour."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.fuzz.bombs import bombs
from tests.fuzz.corpus import seeds, starts
from tests.readers.xspace.raw import event, line, number, plane, stat, varint

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a runtime cannot be loaded first"),
]
PACKAGE = REPOSITORY / "tfperf_plugin"
FLAGS = ("-shared", "-fPIC", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
MUTANTS = 150
SMALL_BYTES = 1 << 16
"""Larger bombs are only read: the whole path takes too long here."""
READ = f"""
import sys
from pathlib import Path
from random import Random
from tests.fuzz.corpus import starts
from tests.fuzz.mutate import mutated
from tests.fuzz.oracles import check_columns, check_path
from tests.readers.xspace.test_hostile import read_all
for path in sorted(Path(sys.argv[1]).iterdir()):
    data = path.read_bytes()
    check_columns(read_all(data))
    if len(data) < {SMALL_BYTES}:
        check_path(data)
begin, random = starts(), Random(1)
for number in range(int(sys.argv[2])):
    data = mutated(random.choice(begin), begin, random)
    check_columns(read_all(data))
    if number % 10 == 0:
        check_path(data)
"""


def test_the_sanitizers_find_nothing(tmp_path: Path) -> None:
    inputs = (*(make() for make in bombs().values()), *starts(), *(path.read_bytes() for path in seeds()))
    assert run(tmp_path, inputs, MUTANTS) == ""


@pytest.mark.parametrize(
    ("without", "hostile", "found"),
    [
        ("count == MAX_EVENT_FIELDS", event(*[stat(number(3, 1))] * 300), "out of bounds"),
        (
            "found->value > (uint64_t)(end - at)",
            event(b"\x22" + varint(1 << 20) + b"\x18"),
            "heap-buffer-overflow",
        ),
    ],
)
def test_the_sanitizers_see_that_a_bound_is_missing(
    tmp_path: Path, without: str, hostile: bytes, found: str
) -> None:
    assert found in run(tmp_path, [plane(line(hostile))], 0, without)


def run(folder: Path, inputs: Sequence[bytes], mutants: int, without: str = "\0") -> str:
    """What a process says that reads everything with a copy of the package, the bound left out of its C."""
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    compiler = shutil.which("gcc") or pytest.skip("there is no gcc")
    runtime = subprocess.run(
        [compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    if not Path(runtime.stdout.strip()).is_absolute():
        pytest.skip("gcc has no sanitizers here")
    for source in (folder / PACKAGE.name).rglob("*.c"):
        source.write_text(source.read_text().replace(without, "0"))
        library = source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
        subprocess.run([compiler, *FLAGS, str(source), "-o", str(library)], check=True)
    environment = {
        **os.environ,
        "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=2",
        "LD_PRELOAD": runtime.stdout.strip(),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": f"{folder}:{REPOSITORY}",
        "TFPERF_COMPILED": "yes",
    }
    (folder / "inputs").mkdir()
    for index, data in enumerate(inputs):
        (folder / "inputs" / str(index)).write_bytes(data)
    command = [sys.executable, "-c", READ, str(folder / "inputs"), str(mutants)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""
