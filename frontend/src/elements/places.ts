import { html, nothing } from 'lit-html';
import { type TraceAccess, whyNot } from '../backend.js';
import { deviceName, timelineRange } from '../format.js';
import { profileTabHref, viewerHref } from '../links.js';
import type { Place } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement, fire } from './base.js';

/** Where to look: the places of a finding, and the ways to open the chosen one in the trace viewer. */
export class PlacesElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    .ways {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    .ways[data-unknown] {
      visibility: hidden;
    }
    ul {
      list-style: none;
      margin-top: 8px;
      padding: 0;
    }
    .place {
      border-left: 3px solid transparent;
      border-radius: 3px;
      padding: 3px 8px;
      width: 100%;
    }
    .place:hover {
      background: var(--ground);
    }
    .place[aria-pressed='true'] {
      border-left-color: var(--accent);
      background: var(--ground);
    }
    .place b {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 2;
      display: -webkit-box;
      font-weight: 400;
      overflow: hidden;
    }
    .place b::first-letter {
      text-transform: uppercase;
    }
    .place span {
      color: var(--ink-2);
      display: block;
      font-size: 12.5px;
    }
    .only {
      margin-top: 8px;
    }
  `;
  static readonly properties = {
    run: String,
    places: Array,
    access: Object,
    shown: Boolean,
    place: Object,
  };

  run!: string;
  places: Place[] = [];
  access: TraceAccess | null = null;
  /** Whether the viewer is open on the chosen place; the owner of this element shows it. */
  shown = false;
  place: Place | undefined;

  protected override changed(former: Former): void {
    if ('places' in former) this.place = this.places[0] ?? this.place;
  }

  protected override template() {
    const { places, access, place } = this;
    const refusal = place ? whyNot(access, place.host) : '';
    return html`
      ${place && !refusal ? this.ways(place, access !== null) : nothing}
      <p class="note" ?hidden=${!refusal}>${refusal}</p>
      <p class="note" ?hidden=${refusal || !place?.device}>
        The trace viewer shows the first GPUs on top: scroll to ${place?.device ? deviceName(place.device) : ''}.
      </p>
      ${
        places.length === 1
          ? places.map(
              (only) => html`<p class="note name only">${describe(only)}${only.label ? `: ${only.label}` : ''}</p>`,
            )
          : html` <ul aria-label="Places, worst first">
              ${places.map(
                (one) =>
                  html` <li>
                    <button class="bare place name" aria-pressed=${one === place} @click=${() => this.choose(one)}>
                      <b title=${one.label}>${one.label}</b><span>${describe(one)}</span>
                    </button>
                  </li>`,
              )}
            </ul>`
      }
    `;
  }

  /** Until it is known whether they lead anywhere they take their room unseen, so that nothing moves under the hand. */
  private ways(place: Place, known: boolean) {
    const target = { run: this.run, host: place.host, beginMs: place.begin_ms, endMs: place.end_ms };
    const onProfile = (click: MouseEvent): void => {
      if (click.ctrlKey || click.metaKey || click.shiftKey || click.button !== 0) return;
      // The app prevents this click's page load when it can switch to the Profile tab without one.
      fire(this, 'open-profile-tab', { target, click });
    };
    return html`
      <div class="ways" ?data-unknown=${!known}>
        <button class="button accent" @click=${() => this.announce(!this.shown)} aria-expanded=${this.shown}>
          ${this.shown ? 'Close the trace' : 'Show in trace'}
        </button>
        <a class="button" href=${profileTabHref(document.baseURI, target)} target="_parent" @click=${onProfile}
          >Open in Profile tab</a
        >
        <a class="button" href=${viewerHref(document.baseURI, target)} target="_blank" rel="noopener">New window</a>
        <button class="button" @click=${() => fire(this, 'show-in-timeline', { place })} ?hidden=${place.step === null}>
          Show in timeline
        </button>
      </div>
    `;
  }

  private choose(place: Place): void {
    this.place = place;
    if (this.shown) this.announce(true);
  }

  private announce(shown: boolean): void {
    fire(this, 'show-trace', { place: shown ? this.place : null });
  }
}

export function describe({ step, device, stream, host, begin_ms, end_ms }: Place): string {
  const what = [
    step === null ? '' : `step ${step}`,
    device === null ? '' : deviceName(device),
    stream,
    host,
    timelineRange(begin_ms, end_ms),
  ];
  return what.filter(Boolean).join(' · ');
}

customElements.define('tfperf-places', PlacesElement);
