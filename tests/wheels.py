"""The wheel, and environments with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from tests.conftest import REPOSITORY

PACKAGED = ("setup.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE", "tfperf_plugin")


def pip(*arguments: str) -> str:
    """What pip prints. Raises AssertionError with what it says if it fails."""
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"pip {' '.join(arguments)}\n{done.stdout}{done.stderr}"
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Built from a copy, as building leaves folders behind."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name in PACKAGED:
        if (REPOSITORY / name).is_dir():
            left = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
            shutil.copytree(REPOSITORY / name, source / name, ignore=left)
        else:
            shutil.copyfile(REPOSITORY / name, source / name)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (path,) = folder.glob("*.whl")
    return path


def make_environment(folder: Path) -> Path:
    """The folder of programs of a fresh environment, without pip."""
    venv.create(folder, with_pip=False, symlinks=True)
    return folder / ("Scripts" if os.name == "nt" else "bin")


def install_beside(wheel: Path, folder: Path) -> Path:
    """The programs of a fresh environment with the wheel, whose dependencies are those at hand."""
    programs = make_environment(folder)
    pip("--python", str(programs / "python"), "install", "--no-deps", "--no-index", str(wheel))
    (site_packages,) = folder.glob("**/site-packages")
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs
