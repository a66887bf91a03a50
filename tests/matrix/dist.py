"""Builds wheels and sdist, and tries each in a clean environment: ``python -m tests.matrix.dist DIST``.

One wheel holds compiled code for this kind of machine, the other none and serves everywhere. What is in them
must be the same package; each is installed as a user does, with its dependencies, the sdist without compiler.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.matrix import environment
from tests.matrix.cells import Cell
from tests.matrix.runs import logdir_of_all
from tests.wheels import make_environment, pip
from tfperf_plugin.version import __version__

GLIBC = (2, 17)
NEEDED_TO_BUILD = {"setup.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE", "MANIFEST.in"}
NEEDED_TO_WORK_ON = {"CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "Makefile", ".ci/setup"}


def main(dist: Path) -> int:
    dist.mkdir(exist_ok=True)
    if left := sorted(path.name for path in dist.iterdir()):
        print(f"{dist} is not empty: {', '.join(left)}. Empty it first.", file=sys.stderr)
        return 2
    # The wheel is built from the sdist, as by whoever installs that.
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(dist), str(REPOSITORY)], check=True)
    (built,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    compiled = for_old_systems(built)
    os.environ["TFPERF_COMPILED"] = "no"
    pip("wheel", "--no-deps", "--wheel-dir", str(dist), str(sdist))
    del os.environ["TFPERF_COMPILED"]
    (pure,) = dist.glob("*-py3-none-any.whl")
    compare(compiled, sdist, libraries=2)
    compare(pure, sdist, libraries=0)
    os.environ["CC"] = "false"
    with tempfile.TemporaryDirectory(prefix="tfperf-dist-") as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        logdir, runs = logdir_of_all(Path(folder) / "logdir")
        for path in (compiled, pure, sdist):
            smoke(path, Path(folder) / path.name, logdir, runs[0])
            print(f"{path.name}: {path.stat().st_size:,} bytes, installed and tried")
    return 0


def for_old_systems(wheel: Path) -> Path:
    """The wheel under the name that says which versions of glibc its code runs with, where that is Linux's.

    auditwheel asks the same: libc alone is linked, and no symbol of it is newer than glibc 2.17.
    """
    if "-linux_" not in wheel.name:
        return wheel
    with zipfile.ZipFile(wheel) as archive:
        code = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".so"))
    assert {*re.findall(rb"lib[\w+-]+\.so[.\d]*", code)} <= {b"libc.so.6"}
    assert max(tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", code)) <= GLIBC
    tag = f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{platform.machine()}"
    command = [sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return wheel.with_name(done.stdout.strip())


def compare(wheel: Path, sdist: Path, libraries: int) -> None:
    """The wheel holds the package and compiled libraries; the sdist also all that is needed to work on it."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        packaged = {name for name in names if not name.endswith((".so", ".pyd"))}
    assert len(names - packaged) == libraries, f"{wheel.name}: {sorted(names - packaged)}"
    with tarfile.open(sdist) as archive:
        source = {name.partition("/")[2] for name in archive.getnames()}
    here = {
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / "tfperf_plugin").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".so", ".pyd")
    }
    assert packaged <= here, f"only in the wheel: {sorted(packaged - here)[:5]}"
    assert here - packaged <= {name for name in here if name.endswith(".c")}, sorted(here - packaged)[:5]
    assert here <= source, f"missing in the sdist: {sorted(here - source)[:5]}"
    missing = (NEEDED_TO_BUILD | NEEDED_TO_WORK_ON) - source
    assert not missing, f"missing in the sdist: {sorted(missing)}"


def smoke(path: Path, folder: Path, logdir: Path, run: str) -> None:
    """Installs a built file with its dependencies into a clean environment and tries it."""
    programs = make_environment(folder)
    python = programs / "python"
    pip("--python", str(python), "install", str(path))
    pip("--python", str(python), "check")
    said = subprocess.run([programs / "tfperf", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"tfperf {__version__}\n", said.stdout
    report = environment.report(python, logdir, run)
    assert report["findings"], "the demo run has findings"
    served = environment.served(python, Cell(path.name, ()), logdir, run)
    assert environment.differences(report, served) == []


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
