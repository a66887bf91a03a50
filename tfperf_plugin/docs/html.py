"""A page as one HTML document that needs nothing else: no script, no other file, light and dark."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Final

from tfperf_plugin.docs import INDEX

ROUTE: Final = "page"

# Boxes to tick, which reports have, are no Markdown that every converter knows.
_TASK = re.compile(r"^((?:> )?- )\[ \] ", re.MULTILINE)
# Pages link each other by file; the route names them by rule.
_LINK = re.compile(r'href="(?:[a-z_.]+/)*([A-Za-z0-9_-]+)\.md"')
_STYLE: Final = """
:root {
  color-scheme: light dark; --ink: #202124; --ink-2: #5f6368; --line: #e3e6ea; --ground: #f6f7f9;
  --page: #fff; --accent: #1967d2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8eaed; --ink-2: #a8adb3; --line: #3c4043; --ground: #292a2d; --page: #202124; --accent: #8ab4f8;
  }
}
* { box-sizing: border-box; }
body {
  background: var(--page); color: var(--ink); margin: 0 auto; max-width: 800px; overflow-wrap: anywhere;
  font: 15px/1.6 system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; padding: 24px 24px 64px;
}
h1 { font-size: 24px; line-height: 1.3; margin: 8px 0; }
h2 { border-top: 1px solid var(--line); font-size: 18px; margin: 32px 0 8px; padding-top: 20px; }
h3 { font-size: 15px; margin: 16px 0 4px; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
p { margin: 8px 0; }
ul, ol { padding-left: 22px; }
li { margin: 4px 0; }
h1 + p { color: var(--ink-2); font-size: 14px; }
code {
  background: var(--ground); border-radius: 4px; padding: 1px 4px;
  font: 13px/1.5 ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace;
}
pre {
  background: var(--ground); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto;
  padding: 10px 14px;
}
pre code { background: none; overflow-wrap: normal; padding: 0; }
blockquote { border-left: 3px solid var(--line); margin: 12px 0; padding-left: 14px; }
table { border-collapse: collapse; font-size: 14px; width: 100%; }
th { color: var(--ink-2); font-weight: 400; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: 6px 16px 6px 0; vertical-align: top; }
td:nth-child(2) { font-variant-numeric: tabular-nums; white-space: nowrap; }
"""


def document(text: str, safe_html: Callable[[str], str]) -> str:
    """The page ``text``, Markdown, as a document; ``safe_html`` makes harmless HTML of Markdown."""
    title = re.sub(r"\\(.)", r"\1", text.partition("\n")[0].lstrip("# "))
    body = _LINK.sub(_to_route, safe_html(_TASK.sub(r"\1☐ ", text)))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(html.unescape(title))} · tfperf</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _to_route(link: re.Match[str]) -> str:
    name = link[1].replace("_", "-")
    return f'href="{ROUTE}"' if name in (INDEX, "README") else f'href="{ROUTE}?rule={name}"'
