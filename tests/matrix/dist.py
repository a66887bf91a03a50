"""Builds wheel and sdist, and tries both in clean environments: ``python -m tests.matrix.dist DIST``.

What is in them must be the same package; each is installed as a user does, with its dependencies.
"""

from __future__ import annotations

import os
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

NEEDED_TO_BUILD = {"setup.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE", "MANIFEST.in"}
NEEDED_TO_WORK_ON = {"CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "Makefile", ".ci/setup"}


def main(dist: Path) -> int:
    dist.mkdir(exist_ok=True)
    if left := sorted(path.name for path in dist.iterdir()):
        print(f"{dist} is not empty: {', '.join(left)}. Empty it first.", file=sys.stderr)
        return 2
    # The wheel is built from the sdist, as by whoever installs that.
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(dist), str(REPOSITORY)], check=True)
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    compare(wheel, sdist)
    with tempfile.TemporaryDirectory(prefix="tfperf-dist-") as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        logdir, runs = logdir_of_all(Path(folder) / "logdir")
        for path in (wheel, sdist):
            smoke(path, Path(folder) / path.name, logdir, runs[0])
            print(f"{path.name}: {path.stat().st_size:,} bytes, installed and tried")
    return 0


def compare(wheel: Path, sdist: Path) -> None:
    """The wheel holds the package and nothing else; the sdist also all that is needed to work on it."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        packaged = {name for name in names if not name.endswith((".so", ".pyd"))}  # where there is a compiler
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
