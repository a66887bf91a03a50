"""Every route with every hostile value: no file of others, the right headers, no accident."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import time
from itertools import product
from pathlib import Path
from typing import NoReturn

import pytest
from werkzeug.test import Client, TestResponse

from tests.builders import Host
from tests.logdirs import add_run
from tests.security.hostile import PAYLOAD
from tests.tensorboard.test_routes import ROOT, get, make_client
from tests.tensorboard.test_service import Gate
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.tensorboard import plugin as plugin_module
from tfperf_plugin.tensorboard.jobs import MAX_WAITING
from tfperf_plugin.tensorboard.plugin import DATA_POLICY, EXPORT_POLICY

SECRET = "correct-horse-battery-staple"
ROUTES = {
    "runs": (),
    "trials": (),
    "report": ("run", "parameters", "bandwidth", "threshold"),
    "export": ("run", "format", "parameters", "bandwidth", "threshold"),
    "timeline": ("run", "step", "host", "begin_ms", "end_ms", "width", "spans", "order", "lane"),
    "slice": ("run", "host", "begin_ms", "end_ms"),
    "compare": ("base", "new", "drift"),
    "predict": ("run", "without"),
    "rules": (),
    "glossary": (),
    "page": ("rule",),
}
"""Route → what it takes."""
GOOD = {
    "run": "run", "format": "json", "step": "1", "base": "run", "new": "other", "rule": "input-bound",
    "parameters": "5", "bandwidth": "5", "threshold": "severity:info=1%", "host": "host", "without": "x",
    "begin_ms": "1", "end_ms": "2", "width": "9", "spans": "9",
    "drift": "5 %", "order": "late", "lane": "kernels",
}  # fmt: skip
TYPES = {
    "application/json", "text/markdown; charset=utf-8", "text/html; charset=utf-8", "text/javascript; charset=utf-8",
    "application/gzip",
}  # fmt: skip


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Two runs, one with links that lead outside, and secrets around them."""
    path = tmp_path / "logs"
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "secret.xplane.pb").write_text(SECRET)
    add_run(tmp_path / "outside", "run", "host")
    (tmp_path / "outside" / "plugins" / "profile" / "run" / "host.xplane.pb").write_text(SECRET)
    add_profile(path)
    linked = add_run(path, "other", "host")
    (linked / "secret.xplane.pb").symlink_to(tmp_path / "secret.txt")
    return path


def add_profile(logdir: Path) -> None:
    """A run that can be analysed, of one host."""
    host = Host().trained(4, 1, lambda host, at: host.kernel(at, at + 0.5))
    (add_run(logdir, "run", "host") / "host.xplane.pb").write_bytes(host.to_bytes())


@pytest.fixture
def client(logdir: Path) -> Client:
    """The routes with the real analysis, so that what is in the files could show."""
    return make_client(logdir, analyze_run)[0]


def hostile_values(root: Path) -> tuple[str, ...]:
    up = "../" * 12
    return (
        "", ".", "..", "/", "../secret", "../secret.txt", "../outside/run", "..\\secret.txt", "%2e%2e%2fsecret.txt",
        "..%2fsecret.txt", "....//secret.txt", f"{up}etc/passwd", "/etc/passwd", "file:///etc/passwd",
        str(root / "secret.txt"), str(root / "outside"), f"{root}/outside/plugins/profile/run", "run\0", "run/../run",
        "run/host", "run/host.xplane.pb", "RUN", "run ", "gs://bucket/x", "http://127.0.0.1/", "C:\\x", "~/x", "$HOME",
        PAYLOAD, "\r\nSet-Cookie: a=1", "\ud7ff\uffff", "x" * 20_000, "9" * 20_000, "-1", "1e999", "nan", "__class__",
    )  # fmt: skip


def assert_safe(response: TestResponse) -> None:
    assert response.status_code in (200, 202, 400, 404, 405, 422), response.text[:200]
    assert response.content_type in TYPES
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "no-cache, must-revalidate"
    policy = response.headers["Content-Security-Policy"]
    if response.content_type.startswith("text/html"):
        assert (
            policy == EXPORT_POLICY if "Content-Disposition" in response.headers else "default-src" in policy
        )
    else:
        assert policy == DATA_POLICY
    assert not {"Set-Cookie", "X-Injected", "Access-Control-Allow-Origin"} & set(response.headers.keys())
    text = gzip.decompress(response.data) if response.content_encoding == "gzip" else response.data
    assert SECRET.encode() not in text and b"root:" not in text


def test_no_value_of_no_argument_leads_outside(client: Client, logdir: Path) -> None:
    for route, arguments in ROUTES.items():
        for hostile, value in product(arguments, hostile_values(logdir.parent)):
            query = {name: GOOD[name] for name in arguments} | {hostile: value}
            response = client.get(f"{ROOT}/{route}", query_string=query)
            assert_safe(response)
            if hostile in ("run", "base", "new", "rule"):
                assert response.status_code in (400, 404), (route, hostile, value)


def test_what_is_no_profile_is_not_quoted(client: Client) -> None:
    """A link in the log directory is followed: who put it there could have put the file there. But only what
    is a profile is ever shown."""
    for route in ("report", "export", "timeline", "predict"):
        while (response := get(client, route, run="other", format="json", step="1")).status_code == 202:
            pass
        assert response.status_code == 422
        assert_safe(response)


def test_every_kind_of_answer_has_its_headers(tmp_path: Path) -> None:
    add_profile(tmp_path)
    client, _ = make_client(tmp_path, analyze_run)
    asked = [(route, {name: GOOD[name] for name in names}) for route, names in ROUTES.items()]
    asked += [("export", {"run": "run", "format": form}) for form in ("markdown", "json", "html")]
    asked += [
        ("page", {}),
        ("static/index.js", {}),
        ("static/../plugin.py", {}),
        ("report", {}),
        ("report", {"run": "run"}),
        ("export", {}),
    ]

    for route, query in asked:
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
            response = client.open(f"{ROOT}/{route}", method=method, query_string=query)
            assert_safe(response)
            assert (response.status_code == 405) == (method not in ("GET", "HEAD"))
            for accepted in ("gzip", "identity"):
                assert_safe(
                    client.get(f"{ROOT}/{route}", query_string=query, headers={"Accept-Encoding": accepted})
                )


def test_sentences_name_runs_not_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", 60)
    broken = tmp_path / "logs"
    asked = [get(make_client(tmp_path)[0], "report", run="run")]
    add_run(broken, "run", "host")
    add_run(broken, "other", "host")
    client, _ = make_client(broken, analyze_run)
    asked.append(get(client, "report", run="none"))
    asked.append(get(client, "compare", base="run", new="none"))
    asked.append(get(client, "report", run="run"))
    with monkeypatch.context() as forbidden:
        forbidden.setattr(os, "scandir", refuse)
        asked.append(get(client, "runs"))
    shutil.rmtree(broken)
    asked.append(get(client, "report", run="run"))

    assert [response.status_code for response in asked] == [404, 404, 404, 422, 422, 404]
    assert asked[4].json is not None
    assert asked[4].json["error"] == "The log directory cannot be read: Permission denied."
    for response in asked:
        assert str(tmp_path) not in response.text


def refuse(path: object) -> NoReturn:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("threshold", ["gpu-stagger:spread-of-first-kernels:3 %"] * 5000),
        ("threshold", ["a-" * 30 + ":" + "b-" * 45 + ":" + "9" * 40] * 2000),
        ("threshold", [" " * 60_000 + "x"]),
        ("threshold", ["a" * 60 + ":" + " " * 60_000]),
        ("parameters", ["1" * 60_000]),
        ("parameters", ["1," + "111," * 15_000]),
        ("parameters", [" " * 60_000]),
        ("parameters", ["1e" + "9" * 60_000]),
        ("bandwidth", ["1" + " " * 60_000 + "x"]),
        ("bandwidth", ["NVLink" + "_- " * 20_000]),
        ("bandwidth", [("1 GB/s " + "( " * 30_000)]),
        ("run", ["/" * 60_000]),
        ("run", ["x"] * 10_000),
        ("without", ["a," * 30_000]),
        ("step", ["-" + "1" * 60_000]),
        ("begin_ms", ["1" * 60_000]),
        ("width", ["1" * 60_000]),
        ("rule", ["a" * 60_000]),
    ],
)
def test_no_argument_takes_long_to_refuse(tmp_path: Path, name: str, values: list[str]) -> None:
    add_profile(tmp_path)
    client, _ = make_client(tmp_path, analyze_run)
    get(client, "export", run="run", format="json")  # the report is there
    for route, arguments in ROUTES.items():
        if name in arguments:
            query = [(key, GOOD[key]) for key in arguments if key != name] + [
                (name, value) for value in values
            ]
            began = time.process_time()
            response = client.get(f"{ROOT}/{route}", query_string=query)
            assert time.process_time() - began < 1
            assert_safe(response)
            assert len(response.data) < (100_000 if response.status_code == 200 else 500)


def test_more_reports_than_can_be_made_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with thresholds of its own, asked for as fast as one can ask."""
    monkeypatch.setattr(plugin_module, "QUICK_S", 0)
    add_run(tmp_path, "run", "host")
    gate = Gate()
    client, _ = make_client(tmp_path, gate)

    asked = [get(client, "report", run="run", parameters=str(n + 1)) for n in range(MAX_WAITING + 5)]
    known = get(client, "report", run="run", parameters="1")
    gate.opened.set()

    assert [response.status_code for response in asked] == [202] * MAX_WAITING + [503] * 5
    assert asked[-1].json["kind"] == "busy"  # type: ignore[index]
    assert known.status_code in (200, 202)
