"""Facts about this machine: environment variables, free memory, the NVIDIA driver, links between GPUs."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tfperf_plugin.recording import frameworks
from tfperf_plugin.recording.record import FLAGS, LEFT_OUT, VARIABLES, Link, is_link

# nvidia-smi takes less than a second if the driver is loaded; the training must not wait longer.
TIMEOUT_S: Final = 5

VM_STAT: Final = "/usr/bin/vm_stat"

_PLAIN = re.compile(r"[\w.,;:^+-]{0,64}", re.ASCII)
# Removes the unique ids of GPUs, which are private: GPU-8932f937-…, MIG-GPU-…/1/0.
_IDENTITY = re.compile(r"\b(GPU|MIG)-[\w/-]+", re.ASCII)
# Records switches and numbers only: other flags may hold paths, such as --xla_dump_to=….
_FLAG = re.compile(r"--\w{1,80}(=(true|false|-?\d{1,20}))?", re.ASCII)
_MOST_FLAGS: Final = 10
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_GPU = re.compile(r"GPU(\d{1,3})")


def facts() -> dict[str, Any]:
    """The fields of a ``TrainingRecord`` that this machine and this process tell."""
    return {
        "environment": environment(os.environ),
        "versions": {**frameworks.versions(), **versions()},
        "links": links(),
    }


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables in ``VARIABLES`` that are set; ``LEFT_OUT`` replaces values that are not plain."""
    return {name: _value(name, variables[name]) for name in VARIABLES if name in variables}


def _value(name: str, text: str) -> str:
    if name in FLAGS:
        flags = text.split()
        kept = [flag for flag in flags if _FLAG.fullmatch(flag)][:_MOST_FLAGS]
        return " ".join(kept if len(kept) == len(flags) else [*kept, LEFT_OUT])
    if name == "CUDA_VISIBLE_DEVICES":
        text = _IDENTITY.sub(r"\1", text)
    return text if _PLAIN.fullmatch(text) else LEFT_OUT


def versions() -> dict[str, str]:
    """Versions of Python and, where there is one, of the NVIDIA driver."""
    driver = _nvidia_smi("--query-gpu=driver_version", "--format=csv,noheader").split()[:1]
    return {"python": platform.python_version(), **({"driver": driver[0]} if driver else {})}


def links() -> tuple[Link, ...] | None:
    """The links between this machine's GPUs; None with one GPU or without nvidia-smi."""
    return parse_links(_nvidia_smi("topo", "-m"))


def parse_links(text: str) -> tuple[Link, ...] | None:
    """The links in the output of ``nvidia-smi topo -m``: one row and column per GPU, then other devices."""
    lines = [_ESCAPES.sub("", line).split() for line in text.splitlines()]
    rows = {int(match[1]): line[1:] for line in lines if line and (match := _GPU.fullmatch(line[0]))}
    header = next((line for line in lines if line and _GPU.fullmatch(line[0])), [])
    columns = [int(match[1]) for word in header if (match := _GPU.fullmatch(word))]
    links = [
        Link(row, column, kind)
        for row, kinds in sorted(rows.items())
        for column, kind in zip(columns, kinds, strict=False)
        if row < column and is_link(kind)
    ]
    return tuple(links) or None


def _nvidia_smi(*arguments: str) -> str:
    """The output of nvidia-smi; "" if it is missing, fails or takes longer than ``TIMEOUT_S``."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    import subprocess  # reports ask this module for free memory only

    try:
        done = subprocess.run(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace")


def available_bytes() -> int:
    """Free and reclaimable memory, within a container's limit; 4 GiB where the system does not say."""
    found = [x for x in (_meminfo(), _cgroup(), _vm_stat()) if x is not None]
    return min(found, default=4 << 30)


def _meminfo() -> int | None:
    try:
        (kilobytes,) = re.findall(r"^MemAvailable: +(\d+)", Path("/proc/meminfo").read_text(), re.MULTILINE)
        return int(kilobytes) << 10
    except (OSError, ValueError):
        return None


def _vm_stat() -> int | None:
    """What macOS says: pages that are free, read in advance, or not used lately."""
    if sys.platform != "darwin":
        return None
    import subprocess

    try:
        text = subprocess.run([VM_STAT], capture_output=True, text=True, timeout=5, check=True).stdout
        page_bytes = int(re.findall(r"page size of (\d+) bytes", text)[0])
        pages = re.findall(r"^Pages (?:free|speculative|inactive): +(\d+)\.", text, re.MULTILINE)
        return page_bytes * sum(map(int, pages)) or None
    except (OSError, subprocess.SubprocessError, IndexError):
        return None


def _cgroup() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        most = int((folder / "memory.max").read_text())
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        used = int((folder / "memory.current").read_text()) - int(stat.get("inactive_file", 0))
        return max(0, most - used)
    except (OSError, ValueError):
        return None
