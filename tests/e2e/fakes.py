"""The dev page on fakes, built and served: every state of the tab without a profile."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Frame, Page

from demo.recorded import RUNS_FOLDER
from tests.conftest import REPOSITORY

FRONTEND = REPOSITORY / "frontend"
AXE = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"
WIDE = "* { font-family: Verdana, 'DejaVu Sans', sans-serif !important; letter-spacing: 0.3px !important }"
IN_PAGE = Path(__file__).with_name("in_page.js").read_text(encoding="utf-8")


@contextmanager
def dev_page(folder: Path) -> Iterator[str]:
    """Builds the dev page into ``folder`` and serves it; yields its address."""
    command = ["npm", "--prefix", str(FRONTEND), "run", "build", "--"]
    options = ["--mode", "fakes", "--outDir", str(folder), "--emptyOutDir", "--logLevel", "error"]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def state_names() -> list[str]:
    """The names of all states, read where they are declared."""
    declared = (FRONTEND / "src" / "states.ts").read_text(encoding="utf-8")
    return re.findall(r"^  (?:shown\(|changed\(|\{\s*name: )'([\w-]+)'", declared, re.MULTILINE)


def recorded_report(name: str) -> Any:
    """The report of a recorded run, which the state of the same name shows."""
    return json.loads((RUNS_FOLDER / f"{name}.json").read_text(encoding="utf-8"))["report"]


def show(page: Page, root: str, state: str, theme: str = "light", *, opened: bool = False) -> None:
    """Opens the dev page in a state; with ``opened`` everything that can be unfolded is."""
    page.goto(f"{root}index.html?{urlencode({'state': state, 'theme': theme})}&bare")
    settle(page)
    if opened:
        ask(page, "openAll")
        settle(page)


def change_report(page: Page, change: str, argument: object = None) -> None:
    """Shows the report with what the function ``change`` of report and argument returns, from the state down:
    what is set on a panel is undone when the page draws its state."""
    page.evaluate(
        f"""argument => {{
            const {{ controller }} = document.querySelector('tfperf-app');
            const {{ report }} = controller.state;
            controller.set({{ report: {{ ...report, ...({change})(report, argument) }} }});
        }}""",
        argument,
    )
    settle(page)


def settle(page: Page | Frame) -> None:
    """Waits until the page shows a state and everything that is near the screen."""
    # Not wait_for_function, which takes the promise itself for a yes.
    ask(page, "settled")


def ask(page: Page | Frame, function: str, argument: object = None) -> Any:
    """What a function of in_page.js answers in the page."""
    return page.evaluate(_script(function), argument)


def _script(function: str) -> str:
    return f"argument => {{ {IN_PAGE}\nreturn {function}(argument); }}"


def widen(page: Page | Frame) -> None:
    """Shows all of it in a font about as wide as fonts get that stand in for Roboto."""
    ask(page, "adopt", WIDE)


def axe(page: Page | Frame, panel: str | None = None, *rules: str) -> list[str]:
    """What axe-core, or these rules of it, has against the page or one panel of it; one line a rule."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = ask(page, "axeViolations", [panel, rules])
    return found
