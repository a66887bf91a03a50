/**
 * Addresses of the trace viewer and of the rules' pages, all derived from `document.baseURI`
 * (…/data/plugin/diagnostics/), so that they hold under --path_prefix, behind a proxy and inside a notebook.
 *
 * Ranges are milliseconds on the host's own timeline. A host is named as its file, without
 * ".xplane.pb".
 */

import { FIELDS, type Typed } from './typed.js';

export interface TraceTarget {
  run: string;
  host: string;
  beginMs: number;
  endMs: number;
}

const TOOL = 'trace_viewer@';

/** What the range is widened by on both sides, as a share of its length. */
const PADDING = 0.1;

/** The least width shown, in ms: an empty range would be drawn as an empty view. */
const LEAST_MS = 0.001;

/** The root of TensorBoard. */
export function tensorboardRoot(baseURI: string): URL {
  return new URL('../../../', baseURI);
}

/** The routes of the profile plugin. */
export function profileRoot(baseURI: string): URL {
  return new URL('../profile/', baseURI);
}

/** Ordered, padded and clamped: the viewer shows nothing at all for any other range. */
export function viewRange(beginMs: number, endMs: number): { begin: number; end: number } {
  const low = Math.min(beginMs, endMs);
  const high = Math.max(beginMs, endMs);
  const pad = Math.max((high - low) * PADDING, LEAST_MS);
  return { begin: Math.max(0, low - pad), end: Math.max(LEAST_MS, high + pad) };
}

/** Enough digits for nanoseconds, no exponent. */
function ms(value: number): string {
  return value.toFixed(6);
}

/** The query that names a run and a host; the viewer wants the host twice. */
function query(target: TraceTarget, more: Record<string, string> = {}): string {
  const { run, host } = target;
  return new URLSearchParams({ run, host, hosts: host, ...more }).toString();
}

/** A: the Profile tab by a page load, not zoomed. The fallback of a middle click. */
export function profileTabHref(baseURI: string, target: TraceTarget): string {
  const url = tensorboardRoot(baseURI);
  url.search = query(target, { tool: TOOL });
  url.hash = 'profile';
  return url.href;
}

/** The part of D that the Profile tab reads from TensorBoard's own address; it stumbles over `host`. */
export function profileTabQuery(target: TraceTarget): string {
  return `?${new URLSearchParams({ tool: TOOL, run: target.run, hosts: target.host })}`;
}

/** B and C: the viewer alone, zoomed to the range; for a window or an iframe of its own. */
export function viewerHref(baseURI: string, target: TraceTarget): string {
  const root = profileRoot(baseURI);
  const data = new URL(`data?${query(target, { tag: TOOL })}`, root);
  const { begin, end } = viewRange(target.beginMs, target.endMs);
  const url = new URL('trace_viewer_index.html', root);
  url.search = new URLSearchParams({
    is_streaming: 'true',
    is_oss: 'true',
    trace_data_url: data.pathname + data.search,
    source_code_service: 'false',
    view_start: ms(begin),
    view_end: ms(end),
  }).toString();
  return url.href;
}

/** D: the document of the Profile tab's own iframe. `nonce` makes a second visit load again. */
export function profileFrameHref(baseURI: string, target: TraceTarget, nonce: string): string {
  const { begin, end } = viewRange(target.beginMs, target.endMs);
  const url = new URL('index.html', profileRoot(baseURI));
  url.search = query(target, { tool: TOOL, view_start: ms(begin), view_end: ms(end), nonce });
  return url.href;
}

/** D, for a viewer that does not zoom by itself: adds the range to the address of its iframe. */
export function withRange(viewerSrc: string, target: TraceTarget): string {
  const url = new URL(viewerSrc);
  const { begin, end } = viewRange(target.beginMs, target.endMs);
  url.searchParams.set('view_start', ms(begin));
  url.searchParams.set('view_end', ms(end));
  return url.href;
}

/** The range, a little widened, as a file that Perfetto opens. */
export function sliceHref(baseURI: string, target: TraceTarget): string {
  const { run, host, beginMs, endMs } = target;
  const { begin, end } = viewRange(beginMs, endMs);
  return new URL(`slice?${new URLSearchParams({ run, host, begin_ms: ms(begin), end_ms: ms(end) })}`, baseURI).href;
}

/** The page of a rule: how it measures, its thresholds, an example, its limits. */
export function pageHref(baseURI: string, rule: string): string {
  return new URL(`page?${new URLSearchParams({ rule })}`, baseURI).href;
}

/** The report as a file: "markdown", "json" or "html". */
export function exportHref(baseURI: string, run: string, typed: Typed, format: string): string {
  const query = new URLSearchParams({ run, format });
  for (const field of FIELDS) {
    const text = typed[field];
    if (text !== null) query.set(field, text);
  }
  return new URL(`export?${query}`, baseURI).href;
}

/** Only web addresses become links: a report is data, and "javascript:" is data too. */
export function webAddress(url: string): string | undefined {
  try {
    const parsed = new URL(url);
    return ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : undefined;
  } catch {
    return undefined;
  }
}
