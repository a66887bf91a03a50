"""What ``make lock`` wrote: versions for all that ``setup.py`` asks for, each with its hashes."""

from __future__ import annotations

import re
import runpy
from functools import cache
from typing import Any
from unittest.mock import patch

import pytest
from packaging.requirements import Requirement

from tests.conftest import REPOSITORY

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
SYSTEMS = {
    "Linux": {"sys_platform": "linux", "platform_machine": "x86_64", "os_name": "posix"},
    "Linux on ARM": {"sys_platform": "linux", "platform_machine": "aarch64", "os_name": "posix"},
    "macOS": {"sys_platform": "darwin", "platform_machine": "arm64", "os_name": "posix"},
}
PIN = re.compile(r"([a-z0-9.-]+)==([\w.]+)( ; [^\\\n]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")
ENVIRONMENTS = pytest.mark.parametrize(
    "environment",
    [
        pytest.param(
            {"python_version": python, "python_full_version": f"{python}.1"} | system, id=f"{name}, {python}"
        )
        for python in PYTHONS
        for name, system in SYSTEMS.items()
    ],
)


@cache
def text_of(lock: str) -> str:
    return (REPOSITORY / ".ci" / "locks" / f"{lock}.txt").read_text(encoding="utf-8")


def locked(lock: str, environment: dict[str, str]) -> dict[str, str]:
    """Name → version of what is installed there; no name has two."""
    found = [
        (name, version)
        for name, version, marker, _ in PIN.findall(text_of(lock))
        if applies(Requirement(name + marker), environment)
    ]
    assert len(found) == len(dict(found))
    return dict(found)


def applies(requirement: Requirement, environment: dict[str, str]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(environment)


@cache
def stated() -> dict[str, Any]:
    """What ``setup.py`` says to setuptools."""
    with patch("setuptools.setup") as setup:
        runpy.run_path(str(REPOSITORY / "setup.py"))
    return dict(setup.call_args.kwargs)


@pytest.mark.parametrize("lock", ["build", "demo", "test"])
def test_a_lock_holds_versions_with_hashes_and_nothing_else(lock: str) -> None:
    rest = PIN.sub("", text_of(lock))

    assert rest != text_of(lock)
    assert [line for line in rest.splitlines() if not re.fullmatch(r"#[ \w]+[.:]?", line)] == []


@ENVIRONMENTS
@pytest.mark.parametrize("extra", ["demo", "test"])
def test_locked_versions_are_within_the_bounds(extra: str, environment: dict[str, str]) -> None:
    pins = locked(extra, environment)
    lines = (*stated()["install_requires"], *stated()["extras_require"][extra])
    asked = [requirement for line in lines if applies(requirement := Requirement(line), environment)]
    wrong = [
        str(requirement)
        for requirement in asked
        if not ((pin := pins.get(requirement.name)) and requirement.specifier.contains(pin))
    ]

    assert len(asked) > len(stated()["extras_require"][extra])
    assert wrong == []


@ENVIRONMENTS
def test_demo_and_tests_share_an_environment(environment: dict[str, str]) -> None:
    """What one set-up installs, the next does not replace."""
    everything = locked("test", environment)

    for lock in ("build", "demo"):
        pins = locked(lock, environment)
        assert pins
        assert {name: everything.get(name, version) for name, version in pins.items()} == pins
