/** Design tokens, light and dark, and the styles that all elements share. */

/** Styles are plain strings; the name tells tools what is in them. */
export const css = String.raw;

/** What stays at the top of a report: the run, and links to its parts. Nothing that has the focus lies under it. */
export const BAR_PX = 81;

/** Custom properties reach through shadow roots, so they are set once, on the document. */
export const TOKENS = css`
  :root {
    color-scheme: light;
    --ink: #202124;
    --ink-2: #5f6368;
    --line: #e3e6ea;
    --control-line: #8a9096;
    --ground: #f6f7f9;
    --panel: #fff;
    --page: #fff;
    --accent: #1967d2;
    --on-accent: #fff;
    --critical: #b3261e;
    --critical-ground: #fdecea;
    --warning: #8f4e00;
    --warning-ground: #fff4e0;
    --info: #1967d2;
    --info-ground: #e8f0fe;
    --good: #2f7d5b;
    --account-compute: #2f7d5b;
    --account-recoverable: #a9dcc2;
    --account-transfer: #7b61c9;
    --account-wait: #c3b4ef;
    --account-copy: #2e86c1;
    --account-input: #d9622b;
    --account-launch: #e0a100;
    --account-compile: #8d6e63;
    --account-host-op: #b8a23a;
    --account-sync: #4f9aa8;
    --account-between: #b5533c;
    --account-stagger: #e8a0bf;
    --account-unknown: #c8ccd2;
    --hatch: rgb(32 33 36 / 34%);
  }
  :root[data-theme='dark'] {
    color-scheme: dark;
    --ink: #e8eaed;
    --ink-2: #a8adb3;
    --line: #3c4043;
    --control-line: #80868b;
    --ground: #26282b;
    --panel: #292a2d;
    --page: #202124;
    --accent: #8ab4f8;
    --on-accent: #202124;
    --critical: #f28b82;
    --critical-ground: #3b2321;
    --warning: #fdd663;
    --warning-ground: #37301f;
    --info: #8ab4f8;
    --info-ground: #1f2b3d;
    --good: #81c995;
    --account-compute: #5fb58e;
    --account-recoverable: #3f7259;
    --account-transfer: #a78bfa;
    --account-wait: #5d4e8c;
    --account-copy: #64b5e8;
    --account-input: #ef8a57;
    --account-launch: #f2c94c;
    --account-compile: #a1887f;
    --account-host-op: #cdbb5a;
    --account-sync: #6fb7c4;
    --account-between: #e08a73;
    --account-stagger: #c96f97;
    --account-unknown: #5f6368;
    --hatch: rgb(32 33 36 / 55%);
  }
  html {
    background: var(--page);
    overflow-y: scroll;
    scroll-padding-top: ${BAR_PX + 12}px;
  }
  body {
    margin: 0;
  }
`;

/** For what is in a shadow root. */
export const SHARED = css`
  :host {
    color: var(--ink);
    display: block;
    font:
      14px/1.5 Roboto,
      system-ui,
      'Segoe UI',
      'Helvetica Neue',
      Arial,
      sans-serif;
  }
  :host,
  * {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd,
  pre {
    margin: 0;
  }
  p {
    max-width: 100ch;
  }
  ul {
    list-style: none;
    padding: 0;
  }
  h2 {
    font-size: 16px;
    font-weight: 600;
    line-height: 1.4;
  }
  h3 {
    font-size: 14px;
    font-weight: 600;
    line-height: 1.4;
  }
  h3 small {
    color: var(--ink-2);
    font-size: 13px;
    font-weight: 400;
    margin-left: 8px;
  }
  .note {
    color: var(--ink-2);
    font-size: 13px;
  }
  .name {
    overflow-wrap: anywhere;
    unicode-bidi: isolate;
  }
  a {
    color: var(--accent);
  }
  button,
  select,
  input {
    font: inherit;
    color: inherit;
  }
  button {
    cursor: pointer;
  }
  .button {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 6px;
    color: var(--accent);
    display: inline-block;
    font-size: 13px;
    line-height: 20px;
    padding: 5px 12px;
    text-decoration: none;
  }
  .button:hover {
    background: var(--ground);
  }
  .button.accent {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
  }
  .button.accent:hover {
    filter: brightness(1.08);
  }
  .bare {
    background: none;
    border: 0;
    padding: 0;
    text-align: left;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  code,
  pre {
    font:
      12.5px/1.5 ui-monospace,
      'Roboto Mono',
      'DejaVu Sans Mono',
      Menlo,
      Consolas,
      monospace;
  }
  table {
    border-collapse: collapse;
    font-size: 13px;
    width: 100%;
  }
  th {
    color: var(--ink-2);
    font-weight: 400;
    text-align: left;
  }
  th,
  td {
    border-bottom: 1px solid var(--line);
    padding: 5px 12px 5px 0;
    vertical-align: top;
  }
  th:last-child,
  td:last-child {
    padding-right: 0;
  }
  td.number,
  th.number {
    font-variant-numeric: tabular-nums;
    text-align: right;
    white-space: nowrap;
  }
  summary {
    color: var(--ink-2);
    cursor: pointer;
    font-size: 13px;
    line-height: 24px;
    overflow-wrap: anywhere;
    width: fit-content;
  }
  summary:hover {
    color: var(--ink);
  }
  .scroll {
    max-height: 70vh;
    overflow: auto;
  }
  .scroll td.name {
    min-width: 160px;
  }
  .tip {
    background: var(--ink);
    border: 0;
    border-radius: 6px;
    color: var(--page);
    font-size: 12.5px;
    font-weight: 400;
    inset: auto;
    line-height: 18px;
    margin: 0;
    max-width: min(420px, 80vw);
    padding: 4px 10px;
    pointer-events: none;
    position: fixed;
    text-transform: none;
    white-space: normal;
    width: max-content;
    z-index: 4;
  }
  .term {
    cursor: help;
    text-decoration: underline dotted var(--control-line);
    text-underline-offset: 3px;
  }
  .stacked {
    border-radius: 4px;
    display: block;
    overflow: hidden;
    stroke: var(--page);
  }
  .stacked .on {
    stroke: var(--ink);
    stroke-width: 3;
  }
  select {
    background: var(--page);
    border: 1px solid var(--control-line);
    border-radius: 6px;
    max-width: 100%;
    padding: 4px 8px;
  }
  /* The label of what picks one of several. */
  .picks {
    align-items: center;
    display: flex;
    font-size: 13px;
    gap: 8px;
    margin: 6px 0;
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    font-size: 13px;
    gap: 4px 20px;
    margin-top: 12px;
  }
  .legend svg {
    border-radius: 3px;
    flex: none;
  }
  .legend li {
    align-items: center;
    color: var(--ink-2);
    display: flex;
    gap: 7px;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  /* Charts. */
  #chart {
    position: relative;
  }
  :where(#chart) svg {
    display: block;
    overflow: visible;
  }
  .grid {
    stroke: var(--line);
  }
  .tick {
    fill: var(--ink-2);
    font-size: 11.5px;
    text-anchor: middle;
  }
  .mark {
    fill: var(--ink);
    font-size: 12px;
    paint-order: stroke;
    pointer-events: none;
    stroke: var(--page);
    stroke-width: 3px;
  }
  .tick.end,
  .mark.end {
    text-anchor: end;
  }
  .axis {
    color: var(--ink-2);
    font-size: 11.5px;
    position: relative;
  }
  .axis span {
    position: absolute;
    transform: translateX(-50%);
    white-space: nowrap;
  }
  .legend i.dashed {
    border-top: 2px dashed var(--ink-2);
  }
  /* Choices beside each other. */
  .switch {
    border: 1px solid var(--control-line);
    border-radius: 6px;
    display: inline-flex;
    flex-wrap: wrap;
    overflow: hidden;
  }
  .switch button {
    background: none;
    border: 0;
    color: var(--ink-2);
    font-size: 12.5px;
    line-height: 24px;
    padding: 0 10px;
  }
  .switch button:focus-visible {
    outline-offset: -2px;
  }
  .switch [aria-pressed='true'] {
    background: var(--info-ground);
    color: var(--accent);
    font-weight: 500;
  }
  /* How bad it is, as a pill. */
  .pill {
    border-radius: 10px;
    font-size: 12.5px;
    font-weight: 600;
    white-space: nowrap;
  }
  .pill.critical {
    background: var(--critical-ground);
    color: var(--critical);
  }
  .pill.warning {
    background: var(--warning-ground);
    color: var(--warning);
  }
  .pill.info {
    background: var(--info-ground);
    color: var(--info);
  }
  .unseen {
    clip-path: inset(50%);
    height: 1px;
    overflow: hidden;
    position: absolute;
    white-space: nowrap;
    width: 1px;
  }
`;
