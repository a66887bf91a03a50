"""A host that is broken costs its own part of the report, and the other hosts nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.logdirs import many_hosts
from tfperf_plugin.errors import Canceled, UnreadableInput
from tfperf_plugin.execution import analyze
from tfperf_plugin.execution.analyze import analyze_run, build_report
from tfperf_plugin.execution.hosts import analyze_host, survey_host
from tfperf_plugin.execution.pool import HostPool
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.readers.logdirs.runs import HostFile, Run
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.render.text import to_text

BUG = "Host worker001: tfperf itself failed on it (TypeError). Please report this."


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return resolve(str(many_hosts(tmp_path, 4)))


@pytest.fixture
def pool() -> Iterator[HostPool]:
    with HostPool(2, 2 << 30) as found:
        yield found


def broken(run: Run, *hosts: str) -> None:
    for host in run.hosts:
        if host.host in hosts:
            Path(str(host.path)).write_bytes(b"no profile" * 100)


def fails(monkeypatch: pytest.MonkeyPatch, work: Any, error: Exception) -> None:
    """Has one host fail in this pass."""

    def failing(file: HostFile, *args: Any, **options: Any) -> Any:
        if file.host == "worker001":
            raise error
        return work(file, *args, **options)

    monkeypatch.setattr(analyze, work.__name__, failing)


@pytest.mark.parametrize("apart", [False, True])
def test_a_file_that_is_no_profile_is_left_out_and_said(run: Run, pool: HostPool, apart: bool) -> None:
    broken(run, "worker001")

    found = analyze_run(run, executor=pool if apart else None).report

    without = replace(run, hosts=tuple(host for host in run.hosts if host.host != "worker001"))
    wanted = build_report(without)
    same = {"anomalies": (), "omitted": (), "timing": (), "words": ()}
    others = {**same, "capture_quality": wanted.capture_quality}
    assert replace(found, **others) == replace(wanted, **same)
    assert found.capture_quality
    assert any(reason.text.startswith("Host worker001: ") for reason in found.capture_quality.reasons)
    (row,) = [row for row in found.anomalies if row not in wanted.anomalies]
    assert (row.name, row.count, row.severity) == ("host-left-out", 1, "data_loss")
    assert row.sentence.startswith("Host worker001: ")
    said = f"1 of 4 hosts is left out of this report. {row.sentence}"
    assert [(omitted.what, omitted.hosts, omitted.sentence) for omitted in found.omitted] == [
        ("host", ("worker001",), said)
    ]
    assert said in to_text(found, color=False)


def test_several_are_counted_and_the_first_is_explained(run: Run) -> None:
    broken(run, "worker000", "worker002", "worker003")

    found = build_report(run)

    assert found.hosts == ("worker001",)
    assert [row.count for row in found.anomalies if row.name == "host-left-out"] == [3]
    assert found.omitted[0].sentence.startswith(
        "3 of 4 hosts are left out of this report (worker000, worker002 and worker003). Host worker000: "
    )


def test_if_all_are_broken_the_first_is_named(run: Run) -> None:
    broken(run, *(host.host for host in run.hosts))

    with pytest.raises(UnreadableInput, match=r"^Host worker000: "):
        build_report(run)


@pytest.mark.parametrize("work", [survey_host, analyze_host])
def test_an_error_of_tfperf_itself_costs_one_host(
    run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, work: Any
) -> None:
    fails(monkeypatch, work, TypeError("unhashable"))

    found = build_report(run)

    assert found.hosts == ("worker000", "worker002", "worker003")
    assert [row.sentence for row in found.anomalies if row.name == "host-left-out"] == [BUG]
    assert "host worker001 could not be analyzed" in caplog.text


def test_an_error_of_tfperf_itself_on_the_only_host_is_raised(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails(monkeypatch, survey_host, TypeError("unhashable"))
    only = replace(run, hosts=tuple(host for host in run.hosts if host.host == "worker001"))

    with pytest.raises(TypeError, match="unhashable"):
        build_report(only)


@pytest.mark.parametrize("error", [Canceled("enough"), MemoryError(), ConnectionError("lost")], ids=repr)
def test_what_is_no_fault_of_a_file_ends_the_run(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    fails(monkeypatch, survey_host, error)

    with pytest.raises(type(error)):
        build_report(run, Options())
