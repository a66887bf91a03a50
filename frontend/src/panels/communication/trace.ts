import { html, nothing } from 'lit-html';
import { type TraceAccess, whyNot } from '../../backend.js';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import '../../elements/save_trace.js';
import { deviceName, placeWords, timelineRange } from '../../format.js';
import { profileTabHref, viewerHref } from '../../links.js';
import type { Place, Report } from '../../model.js';
import { css } from '../../theme.js';

/** A place in the trace viewer, here in the tab or elsewhere. */
export class TraceElement extends TfperfElement {
  static override readonly styles = css`
    .ways {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    .ways[data-unknown] {
      visibility: hidden;
    }
    .note {
      margin-top: 8px;
    }
    iframe {
      background: #fff;
      border: 1px solid var(--line);
      border-radius: 6px;
      height: clamp(480px, 82vh, 900px);
      margin-top: 6px;
      width: 100%;
    }
  `;
  static readonly properties = { run: String, viewer: String, place: Object, access: Object, shown: Boolean };

  run!: string;
  viewer: Report['viewer'] = 'XProf';
  place!: Place;
  access: TraceAccess | null = null;
  /** Whether the viewer is open. */
  shown = true;

  protected override changed(former: Former): void {
    if ('place' in former) this.shown = true;
  }

  protected override template() {
    const { place, access, shown } = this;
    if (this.viewer !== 'XProf') return this.saving();
    const refusal = whyNot(access, place.host);
    return html`
      ${refusal ? nothing : this.ways(access !== null)}
      <p class="note" ?hidden=${!refusal}>${refusal}</p>
      <p class="note" ?hidden=${refusal || !place.device}>
        The trace viewer shows the first GPUs on top: scroll to ${deviceName(place.device ?? '')}.
      </p>
      <p class="note name">${placeWords(place)}${place.label ? `: ${place.label}` : ''}</p>
      <p class="note name" ?hidden=${!shown}>${this.whereabouts()}</p>
      <div id="viewer"></div>
    `;
  }

  /** What TensorBoard's viewer cannot show. */
  private saving() {
    const { run, viewer, place } = this;
    return html`
      <p class="note name">
        ${[place.step === null ? '' : `Step ${place.step}`, place.label].filter(Boolean).join(': ')}
      </p>
      <div class="ways">
        <tfperf-save-trace .run=${run} .viewer=${viewer} .place=${place}></tfperf-save-trace>
        ${this.inTimeline()}
      </div>
    `;
  }

  private inTimeline() {
    const { place } = this;
    return html`<button
      class="button"
      @click=${() => fire(this, 'show-in-timeline', { place })}
      ?hidden=${place.step === null}
    >
      Show in timeline
    </button>`;
  }

  /** Until it is known whether they lead anywhere they take their room unseen, so that nothing moves under the hand. */
  private ways(known: boolean) {
    const { place, shown } = this;
    const target = { run: this.run, host: place.host, beginMs: place.begin_ms, endMs: place.end_ms };
    const onProfile = (click: MouseEvent): void => {
      if (click.ctrlKey || click.metaKey || click.shiftKey || click.button !== 0) return;
      // The app prevents this click's page load when it can switch to the Profile tab without one.
      fire(this, 'open-profile-tab', { target, click });
    };
    return html`
      <div class="ways" ?data-unknown=${!known}>
        <button class="button accent" @click=${() => (this.shown = !shown)} aria-expanded=${shown}>
          ${shown ? 'Close the trace' : 'Show in trace'}
        </button>
        <a class="button" href=${profileTabHref(document.baseURI, target)} target="_parent" @click=${onProfile}
          >Open in Profile tab</a
        >
        <a class="button" href=${viewerHref(document.baseURI, target)} target="_blank" rel="noopener">New window</a>
        ${this.inTimeline()}
      </div>
    `;
  }

  protected override drawn(former: Former): void {
    if (this.viewer !== 'XProf' || !['run', 'place', 'shown'].some((name) => name in former)) return;
    // A frame that changes its address adds to the browser's history; a new frame does not.
    this.child('viewer').replaceChildren(...(this.shown ? [this.frame()] : []));
  }

  private whereabouts(): string {
    const { host, begin_ms, end_ms } = this.place;
    return `Trace viewer: ${host}, ${timelineRange(begin_ms, end_ms)}`;
  }

  private frame(): HTMLIFrameElement {
    const { host, begin_ms: beginMs, end_ms: endMs } = this.place;
    const frame = document.createElement('iframe');
    frame.title = this.whereabouts();
    frame.src = viewerHref(document.baseURI, { run: this.run, host, beginMs, endMs });
    requestAnimationFrame(() => frame.scrollIntoView({ block: 'nearest' }));
    return frame;
  }
}

customElements.define('tfperf-trace', TraceElement);
