"""The dev page on fakes, built and served: every state of the tab without a profile."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Frame, Page

from tests.conftest import REPOSITORY

FRONTEND = REPOSITORY / "frontend"
AXE = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"

#: ``show(state, theme)`` opens the dev page in a state.
Show = Callable[..., Page]

# Everything that is folded in is unfolded: findings, notes, groups of checks, tables.
OPEN_ALL = """async () => {
    const every = root => [...root.querySelectorAll('*')]
        .flatMap(element => [element, ...(element.shadowRoot ? every(element.shadowRoot) : [])]);
    const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const opened = new Set();
    for (let round = 0; round < 5; round++) {
        const closed = every(document).filter(element => !opened.has(element) && element.checkVisibility()
            && (element.matches('details:not([open]) > summary')
                || element.matches('[aria-expanded="false"]') && !/trace/i.test(element.textContent)));
        if (closed.length === 0) break;
        for (const element of closed) {
            opened.add(element);
            element.click();
        }
        await frame();
    }
    return opened.size;
}"""

# Boxes on screen that are wider than what they stand in, unless they can be scrolled or are cut on purpose.
OVERFLOWING = """() => {
    const every = root => [...root.querySelectorAll('*')]
        .flatMap(element => [element, ...(element.shadowRoot ? every(element.shadowRoot) : [])]);
    const width = document.documentElement.clientWidth;
    const said = element => `${element.getRootNode().host?.localName ?? ''} ${element.localName}`
        + `.${element.getAttribute('class') ?? element.id}: ${(element.textContent ?? '').trim().slice(0, 40)}`;
    const kept = element => {
        for (let at = element; at && at !== document.body; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host) {
            if (at instanceof HTMLElement && getComputedStyle(at).overflowX !== 'visible') return true;
        }
        return false;
    };
    const found = every(document.body).filter(element => element.checkVisibility() && !element.matches('option, .unseen'))
        .filter(element => !kept(element) && element.getBoundingClientRect().right > width + 1)
        .map(element => `beyond the page: ${said(element)}`);
    const page = document.documentElement.scrollWidth - width;
    return page > 0 ? [`the page scrolls by ${page} px`, ...found] : found;
}"""

AXE_RUN = """async () => {
    const { violations } = await axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        resultTypes: ['violations'],
    });
    return violations.map(({ id, help, nodes }) => `${id} (${nodes.length}): ${help}: `
        + nodes.slice(0, 3).map(({ target, html }) => `${JSON.stringify(target)} ${html.slice(0, 160)}`).join(' | '));
}"""


@contextmanager
def dev_page(folder: Path) -> Iterator[str]:
    """Builds the dev page into ``folder`` and serves it; yields its address."""
    command = ["npm", "--prefix", str(FRONTEND), "run", "build", "--"]
    options = ["--mode", "fakes", "--outDir", str(folder), "--emptyOutDir", "--logLevel", "error"]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL, cwd=FRONTEND)
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


def address_of(root: str, state: str, theme: str = "light") -> str:
    return f"{root}index.html?{urlencode({'state': state, 'theme': theme})}&bare"


def states(page: Page, root: str) -> list[str]:
    """The names of all states that the dev page knows."""
    page.goto(f"{root}index.html")
    options = page.get_by_label("State").locator("option")
    return [name for name in options.all_inner_texts() if name]


def settle(page: Page) -> None:
    """Waits until the tab shows its state and all its panels are defined."""
    page.wait_for_function(
        """async () => {
            const tab = document.querySelector('tfperf-app')?.shadowRoot;
            if (!tab?.querySelector('tfperf-summary, tfperf-failure, tfperf-no-profiles, progress, tfperf-progress')) return false;
            const undefined_ = [...tab.querySelectorAll('*')].filter(one => one.matches(':not(:defined)'));
            if (undefined_.length > 0) return false;
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            return true;
        }"""
    )


def axe(page: Page | Frame) -> list[str]:
    """What axe-core has against the page as it is; one line a rule."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(AXE_RUN)
    return found


def said(value: object) -> str:
    """For messages of assertions."""
    return json.dumps(value, indent=1, ensure_ascii=False)
