import { html } from 'lit-html';
import { timelineRange } from '../format.js';
import { viewerHref } from '../links.js';
import type { Place } from '../model.js';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';

/** The trace viewer inside the tab, zoomed to one place; nothing while there is none. */
export class TraceElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
      margin-top: 16px;
    }
    iframe {
      background: #fff;
      border: 1px solid var(--line);
      border-radius: 6px;
      display: block;
      height: clamp(480px, 82vh, 900px);
      margin-top: 6px;
      width: 100%;
    }
  `;
  static readonly properties = { run: String, place: Object };

  run = '';
  place: Place | null = null;

  protected override template() {
    return html`
      <span class="note name">${this.whereabouts()}</span>
      <div id="viewer"></div>
    `;
  }

  protected override drawn(): void {
    // A frame that changes its address adds to the browser's history; a new frame does not.
    this.child('viewer').replaceChildren(...(this.place ? [this.frame(this.place)] : []));
  }

  private whereabouts(): string {
    const { place } = this;
    return place ? `Trace viewer: ${place.host}, ${timelineRange(place.begin_ms, place.end_ms)}` : '';
  }

  private frame({ host, begin_ms: beginMs, end_ms: endMs }: Place): HTMLIFrameElement {
    const frame = document.createElement('iframe');
    frame.title = this.whereabouts();
    frame.src = viewerHref(document.baseURI, { run: this.run, host, beginMs, endMs });
    requestAnimationFrame(() => frame.scrollIntoView({ block: 'nearest' }));
    return frame;
  }
}

customElements.define('tfperf-trace', TraceElement);
