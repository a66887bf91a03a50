"""The style of the HTML report, with the tab's colors (frontend/src/theme.ts), light and dark."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.report.accounts import DRAWN_ACCOUNTS

LIGHT: Final = {
    "ink": "#202124", "ink-2": "#5f6368", "line": "#e3e6ea", "ground": "#f6f7f9", "page": "#fff",
    "accent": "#1967d2",
    "critical": "#b3261e", "critical-ground": "#fdecea", "warning": "#8f4e00", "warning-ground": "#fff4e0",
    "info": "#1967d2", "info-ground": "#e8f0fe",
    "good": "#2f7d5b", "account-compute": "#2f7d5b", "account-recoverable": "#a9dcc2",
    "account-transfer": "#7b61c9", "account-wait": "#c3b4ef",
    "account-copy": "#2e86c1", "account-input": "#d9622b", "account-launch": "#e0a100",
    "account-compile": "#8d6e63", "account-host-op": "#b8a23a", "account-sync": "#4f9aa8",
    "account-between": "#b5533c", "account-stagger": "#e8a0bf", "account-unknown": "#c8ccd2",
    "hatch": "rgb(32 33 36 / 34%)",
}  # fmt: skip
DARK: Final = {
    "ink": "#e8eaed", "ink-2": "#a8adb3", "line": "#3c4043", "ground": "#26282b", "page": "#202124",
    "accent": "#8ab4f8",
    "critical": "#f28b82", "critical-ground": "#3b2321", "warning": "#fdd663", "warning-ground": "#37301f",
    "info": "#8ab4f8", "info-ground": "#1f2b3d",
    "good": "#81c995", "account-compute": "#5fb58e", "account-recoverable": "#3f7259",
    "account-transfer": "#a78bfa", "account-wait": "#5d4e8c",
    "account-copy": "#64b5e8", "account-input": "#ef8a57", "account-launch": "#f2c94c",
    "account-compile": "#a1887f", "account-host-op": "#cdbb5a", "account-sync": "#6fb7c4",
    "account-between": "#e08a73", "account-stagger": "#c96f97", "account-unknown": "#5f6368",
    "hatch": "rgb(32 33 36 / 55%)",
}  # fmt: skip


def _tokens(values: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in values.items())


_ACCOUNTS: Final = "\n".join(
    f".a-{color} {{ background: var(--account-{color}); fill: var(--account-{color}); }}"
    for color in dict.fromkeys(DRAWN_ACCOUNTS.values())
)
STYLE: Final = f"""
:root {{ color-scheme: light dark; {_tokens(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_tokens(DARK)} }} }}
* {{ box-sizing: border-box; }}
body {{
  background: var(--page); color: var(--ink); margin: 0 auto; max-width: 980px; overflow-wrap: anywhere;
  font: 14px/1.55 system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; padding: 24px 24px 64px;
}}
h1 {{ font-size: 26px; font-weight: 400; line-height: 1.3; margin: 8px 0 4px; text-wrap: balance; }}
h2 {{ font-size: 16px; margin: 36px 0 10px; }}
h3 {{ font-size: 15px; margin: 0; }}
h4 {{ font-size: 13px; margin: 16px 0 2px; }}
p {{ margin: 6px 0; white-space: pre-line; }}
p, li, td, h1, h3, summary {{ unicode-bidi: plaintext; }}
a {{ color: var(--accent); }}
:focus-visible {{ outline: 2px solid var(--accent); outline-offset: 2px; }}
.advice {{ font-size: 16px; }}
.verdict {{ border-bottom: 1px solid var(--line); padding-bottom: 12px; }}
.verdict h1 {{ margin: 0 0 4px; }}
.verdict dl {{ display: flex; flex-wrap: wrap; gap: 8px 40px; }}
.verdict dt {{ color: var(--ink-2); font-size: 13px; }}
.verdict dd {{ font-size: 18px; margin: 0; }}
.verdict ul {{ color: var(--ink-2); font-size: 13px; list-style: none; padding: 0; }}
.note, footer {{ color: var(--ink-2); font-size: 13px; }}
.tried {{ background: var(--warning-ground); border-radius: 8px; color: var(--warning); padding: 8px 14px; }}
.bar {{ border-radius: 4px; display: block; height: 24px; margin: 6px 0 12px; width: 100%; }}
.over {{ fill: url(#idle); }}
.claimed {{ fill: url(#striped); }}
.idle {{ fill: var(--hatch); }}
.striped {{ fill: var(--ink); }}
.unseen {{ height: 0; position: absolute; width: 0; }}
.key {{ border-radius: 3px; display: inline-block; height: 12px; vertical-align: -1px; width: 12px; }}
{_ACCOUNTS}
.row {{
  align-items: center; display: grid; gap: 2px 14px; grid-template-columns: 240px minmax(0, 1fr) 110px;
  padding: 3px 0; position: relative;
}}
.row small {{ color: var(--ink-2); display: block; font-size: 12px; line-height: 1.3; }}
.row b {{ font-weight: 500; }}
.row .bar {{ margin: 0; }}
.row .n small {{ white-space: normal; }}
.claim:hover, .claim:focus-within {{ background: var(--ground); }}
.claim > div:first-child {{ align-items: center; display: flex; gap: 8px; }}
.claim a {{ color: inherit; text-decoration: none; }}
.claim a::after {{ content: ''; inset: 0; position: absolute; }}
#projected .n b {{ color: var(--good); }}
.gpus {{ display: none; }}
.gpus .bar {{ height: 14px; }}
.budget:has(#whose-gpus:checked) .gpus {{ display: block; }}
.budget label {{ margin-right: 16px; }}
.legend {{ display: flex; flex-wrap: wrap; font-size: 13px; gap: 2px 16px; list-style: none; padding: 0; }}
@media (max-width: 700px) {{
  .row {{ grid-template-columns: minmax(0, 1fr) 90px; }}
  .row > :first-child {{ grid-column: 1 / -1; }}
}}
:target {{ scroll-margin-top: 12px; }}
article:target, details:target {{ background: var(--info-ground); border-color: var(--accent); }}
.copied {{
  background: var(--ground); border: 1px solid var(--line); border-radius: 6px; user-select: all;
  white-space: pre-wrap;
}}
article, details {{ border: 1px solid var(--line); border-radius: 10px; margin: 8px 0; padding: 14px 18px; }}
details {{ padding: 8px 18px; }}
header {{
  align-items: baseline; display: flex; flex-wrap: wrap; gap: 4px 14px; justify-content: space-between;
}}
summary {{ cursor: pointer; }}
.badge {{ border-radius: 10px; font-size: 12.5px; font-weight: 600; padding: 1px 9px; white-space: nowrap; }}
.critical {{ background: var(--critical-ground); color: var(--critical); }}
.warning {{ background: var(--warning-ground); color: var(--warning); }}
.info {{ background: var(--info-ground); color: var(--info); }}
table {{ border-collapse: collapse; font-size: 13px; margin: 10px 0; width: 100%; }}
th {{ color: var(--ink-2); font-weight: 400; text-align: left; }}
th, td {{ border-bottom: 1px solid var(--line); padding: 5px 12px 5px 0; vertical-align: top; }}
th:last-child, td:last-child {{ padding-right: 0; }}
.n {{ font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }}
.words {{ text-align: right; }}
ul, ol {{ margin: 6px 0; padding-left: 20px; }}
.checks {{ list-style: none; padding: 0; }}
.checks li + li {{ border-top: 1px solid var(--line); padding-top: 6px; }}
figure {{ background: var(--ground); border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; }}
figcaption {{
  border-bottom: 1px solid var(--line); color: var(--ink-2); font-size: 12.5px; padding: 2px 12px;
}}
pre {{ margin: 0; overflow-wrap: anywhere; padding: 8px 12px; white-space: pre-wrap; }}
code {{ font: 12.5px/1.5 ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }}
@media print {{
  .gpus {{ display: block; }}
  body {{ max-width: none; padding: 0; }}
  article, figure {{ break-inside: avoid; }}
}}
"""
