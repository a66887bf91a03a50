"""The TensorBoard plugin: routes only. Each ``x_route`` reads the request, each ``x_impl`` is plain Python.

``http_api.md`` describes the routes with examples. TensorBoard imports this when it starts, so what a route
needs is imported there; ``_load`` does so as soon as somebody opens TensorBoard, before anything is asked.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorboard import plugin_util
from tensorboard.backend import http_util
from tensorboard.plugins import base_plugin
from werkzeug import wrappers

from tfperf_plugin.errors import BadOptionError, Busy, Cancelled, NotJudgeable, RunNotFound, TfperfError
from tfperf_plugin.readers import logdir
from tfperf_plugin.tensorboard.together import Together

if TYPE_CHECKING:
    from tfperf_plugin.report.options import Options
    from tfperf_plugin.report.panels.timeline import Window
    from tfperf_plugin.tensorboard.jobs import ReportService, Running

PLUGIN_NAME = "diagnostics"
TAB_NAME = "Diagnostics"
QUICK_S = 0.3
"""A report that is made within this many seconds is answered at once, without polling."""
EXPORT_S = 30.0
"""Who exports waits this long: who looks at a report has it at once."""
FROM_TAB = "X-Tfperf"
"""A browser sends this header to another origin only after asking, and that is not answered."""
RESCAN_S = 10.0
"""At most this often the background looks whether there are profiles by now."""

STATIC_FOLDER = Path(__file__).parent / "static"
GLOSSARY = Path(__file__).parent / "glossary.json"
"""Here and not in the front end, which is loaded before anything can be seen."""
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

DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""For answers that are no pages: whoever opens one as a page gets nothing that runs or loads."""
EXPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For the report as a page, which needs nothing but its own style."""

_log = logging.getLogger(__name__)

Answer = tuple[int, Mapping[str, Any] | bytes]
"""A status, and JSON: as values, or compressed with gzip."""


class Attachment(NamedTuple):
    """A file to keep: what is in it, what it is, and its name, which needs no quoting."""

    content: str
    mime_type: str
    name: str


class DiagnosticsPlugin(base_plugin.TBPlugin):  # type: ignore[misc]  # TensorBoard has no types
    """Serves the runs, their reports and the front end. ``service`` is given in tests only."""

    plugin_name = PLUGIN_NAME

    def __init__(self, context: base_plugin.TBContext, service: ReportService | None = None) -> None:
        self._logdir = context.logdir or ""
        self._logdir_spec = getattr(context.flags, "logdir_spec", "") or ""
        self._made_service = service
        self._service_lock = threading.Lock()
        self._known: dict[str, logdir.Run] = {}
        self._runs = Together(self._find_runs).ask
        self._active = False
        self._broken = self._opened = False
        self._scan_lock = threading.Lock()
        self._next_scan_s = 0.0

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        """The routes below ``data/plugin/diagnostics``."""
        return {
            "/runs": _app(self.runs_route),
            "/report": _app(self.report_route),
            "/cancel": _app(self.cancel_route, "POST"),
            "/export": _app(self.export_route),
            "/timeline": _app(self.timeline_route),
            "/compare": _app(self.compare_route),
            "/predict": _app(self.predict_route),
            "/rules": _app(self.rules_route),
            "/glossary": _app(self.glossary_route),
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
        elif not self._opened:
            threading.Thread(target=self._load, name="tfperf-load", daemon=True).start()
        self._opened = True
        return self._active and not self._broken

    def look_for_runs(self) -> None:
        """Looks in the background whether there are profiles, unless it has done so just now."""
        with self._scan_lock:
            if time.monotonic() < self._next_scan_s:
                return
            self._next_scan_s = math.inf
        threading.Thread(target=self._scan, name="tfperf-scan", daemon=True).start()

    @property
    def _service(self) -> ReportService:
        with self._service_lock:
            if self._made_service is None:
                from tfperf_plugin.execution.cache import ReportCache
                from tfperf_plugin.execution.pipeline import code_version
                from tfperf_plugin.tensorboard.jobs import ReportService

                service = ReportService(cache=ReportCache())
                code_version()  # now, not beside the first request, which would do the same
                self._made_service = service
            return self._made_service

    def _load(self) -> None:
        """Loads what the routes need; if that cannot be, there is no tab."""
        try:
            _ = self._service
        except Exception:
            self._broken = True
            _log.warning("The Diagnostics tab is missing: tfperf could not be loaded.", exc_info=True)

    def _scan(self) -> None:
        try:
            found = bool(self._runs()) if self._logdir_spec else logdir.has_runs(self._logdir)
        except TfperfError as error:
            _log.info("%s", error)
            found = False
        if found and self._opened and not self._active:
            self._load()
        self._active = found
        self._next_scan_s = time.monotonic() + RESCAN_S

    def runs_route(self, request: wrappers.Request) -> wrappers.Response:
        """``runs``: the log directory is read anew each time, so new runs show up without a restart."""
        return _respond(request, self.runs_impl)

    def runs_impl(self) -> Answer:
        """The runs and their hosts, newest first."""
        found = self._runs()
        self._active = self._active or bool(found)
        if found:
            self._service.prepare()
        return 200, logdir.listing(found)

    def report_route(self, request: wrappers.Request) -> wrappers.Response:
        """``report?run=…[&parameters=…][&bandwidth=…][&threshold=…]…``."""
        given = request.args
        return _respond(
            request,
            lambda: self.report_impl(
                given.get("run", ""), _options(request), again=given.get("again") == "1"
            ),
        )

    def report_impl(self, name: str, options: Options, again: bool = False) -> Answer:
        """The report of the run called ``name``, or how far its computation is. Raises TfperfError."""
        from tfperf_plugin.tensorboard.jobs import Running

        content = self._service.content(self._run(name, "report"), options, QUICK_S, again=again)
        return _running(content) if isinstance(content, Running) else (200, content)

    def cancel_route(self, request: wrappers.Request) -> wrappers.Response:
        """``cancel?run=…``: needs a header of our own, which no page of another origin can send."""
        if FROM_TAB not in request.headers:
            return _refusal(request, f"The request lacks the header {FROM_TAB}.", 400)
        return _respond(request, lambda: self.cancel_impl(request.args.get("run", "")))

    def cancel_impl(self, name: str) -> Answer:
        """Stops the analyses of the run called ``name``. Raises TfperfError."""
        return 200, {"cancelled_count": self._service.cancel(self._run(name, "cancel"))}

    def export_route(self, request: wrappers.Request) -> wrappers.Response:
        """``export?run=…&format=…`` and what ``report`` takes: the report as a file to keep."""
        given = request.args
        return _respond(
            request,
            lambda: self.export_impl(given.get("run", ""), given.get("format", ""), _options(request)),
        )

    def export_impl(self, name: str, form: str, options: Options) -> Answer | Attachment:
        """The report in a format of ``report/export.py``, else as ``report_impl``."""
        from tfperf_plugin.report.render.export import FORMATS, file_name
        from tfperf_plugin.tensorboard.jobs import Running

        if form not in FORMATS:
            raise BadOptionError(f"The format must be one of {', '.join(FORMATS)}.")
        report = self._service.request(self._run(name, "export"), options, EXPORT_S)
        if isinstance(report, Running):
            return _running(report)
        chosen = FORMATS[form]
        return Attachment(chosen.write(report), chosen.mime_type, file_name(report.run, chosen))

    def timeline_route(self, request: wrappers.Request) -> wrappers.Response:
        """``timeline?run=…&step=…[&host=…][&begin_ms=…&end_ms=…][&width=…][&spans=…]``."""
        return _respond(
            request,
            lambda: self.timeline_impl(request.args.get("run", ""), _options(request), _window(request)),
        )

    def timeline_impl(self, name: str, options: Options, window: Window) -> Answer:
        """The rows of one step of a run, or how far its report is. Raises TfperfError."""
        from tfperf_plugin.report.panels.timeline import timeline
        from tfperf_plugin.tensorboard.jobs import Running

        arrays = self._service.arrays(self._run(name, "timeline"), options, QUICK_S)
        return _running(arrays) if isinstance(arrays, Running) else (200, timeline(arrays, window))

    def compare_route(self, request: wrappers.Request) -> wrappers.Response:
        """``compare?base=…&new=…[&drift=…]``."""
        given = request.args
        return _respond(
            request,
            lambda: self.compare_impl(given.get("base", ""), given.get("new", ""), given.get("drift")),
        )

    def compare_impl(self, base: str, new: str, drift: str | None = None) -> Answer:
        """The run ``new`` against ``base``, or how far their two reports are. Raises TfperfError."""
        from tfperf_plugin.compare.build import compare
        from tfperf_plugin.compare.noise import parse_drift
        from tfperf_plugin.report.options import Options
        from tfperf_plugin.report.serialize import to_json
        from tfperf_plugin.tensorboard.jobs import Running

        if not base or not new:
            raise BadOptionError("The request names no two runs: compare?base=RUN&new=RUN.")
        if base == new:
            raise BadOptionError("A run cannot be compared with itself: name two.")
        ratio = parse_drift(drift)
        found, place = self._runs(), self._logdir_spec or self._logdir
        chosen = [logdir.choose(found, name, place) for name in (base, new)]
        # Both are asked for before either is waited for, so that they are made at the same time.
        for run in chosen:
            self._service.request(run, Options(), 0)
        reports = [self._service.request(run, Options(), QUICK_S) for run in chosen]
        running = [report for report in reports if isinstance(report, Running)]
        if running:
            share = 1 - sum(1 - report.share for report in running) / len(reports)
            return 202, {"state": "running", "stage": running[0].stage, "share": share}
        before, after = (report for report in reports if not isinstance(report, Running))
        return 200, to_json(compare(before, after, ratio))

    def predict_route(self, request: wrappers.Request) -> wrappers.Response:
        """``predict?run=…[&without=…]`` and what ``report`` takes."""
        given = request.args
        return _respond(
            request,
            lambda: self.predict_impl(given.get("run", ""), _options(request), given.get("without", "")),
        )

    def predict_impl(self, name: str, options: Options, without: str) -> Answer:
        """The step of a run without these findings (ids, separated by commas), or how far its report is.

        Raises TfperfError.
        """
        from tfperf_plugin.report.panels import whatif
        from tfperf_plugin.report.serialize import to_json
        from tfperf_plugin.tensorboard.jobs import Running

        run = self._run(name, "predict")
        report = self._service.request(run, options, QUICK_S)
        arrays = self._service.arrays(run, options, QUICK_S)
        if isinstance(report, Running):
            return _running(report)
        if isinstance(arrays, Running):
            return _running(arrays)
        return 200, to_json(whatif.prediction(report, arrays, whatif.parse_without(without)))

    def rules_route(self, request: wrappers.Request) -> wrappers.Response:
        """``rules``."""
        return _respond(request, self.rules_impl)

    def rules_impl(self) -> Answer:
        """Every rule with what it says, why it matters, and the guide's section."""
        from tfperf_plugin.judging import rules
        from tfperf_plugin.judging.engine.rank import SEVERITIES
        from tfperf_plugin.report.tried import threshold_json

        listed = [
            {
                "id": rule.id,
                "title": rule.title,
                "group": rule.group,
                "why": rule.why,
                "guide": {"section": rule.guide.section, "url": rule.guide.url},
                "thresholds": [threshold_json(threshold) for threshold in rule.thresholds],
            }
            for rule in rules.catalogue()
        ]
        return 200, {"rules": listed, "severities": [threshold_json(t) for t in SEVERITIES.values()]}

    def glossary_route(self, request: wrappers.Request) -> wrappers.Response:
        """``glossary``."""
        return _respond(request, self.glossary_impl)

    def glossary_impl(self) -> Answer:
        """What the words mean that the tab uses."""
        return 200, json.loads(GLOSSARY.read_text(encoding="utf-8"))

    def page_route(self, request: wrappers.Request) -> wrappers.Response:
        """``page[?rule=…]``: for people, who come here by a link in the tab."""
        found = self.page_impl(request.args.get("rule"))
        if found is None:
            return _refusal(
                request, "There is no rule of this name; the page without a name lists all.", 404, "not_found"
            )
        return _response(request, found, "text/html")

    def page_impl(self, name: str | None) -> str | None:
        """The page of a rule, or that of all, as an HTML document; None if there is none.

        ``name`` is only looked up.
        """
        from tfperf_plugin import docs
        from tfperf_plugin.docs.html import document

        text = docs.read(docs.INDEX if name is None else name)
        return None if text is None else document(text, plugin_util.markdown_to_safe_html)

    def static_route(self, request: wrappers.Request) -> wrappers.Response:
        """``static/*``: the built front end."""
        found = self.static_impl(request.path.partition(f"/{PLUGIN_NAME}/static/")[2])
        if found is None:
            return _refusal(request, "There is no such file.", 404, "not_found")
        content, mime_type = found
        return _response(request, content, mime_type)

    def static_impl(self, name: str) -> tuple[bytes, str] | None:
        """The file of the front end called ``name`` and its mime type; None outside its folder."""
        for path in STATIC_FOLDER.iterdir():
            if path.name == name and path.suffix in MIME_TYPES and path.is_file():
                return path.read_bytes(), MIME_TYPES[path.suffix]
        return None

    def _run(self, name: str, route: str) -> logdir.Run:
        if not name:
            raise BadOptionError(f"The request names no run: {route}?run=RUN.")
        # Who asks for a run has seen it listed; a large log directory is not read anew for each request.
        known = self._known.get(name)
        if known and logdir.is_unchanged(known):
            return known
        return logdir.choose(self._runs(), name, self._logdir_spec or self._logdir)

    def _find_runs(self) -> tuple[logdir.Run, ...]:
        found: tuple[logdir.Run, ...] = ()
        if self._logdir_spec:
            found = logdir.find_runs_of_spec(self._logdir_spec)
        elif self._logdir:
            found = logdir.find_runs(self._logdir)
        # Of two with the same name the first is meant, as in ``choose``.
        self._known = {run.name: run for run in reversed(found)}
        return found


def _running(state: Running) -> Answer:
    body: dict[str, Any] = {"state": "running", "stage": state.stage, "share": state.share}
    if state.hosts:
        body["hosts_done_count"], body["hosts_count"] = state.hosts
    return 202, body


def _options(request: wrappers.Request) -> Options:
    from tfperf_plugin.report.options import parse_options

    given = request.args
    return parse_options(given.get("parameters"), given.get("bandwidth"), given.getlist("threshold"))


def _window(request: wrappers.Request) -> Window:
    from tfperf_plugin.report.panels.timeline import parse_window

    return parse_window(request.args)


def _app(route: Callable[[wrappers.Request], wrappers.Response], *methods: str) -> Callable[..., Any]:
    allowed = methods or ("GET", "HEAD")

    @wrappers.Request.application
    def app(request: wrappers.Request) -> wrappers.Response:
        if request.method in allowed:
            return route(request)
        sentence = f"{request.method} is not allowed here; use {allowed[0]}."
        return _refusal(request, sentence, 405, headers=[("Allow", ", ".join(allowed))])

    return app


def _respond(request: wrappers.Request, impl: Callable[[], Answer | Attachment]) -> wrappers.Response:
    """What ``impl`` answers, as JSON or as a file; its errors as a status, a sentence and a kind."""
    try:
        answer = impl()
        if isinstance(answer, Attachment):
            headers = [("Content-Disposition", f'attachment; filename="{answer.name}"')]
            return _response(request, answer.content, answer.mime_type, headers=headers)
        code, body = answer
    except TfperfError as error:
        code, kind = _status_of(error)
        body = {"error": str(error), "kind": kind}
    except Exception:
        _log.exception("The request %s failed.", request.full_path)
        code = 500
        body = {"error": "tfperf failed on this profile; TensorBoard's log says why.", "kind": "internal"}
    encoding = "gzip" if isinstance(body, bytes) else None
    return _response(request, body, "application/json", code, content_encoding=encoding)


def _response(request: wrappers.Request, *arguments: Any, **options: Any) -> wrappers.Response:
    # TensorBoard's own: compression, nosniff, no caching, and a content security policy for HTML alone.
    response: wrappers.Response = http_util.Respond(request, *arguments, **options)
    if response.mimetype != "text/html":
        response.headers["Content-Security-Policy"] = DATA_POLICY
    elif "Content-Disposition" in response.headers:
        response.headers["Content-Security-Policy"] = EXPORT_POLICY
    return response


def _refusal(
    request: wrappers.Request, sentence: str, code: int, kind: str = "bad_request", **options: Any
) -> wrappers.Response:
    return _response(request, {"error": sentence, "kind": kind}, "application/json", code, **options)


def _status_of(error: TfperfError) -> tuple[int, str]:
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), (422, "unreadable"))


_STATUS: dict[type[TfperfError], tuple[int, str]] = {
    BadOptionError: (400, "bad_request"),
    RunNotFound: (404, "not_found"),
    Busy: (503, "busy"),
    Cancelled: (409, "cancelled"),
    NotJudgeable: (422, "not_judgeable"),
}
