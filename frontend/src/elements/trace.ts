import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { afterNextRender } from '@polymer/polymer/lib/utils/render-status.js';
import { timelineRange } from '../format.js';
import { viewerHref } from '../links.js';
import type { Place } from '../model.js';
import { sharedStyles } from './old.js';

/** The trace viewer inside the tab, zoomed to one place; nothing while there is none. */
export class TraceElement extends PolymerElement {
  static get is() {
    return 'tfperf-trace';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; margin-top: 16px; }
        iframe { background: #fff; border: 1px solid var(--line); border-radius: 6px; display: block; height: clamp(480px, 82vh, 900px); margin-top: 6px; width: 100%; }
      </style>
      <span class="note name">[[whereabouts(place)]]</span>
      <div id="viewer"></div>
    `;
  }

  static get properties() {
    return { run: String, place: { type: Object, value: null } };
  }

  static get observers() {
    return ['onPlace(run, place)'];
  }

  declare run: string;
  declare place: Place | null;

  onPlace(run: string, place: Place | null): void {
    // A frame that changes its address adds to the browser's history; a new frame does not.
    this.$['viewer']?.replaceChildren(...(place ? [this.frame(run, place)] : []));
  }

  whereabouts(place: Place | null): string {
    return place ? `Trace viewer: ${place.host}, ${timelineRange(place.begin_ms, place.end_ms)}` : '';
  }

  private frame(run: string, place: Place): HTMLIFrameElement {
    const frame = document.createElement('iframe');
    frame.title = this.whereabouts(place);
    frame.src = viewerHref(document.baseURI, {
      run,
      host: place.host,
      beginMs: place.begin_ms,
      endMs: place.end_ms,
    });
    afterNextRender(this, () => frame.scrollIntoView({ block: 'nearest' }));
    return frame;
  }
}

customElements.define(TraceElement.is, TraceElement);
