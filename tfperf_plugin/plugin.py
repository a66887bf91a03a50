"""The TensorBoard plugin: routes only. Each ``x_route`` reads the request, each ``x_impl`` is plain Python.

``http_api.md`` describes the routes with examples.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tensorboard import plugin_util
from tensorboard.backend import http_util
from tensorboard.plugins import base_plugin
from werkzeug import wrappers

from tfperf_plugin import pages, rules, runs
from tfperf_plugin.errors import NotJudgeable, RunNotFound, TfperfError
from tfperf_plugin.pages.html import document
from tfperf_plugin.report import whatif
from tfperf_plugin.report.options import BadOptionError, Options, parse_options
from tfperf_plugin.report.render import to_json
from tfperf_plugin.service import ReportCache, ReportService, Running

PLUGIN_NAME = "diagnostics"
TAB_NAME = "Diagnostics"
QUICK_S = 0.3
"""A report that is made within this many seconds is answered at once, without polling."""
RESCAN_S = 10.0
"""At most this often the background looks whether there are profiles by now."""

STATIC_FOLDER = Path(__file__).parent / "static"
MIME_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
"""What may be served, and as what: the mime types of a machine's registry differ."""

_log = logging.getLogger(__name__)

Answer = tuple[int, Mapping[str, Any]]


class DiagnosticsPlugin(base_plugin.TBPlugin):  # type: ignore[misc]  # TensorBoard has no types
    """Serves the runs, their reports and the front end. ``service`` is given in tests only."""

    plugin_name = PLUGIN_NAME

    def __init__(self, context: base_plugin.TBContext, service: ReportService | None = None) -> None:
        self._logdir = context.logdir or ""
        self._logdir_spec = getattr(context.flags, "logdir_spec", "") or ""
        self._service = service or ReportService(cache=ReportCache())
        self._active = False
        self._scan_lock = threading.Lock()
        self._next_scan_s = 0.0

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        """The routes below ``data/plugin/diagnostics``."""
        return {
            "/runs": _app(self.runs_route),
            "/report": _app(self.report_route),
            "/predict": _app(self.predict_route),
            "/rules": _app(self.rules_route),
            "/page": _app(self.page_route),
            "/static/*": _app(self.static_route),
        }

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        """The tab's name and its module."""
        return base_plugin.FrontendMetadata(es_module_path="/static/index.js", tab_name=TAB_NAME)

    def is_active(self) -> bool:
        """Whether there are profiles, as far as is known: TensorBoard's tab bar waits for this."""
        if not self._active:
            self.look_for_runs()
        return self._active

    def look_for_runs(self) -> None:
        """Looks in the background whether there are profiles, unless it has done so just now."""
        with self._scan_lock:
            if time.monotonic() < self._next_scan_s:
                return
            self._next_scan_s = math.inf
        threading.Thread(target=self._scan, name="tfperf-scan", daemon=True).start()

    def _scan(self) -> None:
        try:
            found = bool(self._runs()) if self._logdir_spec else runs.has_runs(self._logdir)
        except TfperfError as error:
            _log.info("%s", error)
            found = False
        self._active = found
        self._next_scan_s = time.monotonic() + RESCAN_S

    def runs_route(self, request: wrappers.Request) -> wrappers.Response:
        """``runs``: the log directory is read anew each time, so new runs show up without a restart."""
        return _respond(request, self.runs_impl)

    def runs_impl(self) -> Answer:
        """The runs and their hosts, newest first."""
        found = self._runs()
        self._active = self._active or bool(found)
        return 200, runs.listing(found)

    def report_route(self, request: wrappers.Request) -> wrappers.Response:
        """``report?run=…[&parameters=…][&bandwidth=…]``."""
        return _respond(
            request,
            lambda: self.report_impl(
                request.args.get("run", ""),
                parse_options(request.args.get("parameters"), request.args.get("bandwidth")),
            ),
        )

    def report_impl(self, name: str, options: Options) -> Answer:
        """The report of the run called ``name``, or how far its computation is. Raises TfperfError."""
        if not name:
            raise BadOptionError("The request names no run: report?run=RUN.")
        run = runs.choose(self._runs(), name, self._logdir_spec or self._logdir)
        report = self._service.request(run, options, QUICK_S)
        if isinstance(report, Running):
            return _running(report)
        return 200, to_json(report)

    def predict_route(self, request: wrappers.Request) -> wrappers.Response:
        """``predict?run=…[&without=…][&parameters=…][&bandwidth=…]``."""
        return _respond(
            request,
            lambda: self.predict_impl(
                request.args.get("run", ""),
                parse_options(request.args.get("parameters"), request.args.get("bandwidth")),
                whatif.parse_without(request.args.get("without")),
            ),
        )

    def predict_impl(self, name: str, options: Options, without: tuple[str, ...]) -> Answer:
        """The step of a run without these findings, or how far its report is. Raises TfperfError."""
        if not name:
            raise BadOptionError("The request names no run: predict?run=RUN.")
        run = runs.choose(self._runs(), name, self._logdir_spec or self._logdir)
        report = self._service.request(run, options, QUICK_S)
        if isinstance(report, Running):
            return _running(report)
        arrays = self._service.arrays(run, options, QUICK_S)
        if isinstance(arrays, Running):
            return _running(arrays)
        return 200, whatif.to_json(whatif.prediction(report, arrays, without))

    def rules_route(self, request: wrappers.Request) -> wrappers.Response:
        """``rules``."""
        return _respond(request, self.rules_impl)

    def rules_impl(self) -> Answer:
        """Every rule with what it says, why it matters, and the guide's section."""
        listed = [
            {
                "id": rule.id,
                "title": rule.title,
                "group": rule.group,
                "why": rule.why,
                "guide": {"section": rule.guide.section, "url": rule.guide.url},
            }
            for rule in rules.catalogue()
        ]
        return 200, {"rules": listed}

    def page_route(self, request: wrappers.Request) -> wrappers.Response:
        """``page[?rule=…]``: for people, who come here by a link in the tab."""
        found = self.page_impl(request.args.get("rule", pages.INDEX))
        if found is None:
            return _respond(request, _no_such_page)
        return _response(request, found, "text/html")

    def page_impl(self, name: str) -> str | None:
        """The page of a rule as an HTML document; None if there is none. ``name`` is only looked up."""
        text = pages.read(name)
        return None if text is None else document(text, plugin_util.markdown_to_safe_html)

    def static_route(self, request: wrappers.Request) -> wrappers.Response:
        """``static/*``: the built front end."""
        found = self.static_impl(request.path.partition(f"/{PLUGIN_NAME}/static/")[2])
        if found is None:
            return _respond(request, _no_such_file)
        content, mime_type = found
        return _response(request, content, mime_type)

    def static_impl(self, name: str) -> tuple[bytes, str] | None:
        """The file of the front end called ``name`` and its mime type; None outside its folder."""
        for path in STATIC_FOLDER.iterdir():
            if path.name == name and path.suffix in MIME_TYPES and path.is_file():
                return path.read_bytes(), MIME_TYPES[path.suffix]
        return None

    def _runs(self) -> tuple[runs.Run, ...]:
        if self._logdir_spec:
            return runs.find_runs_of_spec(self._logdir_spec)
        return runs.find_runs(self._logdir) if self._logdir else ()


def _app(route: Callable[[wrappers.Request], wrappers.Response]) -> Callable[..., Any]:
    @wrappers.Request.application
    def app(request: wrappers.Request) -> wrappers.Response:
        if request.method in ("GET", "HEAD"):
            return route(request)
        body = {"error": f"{request.method} is not allowed here; use GET.", "kind": "bad_request"}
        return _response(request, body, "application/json", 405, headers=[("Allow", "GET, HEAD")])

    return app


def _respond(request: wrappers.Request, impl: Callable[[], Answer]) -> wrappers.Response:
    """What ``impl`` answers, as JSON; its errors as a status, a sentence and a kind."""
    try:
        code, body = impl()
    except TfperfError as error:
        code, kind = _status_of(error)
        body = {"error": str(error), "kind": kind}
    except Exception:
        _log.exception("The request %s failed.", request.full_path)
        code = 500
        body = {"error": "tfperf failed on this profile; TensorBoard's log says why.", "kind": "internal"}
    return _response(request, body, "application/json", code)


def _response(request: wrappers.Request, *arguments: Any, **options: Any) -> wrappers.Response:
    # TensorBoard's own: compression, nosniff, content security policy, no caching.
    response: wrappers.Response = http_util.Respond(request, *arguments, **options)
    return response


def _status_of(error: TfperfError) -> tuple[int, str]:
    if isinstance(error, BadOptionError):
        return 400, "bad_request"
    if isinstance(error, RunNotFound):
        return 404, "not_found"
    return 422, "not_judgeable" if isinstance(error, NotJudgeable) else "unreadable"


def _running(state: Running) -> Answer:
    return 202, {"state": "running", "stage": state.stage, "share": state.share}


def _no_such_page() -> Answer:
    return 404, {
        "error": "There is no rule of this name; the page without a name lists all.",
        "kind": "not_found",
    }


def _no_such_file() -> Answer:
    return 404, {"error": "There is no such file.", "kind": "not_found"}
