import { html, nothing } from 'lit-html';
import { type TraceAccess, whyNot } from '../../backend.js';
import '../../elements/save_trace.js';
import { deviceName } from '../../format.js';
import { viewerHref } from '../../links.js';
import type { Place, Report } from '../../model.js';

/** Whether the trace viewer, which shows the first two GPUs on top, does not show this one. */
function isBelow(device: string | null): boolean {
  return Number(/\d+$/.exec(device ?? '')?.[0] ?? 0) > 1;
}

/** The trace viewer on a place, and where to look in it, or why there is none; another viewer gets a file. */
export function traceLink({ run, viewer }: Report, place: Place, access: TraceAccess | null) {
  if (viewer !== 'XProf')
    return html`<tfperf-save-trace .run=${run} .place=${place} .viewer=${viewer}></tfperf-save-trace>`;
  const { host, device, begin_ms, end_ms } = place;
  if (access === null) return nothing;
  const refusal = whyNot(access, host);
  if (refusal) return html`<span class="note">${refusal}</span>`;
  const href = viewerHref(document.baseURI, { run, host, beginMs: begin_ms, endMs: end_ms });
  return html`<a class="button" href=${href} target="_blank" rel="noopener">Open in trace viewer</a
    ><span class="note" ?hidden=${!isBelow(device)}
      >It shows the first GPUs on top: scroll to ${deviceName(device ?? '')}.</span
    >`;
}
