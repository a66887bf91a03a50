"""What fsspec's file systems do: keep old listings, refuse, take their time, are not installed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from io import BytesIO
from typing import Any, ClassVar

import fsspec
import pytest
from etils.epath import backend, gpath
from fsspec.registry import _registry
from fsspec.spec import AbstractFileSystem

from tfperf_plugin.cli import main
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.execution.pipeline import identity
from tfperf_plugin.readers import remote
from tfperf_plugin.readers.logdirs import files, finding
from tfperf_plugin.report.options import Options

FOLDER = "bucket/logs/plugins/profile"
FIRST, SECOND = "2026_01_01_00_00_00", "2026_01_02_00_00_00"


class Bucket(AbstractFileSystem):  # type: ignore[misc]
    """Objects in memory, listed as gcsfs and s3fs list: once, and from then on from what is remembered."""

    protocol = ("gcs", "gs", "s3")
    store: ClassVar[dict[str, bytes]] = {}
    refused: ClassVar[set[str]] = set()
    listed: ClassVar[list[str]] = []
    pause_s: ClassVar[float] = 0.0

    def ls(self, path: str, detail: bool = True, **_: object) -> list[Any]:
        path = self._strip_protocol(path)
        if path not in self.dircache:
            self.dircache[path] = self.ask(path)
        return self.dircache[path] if detail else [row["name"] for row in self.dircache[path]]

    def ask(self, path: str) -> list[dict[str, Any]]:
        self.listed.append(path)
        time.sleep(self.pause_s)
        if path in self.refused:
            raise PermissionError(f"Forbidden: {path}")
        inside = sorted(name for name in self.store if name.startswith(f"{path}/"))
        if not inside:
            raise FileNotFoundError(path)
        rows = {}
        for name in inside:
            first, _, more = name[len(path) + 1 :].partition("/")
            kind = "directory" if more else "file"
            rows[first] = {"name": f"{path}/{first}", "size": len(self.store[name]), "type": kind}
        return list(rows.values())

    def info(self, path: str, **_: object) -> dict[str, Any]:
        path = self._strip_protocol(path)
        found: dict[str, Any] = {row["name"]: row for row in self.ls(self._parent(path))}[path]
        return found

    def modified(self, path: str) -> datetime:
        return datetime(2026, 1, 1, tzinfo=timezone.utc)

    def invalidate_cache(self, path: str | None = None) -> None:
        self.dircache.clear()

    def open(self, path: str, mode: str = "rb", **_: object) -> BytesIO:
        if self._strip_protocol(path) in self.refused:
            raise ValueError("Forbidden: no storage.objects.get")
        return BytesIO(self.store[self._strip_protocol(path)])


@pytest.fixture(params=["gs", "s3"])
def address(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address below which one run lies, in a ``Bucket`` instead of gcsfs and s3fs."""
    monkeypatch.setattr(gpath, "_is_tf_installed", lambda: False)
    for name, value in {"store": {}, "refused": set(), "listed": [], "pause_s": 0.0}.items():
        monkeypatch.setattr(Bucket, name, value)
    for name in Bucket.protocol:
        monkeypatch.setitem(_registry, name, Bucket)
    add(FIRST)
    forget()
    yield f"{request.param}://bucket/logs"
    forget()


def forget() -> None:
    backend._FileSystemSpecBackend._get_filesystem.cache_clear()
    Bucket.clear_instance_cache()
    finding._recently.forget()


def add(run: str, content: bytes = b"profile") -> None:
    Bucket.store[f"{FOLDER}/{run}/vm.xplane.pb"] = content


def names(address: str) -> list[str]:
    return [run.name for run in finding.find_runs(address)]


def test_new_runs_are_seen(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "FRESH_S", 0.0)
    assert names(address) == [FIRST]
    add(SECOND)

    assert names(address) == [SECOND, FIRST]


def test_a_profile_that_grew_is_another_one(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "FRESH_S", 0.0)
    (before,) = finding.find_runs(address)
    old = identity(before, Options())
    add(FIRST, b"a longer profile")
    (after,) = finding.find_runs(address)

    assert files.size_and_time(after.hosts[0].path) == (16, 1_767_225_600 * 10**9)
    assert identity(after, Options()) != old


def test_many_who_ask_at_once_cost_one_walk(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bucket, "pause_s", 0.02)
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(names(address))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [[FIRST]] * 20
    assert Bucket.listed == ["bucket/logs", "bucket/logs/plugins", FOLDER, f"{FOLDER}/{FIRST}"]


def test_errors_are_not_remembered(address: str) -> None:
    Bucket.refused.add("bucket/logs")
    with pytest.raises(UnreadableInput):
        names(address)
    Bucket.refused.clear()

    assert names(address) == [FIRST]


def test_a_refused_log_directory_is_not_an_empty_one(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Bucket.refused.add("bucket/logs")

    assert main(["runs", address]) == 2
    assert f"The log directory {address} cannot be read: Forbidden: bucket/logs" in capsys.readouterr().err


def test_a_refused_directory_inside_hides_only_itself(address: str) -> None:
    Bucket.store["bucket/logs/other/file"] = b""
    Bucket.refused.add("bucket/logs/other")

    assert names(address) == [FIRST]


def test_a_refused_profile_is_named_with_the_reason(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    Bucket.refused.add(f"{FOLDER}/{FIRST}/vm.xplane.pb")

    assert main(["report", address]) == 2
    assert capsys.readouterr().err == (
        f"tfperf: {address}/plugins/profile/{FIRST}/vm.xplane.pb: "
        "The profile of host vm cannot be read: Forbidden: no storage.objects.get.\n"
    )


@pytest.mark.parametrize(("scheme", "package"), [("gs", "gcsfs"), ("s3", "s3fs"), ("az", "adlfs")])
def test_what_is_not_installed_is_named(
    scheme: str, package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpath, "_is_tf_installed", lambda: False)
    forget()

    def missing(name: str, **_: object) -> None:
        raise ImportError(f"Install {package} to access it")

    monkeypatch.setattr(fsspec, "filesystem", missing)

    assert main(["report", f"{scheme}://bucket/logs"]) == 2
    said = capsys.readouterr().err
    assert f"{scheme}:// needs the package {package}; pip install {package}." in said
    forget()


def test_tensorflow_without_its_extension_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorFlow's walk says "not found"; only what it says of the directory itself tells why."""
    error = RuntimeError("File system scheme 's3' not implemented (file: 's3://bucket/logs')")

    class NotFoundError(Exception):
        pass

    class WithTensorFlow:
        def walk(self, top: str, *, top_down: bool, on_error: Callable[[Exception], None]) -> Iterator[Any]:
            on_error(NotFoundError("Could not find directory"))
            yield from ()

        def stat(self, path: str) -> None:
            raise error

    monkeypatch.setattr(gpath.PosixGPath, "_backend", property(lambda _: WithTensorFlow()))
    forget()
    with pytest.raises(UnreadableInput, match="TensorFlow reads s3:// only with tensorflow-io"):
        finding.find_runs("s3://bucket/logs")

    assert remote.reason("s3://bucket/logs", error) == (
        "TensorFlow reads s3:// only with tensorflow-io; pip install tensorflow-io, "
        "or set EPATH_USE_TF=false and pip install s3fs."
    )


def test_other_addresses_are_said_to_be_unreadable(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "hdfs://cluster/logs"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "tfperf: Addresses with hdfs:// cannot be read, only gs://, s3://, az:// and local directories.\n"
    )


@pytest.mark.parametrize(
    ("address", "said", "command"),
    [
        (
            "gs://bucket/logs",
            "libcurl code 6, error details: Could not resolve host: www.googleapis.com",
            "gcloud",
        ),
        ("gs://bucket/logs", "Cannot connect to host storage.googleapis.com:443 ssl:default", "gcloud"),
        (
            "s3://bucket/logs",
            'Could not connect to the endpoint URL: "https://b.s3.amazonaws.com/"',
            "aws s3",
        ),
    ],
)
def test_without_network_it_says_what_to_do(address: str, said: str, command: str) -> None:
    reason = remote.reason(address, OSError(said))

    assert reason.startswith(f"this machine does not reach {address[:5]}. Check its network, or copy")
    assert f"give the copy: {command}" in reason and said not in reason
