"""The TensorBoard plugin: routes only. ``http_api.md`` describes them with examples.

TensorBoard imports this module when it starts, so each route imports what it needs. ``_load`` imports that
earlier, when somebody opens TensorBoard.
"""

from __future__ import annotations

import functools
import json
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tensorboard import plugin_util
from tensorboard.backend import http_util
from tensorboard.plugins import base_plugin
from werkzeug import wrappers

from tfperf_plugin.errors import BadOptionError, Busy, Canceled, NotJudgeable, RunNotFound, TfperfError
from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.readers.logdirs.finding import find_trials
from tfperf_plugin.readers.logdirs.places import find_runs_of_spec, parse_spec
from tfperf_plugin.readers.logdirs.runs import Run, choose, listing, recorded
from tfperf_plugin.tensorboard.together import Together

if TYPE_CHECKING:
    from tfperf_plugin.proof.shown import Trials
    from tfperf_plugin.report.model import Report
    from tfperf_plugin.report.options import Options
    from tfperf_plugin.tensorboard.board import RunsBoard
    from tfperf_plugin.tensorboard.jobs import ReportService, Running

PLUGIN_NAME = "diagnostics"
TAB_NAME = "Diagnostics"
QUICK_S = 0.3
"""A report that is made within this many seconds is answered at once, without polling."""
MAX_LAUNCHES = 32
"""Launches in one comparison, both sides together, and the number of reports that are kept at once."""
EXPORT_S = 30.0
"""An export waits this long for its report; a report on screen is exported at once."""
FROM_TAB = "X-Tfperf"
"""A page of another origin may send this header only after a preflight request, which is refused."""
NOTE = "X-Tfperf-Note"
"""The header of an answer that says what its file lacks."""
RESCAN_S = 10.0
"""While there is nothing to show, a background thread looks for it at most this often."""

PLACE = "the log directory"
"""What sentences call it: its path is nothing for a browser."""
STATIC_FOLDER = Path(__file__).parent / "static"
GLOSSARY = Path(__file__).parent / "glossary.json"
"""Kept out of the front end, whose whole bundle loads before the tab shows anything."""
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
"""The files that may be served. A machine's own registry of mime types may differ."""

DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""For data: a browser that opens it as a page runs and loads nothing."""
EXPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For the exported HTML report, which needs only its own style."""

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

Answer = tuple[int, Mapping[str, Any] | bytes]
"""HTTP status and JSON body, as values or as gzip-compressed bytes."""


class DiagnosticsPlugin(base_plugin.TBPlugin):  # type: ignore[misc]  # TensorBoard has no types
    """Serves the runs, their reports and the front end. Only tests pass ``service``."""

    plugin_name = PLUGIN_NAME

    def __init__(self, context: base_plugin.TBContext, service: ReportService | None = None) -> None:
        self._logdir = context.logdir or ""
        self._logdir_spec = getattr(context.flags, "logdir_spec", "") or ""
        self._made_service = service
        self._service_lock = threading.Lock()
        self._known: dict[str, Run] = {}
        self._runs = Together(self._find_runs).ask
        self._trials = Together(self._find_trials).ask
        self._active = False
        self._broken = self._opened = False
        self._scan_lock = threading.Lock()
        self._next_scan_s = 0.0

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        """The routes below ``data/plugin/diagnostics``."""
        return {
            "/runs": _app(self._runs_route),
            "/board": _app(self._board_route),
            "/trials": _app(self._trials_route),
            "/report": _app(self._report_route),
            "/cancel": _app(self._cancel_route, "POST"),
            "/export": _app(self._export_route),
            "/timeline": _app(self._timeline_route),
            "/slice": _app(self._slice_route),
            "/compare": _app(self._compare_route),
            "/predict": _app(self._predict_route),
            "/rules": _app(self._rules_route),
            "/glossary": _app(self._glossary_route),
            "/page": _app(self._page_route),
            "/static/*": _app(self._static_route),
        }

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        """The tab's name and its module."""
        return base_plugin.FrontendMetadata(es_module_path="/static/index.js", tab_name=TAB_NAME)

    def is_active(self) -> bool:
        """Whether there is something to show so far. Returns at once: TensorBoard's tab bar waits for it."""
        if not self._active:
            self.look_for_runs()
        elif not self._opened:
            threading.Thread(target=self._load, name="tfperf-load", daemon=True).start()
        self._opened = True
        return self._active and not self._broken

    def look_for_runs(self) -> None:
        """Looks for profiles in the background, unless it did so within ``RESCAN_S``."""
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
                code_version()  # computed now, so that the first request finds it cached
                self._made_service = service
            return self._made_service

    @functools.cached_property
    def _board(self) -> RunsBoard:
        from tfperf_plugin.tensorboard.board import RunsBoard

        return RunsBoard(self._service)

    def _load(self) -> None:
        """Imports what the routes need. If that fails, the tab is hidden."""
        try:
            _ = self._service
        except Exception:
            self._broken = True
            _log.warning("The Diagnostics tab is missing: tfperf could not be loaded.", exc_info=True)

    def _scan(self) -> None:
        found = False
        try:
            found = bool(self._runs()) if self._logdir_spec else finding.has_runs(self._logdir)
            found = found or any(True for _, logdir in self._logdirs for _ in find_trials(logdir, PLACE))
        except TfperfError as error:
            _log.info("%s", error)
        except Exception:
            _log.exception("The log directory could not be searched for profiles.")
        if found and self._opened and not self._active:
            self._load()
        self._active = found
        self._next_scan_s = time.monotonic() + RESCAN_S

    def _runs_route(self, _: wrappers.Request) -> Answer:
        """The runs and their hosts, newest first. Each request scans the log directory for new ones."""
        found = self._runs()
        self._active = self._active or bool(found)
        if found:
            self._service.prepare(found[0])
        return 200, listing(found)

    def _board_route(self, request: wrappers.Request) -> Answer:
        """A row for each run that is asked for, by default for the newest."""
        from tfperf_plugin.report.serialize import to_json
        from tfperf_plugin.tensorboard.board import MAX_ROWS

        names, base = request.args.getlist("run"), request.args.get("base", "")
        if len(names) > MAX_ROWS:
            raise BadOptionError(f"The request names more than {MAX_ROWS} runs; ask for the others later.")
        found = self._with_names([*names, base] if names and base else names)
        known = {run.name: run for run in reversed(found)}
        asked = [known[name] for name in names if name in known] if names else found[:MAX_ROWS]
        return 200, to_json(self._board.show(asked, choose(found, base, PLACE) if base else None))

    def _trials_route(self, _: wrappers.Request) -> Answer:
        """The newest trials and tunings. Each request scans the log directory for new ones."""
        from tfperf_plugin.report.serialize import to_json

        return 200, to_json(self._trials())

    def _report_route(self, request: wrappers.Request) -> Answer:
        options, again = _options(request), request.args.get("again") == "1"
        return 200, _ready(self._service.content(self._run(request), options, QUICK_S, again))

    def _cancel_route(self, request: wrappers.Request) -> Answer:
        """Stops the analyses of a run. Pages of other origins cannot send the header that it needs."""
        if FROM_TAB not in request.headers:
            raise BadOptionError(f"The request lacks the header {FROM_TAB}.")
        return 200, {"cancelled_count": self._service.cancel(self._run(request))}

    def _export_route(self, request: wrappers.Request) -> wrappers.Response:
        from tfperf_plugin.report.render.export import FORMATS, file_name, written

        options, form = _options(request), request.args.get("format", "")
        if form not in FORMATS:
            raise BadOptionError(f"The format must be one of {', '.join(FORMATS)}.")
        run, chosen = self._run(request), FORMATS[form]
        report = _ready(self._service.request(run, options, EXPORT_S))
        arrays = _ready(self._service.arrays(run, options, EXPORT_S)) if form == "html" else None
        text = written(report, form, arrays)
        return _download(request, text, chosen.mime_type, file_name(report.run, chosen))

    def _timeline_route(self, request: wrappers.Request) -> Answer:
        from tfperf_plugin.report.serialize import to_json
        from tfperf_plugin.report.timeline.step import parse_window, timeline

        options, window, run = _options(request), parse_window(request.args), self._run(request)
        report = _ready(self._service.request(run, options, QUICK_S))
        arrays = _ready(self._service.arrays(run, options, QUICK_S))
        return 200, to_json(timeline(arrays, window, report))

    def _slice_route(self, request: wrappers.Request) -> wrappers.Response:
        from tfperf_plugin.report.slice.choose import parse_cut
        from tfperf_plugin.report.slice.chrome import file_name

        cut, run = parse_cut(request.args), self._run(request)
        found = _ready(self._service.slice(run, cut, QUICK_S))
        name = file_name(run.name, cut)
        return _download(request, found.content, "application/gzip", name, found.note)

    def _compare_route(self, request: wrappers.Request) -> Answer:
        from tfperf_plugin.compare.build import compare_launches
        from tfperf_plugin.compare.launches import Launch, known_equal
        from tfperf_plugin.compare.steps import parse_drift
        from tfperf_plugin.report.serialize import to_json

        sides = request.args.getlist("base"), request.args.getlist("new")
        names = [name for side in sides for name in side]
        if not all(sides) or not all(names):
            raise BadOptionError("The request names no two runs: compare?base=RUN&new=RUN.")
        if len(names) > MAX_LAUNCHES:
            raise BadOptionError(f"At most {MAX_LAUNCHES} launches can be compared at once.")
        if len(set(names)) < len(names):
            raise BadOptionError("A run cannot be compared with itself: name each run once.")
        drift, found = parse_drift(request.args.get("drift")), self._with_names(names)
        chosen = [choose(found, name, PLACE) for name in names]
        launches = [
            Launch(report, recorded(run)) for run, report in zip(chosen, self._all_ready(chosen), strict=True)
        ]
        base, new = launches[: len(sides[0])], launches[len(sides[0]) :]
        return 200, to_json(compare_launches(base, new, drift, known_equal(base[0].report)))

    def _all_ready(self, runs: Sequence[Run]) -> list[Report]:
        """The reports of all runs. Raises ``_Later`` with the progress of all together."""
        from msgspec.structs import replace

        from tfperf_plugin.report.options import Options
        from tfperf_plugin.tensorboard.jobs import Running

        # Request all before waiting for any, so that they are computed at the same time.
        for run in runs:
            self._service.request(run, Options(), 0)
        end = time.monotonic() + QUICK_S
        found = [self._service.request(run, Options(), max(0.0, end - time.monotonic())) for run in runs]
        if running := [each for each in found if isinstance(each, Running)]:
            share = 1 - sum(1 - each.share for each in running) / len(found)
            raise _Later(replace(running[0], share=share, hosts=None))
        return [_ready(each) for each in found]

    def _predict_route(self, request: wrappers.Request) -> Answer:
        from tfperf_plugin.report import whatif
        from tfperf_plugin.report.serialize import to_json

        options, without = _options(request), whatif.parse_without(request.args.get("without"))
        report = _ready(self._service.request(self._run(request), options, QUICK_S))
        return 200, to_json(whatif.prediction(report, without))

    def _rules_route(self, _: wrappers.Request) -> Answer:
        """Every rule with its thresholds, why it matters, and the section of the guide behind it."""
        from tfperf_plugin.judging import rules
        from tfperf_plugin.judging.engine.severity import SEVERITIES
        from tfperf_plugin.report.options import threshold_json

        listed = [
            {
                "id": rule.id,
                "title": rule.title,
                "group": rule.group,
                "why": " ".join(rule.page.why),
                "guide": {"section": rule.page.guide.section, "url": rule.page.guide.url},
                "thresholds": [threshold_json(threshold) for threshold in rule.thresholds],
            }
            for rule in rules.RULES
        ]
        return 200, {"rules": listed, "severities": [threshold_json(t) for t in SEVERITIES.values()]}

    def _glossary_route(self, _: wrappers.Request) -> Answer:
        return 200, json.loads(GLOSSARY.read_text(encoding="utf-8"))

    def _page_route(self, request: wrappers.Request) -> wrappers.Response:
        """The page of a rule, or the list of all pages, as HTML. The id is only looked up."""
        from tfperf_plugin import docs
        from tfperf_plugin.docs.html import document

        text = docs.read(request.args.get("rule", docs.INDEX))
        if text is None:
            sentence = "There is no rule of this name; the page without a name lists all."
            return _refusal(request, sentence, 404, "not_found")
        return _response(request, document(text, plugin_util.markdown_to_safe_html), "text/html")

    def _static_route(self, request: wrappers.Request) -> wrappers.Response:
        """A file of the built front end; names of other folders match nothing."""
        name = request.path.partition(f"/{PLUGIN_NAME}/static/")[2]
        for path in STATIC_FOLDER.iterdir():
            if path.name == name and path.suffix in MIME_TYPES and path.is_file():
                return _response(request, path.read_bytes(), MIME_TYPES[path.suffix])
        return _refusal(request, "There is no such file.", 404, "not_found")

    def _run(self, request: wrappers.Request) -> Run:
        """The run that a request names."""
        name = request.args.get("run", "")
        if not name:
            route = request.path.rpartition("/")[2]
            raise BadOptionError(f"The request names no run: {route}?run=RUN.")
        return choose(self._with_names([name]), name, PLACE)

    def _with_names(self, names: Sequence[str]) -> tuple[Run, ...]:
        """The runs with these names if all are known and as they were, else all runs.

        A requested run was listed before, so a large log directory is not scanned for each request.
        """
        known = [self._known.get(name) for name in dict.fromkeys(names)]
        unchanged = tuple(run for run in known if run and finding.is_unchanged(run))
        return unchanged if known and len(unchanged) == len(known) else self._runs()

    @property
    def _logdirs(self) -> tuple[tuple[str, str], ...]:
        """Name or "" and path of each log directory."""
        if self._logdir_spec:
            return parse_spec(self._logdir_spec)
        return (("", self._logdir),) if self._logdir else ()

    def _find_trials(self) -> Trials:
        from tfperf_plugin.proof.shown import trials

        return trials(self._logdirs, PLACE)

    def _find_runs(self) -> tuple[Run, ...]:
        found: tuple[Run, ...] = ()
        if self._logdir_spec:
            found = find_runs_of_spec(self._logdir_spec, PLACE)
        elif self._logdir:
            found = finding.find_runs(self._logdir, PLACE)
        # Of two runs with the same name, the first one counts, as in ``choose``.
        self._known = {run.name: run for run in reversed(found)}
        return found


def _options(request: wrappers.Request) -> Options:
    from tfperf_plugin.report.options import parse_options

    given = request.args
    tried, steps = given.getlist("threshold"), given.get("steps_per_epoch")
    return parse_options(given.get("parameters"), given.get("bandwidth"), tried, steps)


class _Later(Exception):
    """What was asked for is still being made. ``running``: how far it is."""

    def __init__(self, running: Running) -> None:
        super().__init__(running)
        self.running = running


def _ready(found: _T | Running) -> _T:
    """What was found. Raises ``_Later`` if it is still being made."""
    from tfperf_plugin.tensorboard.jobs import Running

    if isinstance(found, Running):
        raise _Later(found)
    return found


def _app(
    route: Callable[[wrappers.Request], Answer | wrappers.Response], *methods: str
) -> Callable[..., Any]:
    """What ``route`` answers as an application; an error becomes a status, a sentence and a kind."""
    allowed = methods or ("GET", "HEAD")

    @wrappers.Request.application
    def app(request: wrappers.Request) -> wrappers.Response:
        if request.method not in allowed:
            sentence = f"{request.method} is not allowed here; use {allowed[0]}."
            return _refusal(request, sentence, 405, headers=[("Allow", ", ".join(allowed))])
        try:
            answer = route(request)
        except _Later as later:
            answer = _progress(later.running)
        except TfperfError as error:
            known = (status for kind, status in _STATUS.items() if isinstance(error, kind))
            return _refusal(request, str(error), *next(known, (422, "unreadable")))
        except Exception:
            _log.exception("The request %s failed.", request.full_path)
            sentence = "tfperf failed on this profile; TensorBoard's log says why."
            return _refusal(request, sentence, 500, "internal")
        if isinstance(answer, wrappers.Response):
            return answer
        code, body = answer
        encoding = "gzip" if isinstance(body, bytes) else None
        return _response(request, body, "application/json", code, content_encoding=encoding)

    return app


def _download(
    request: wrappers.Request, content: str | bytes, mime_type: str, name: str, note: str = ""
) -> wrappers.Response:
    """A file to download. ``name`` needs no quoting in a header; ``note``: what the file lacks."""
    headers = [("Content-Disposition", f'attachment; filename="{name}"')]
    headers += [(NOTE, note)] if note else []
    return _response(request, content, mime_type, headers=headers)


def _progress(job: Running) -> Answer:
    from tfperf_plugin.execution.stages import STAGES

    words = STAGES.get(job.stage, "Analyzing the profile")
    body: dict[str, Any] = {"state": "running", "stage": job.stage, "words": words, "share": job.share}
    if job.hosts:
        body["hosts_done_count"], body["hosts_count"] = job.hosts
    if job.waits_for:
        body["waits_for"] = job.waits_for
    return 202, body


def _response(request: wrappers.Request, *arguments: Any, **options: Any) -> wrappers.Response:
    # TensorBoard adds compression, nosniff, no caching, and a content security policy for HTML only.
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


_STATUS: dict[type[TfperfError], tuple[int, str]] = {
    BadOptionError: (400, "bad_request"),
    RunNotFound: (404, "not_found"),
    Busy: (503, "busy"),
    Canceled: (409, "cancelled"),
    NotJudgeable: (422, "not_judgeable"),
}
