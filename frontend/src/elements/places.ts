import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { type TraceAccess, canOpen, whyNot } from '../backend.js';
import { deviceName, timelineRange } from '../format.js';
import { type TraceTarget, profileTabHref, viewerHref } from '../links.js';
import type { Place } from '../model.js';
import { sharedStyles } from './old.js';
import type { RepeatEvent } from './old.js';
import { fire } from './base.js';

/** Where to look: the places of a finding, and the ways to open the chosen one in the trace viewer. */
export class PlacesElement extends PolymerElement {
  static get is() {
    return 'tfperf-places';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .ways { display: flex; flex-wrap: wrap; gap: 8px; }
        ul { list-style: none; margin-top: 8px; padding: 0; }
        .place { border-left: 3px solid transparent; border-radius: 3px; padding: 3px 8px; width: 100%; }
        .place:hover { background: var(--ground); }
        .place[aria-pressed='true'] { border-left-color: var(--accent); background: var(--ground); }
        .place b { -webkit-box-orient: vertical; -webkit-line-clamp: 2; display: -webkit-box; font-weight: 400; overflow: hidden; }
        .place b::first-letter { text-transform: uppercase; }
        .place span { color: var(--ink-2); display: block; font-size: 12.5px; }
        .only { margin-top: 8px; }
      </style>
      <template is="dom-if" if="[[linked]]">
        <div class="ways">
          <button class="button accent" on-click="onShow" aria-expanded$="[[text(shown)]]">[[showLabel(shown)]]</button>
          <a class="button" href$="[[profileHref]]" target="_parent" on-click="onProfile">Open in Profile tab</a>
          <a class="button" href$="[[viewer]]" target="_blank" rel="noopener">New window</a>
          <button class="button" on-click="onTimeline" hidden$="[[!hasTimeline(place, inTimeline)]]">Show in timeline</button>
        </div>
      </template>
      <p class="note" hidden$="[[!refusal]]">[[refusal]]</p>
      <template is="dom-if" if="[[single(places)]]">
        <p class="note name only">[[describe(place)]][[sentence(place)]]</p>
      </template>
      <template is="dom-if" if="[[!single(places)]]">
        <ul aria-label="Places, worst first">
          <template is="dom-repeat" items="[[places]]">
            <li>
              <button class="bare place name" aria-pressed$="[[isChosen(item, place)]]" on-click="onChoose">
                <b title$="[[item.label]]">[[item.label]]</b><span>[[describe(item)]]</span>
              </button>
            </li>
          </template>
        </ul>
      </template>
    `;
  }

  static get properties() {
    return {
      run: String,
      places: Array,
      access: Object,
      /** Whether the viewer is open on the chosen place; the owner of this element shows it. */
      shown: { type: Boolean, value: false },
      /** Whether these places are shown in the timeline already. */
      inTimeline: { type: Boolean, value: false },
      place: Object,
      linked: { type: Boolean, computed: 'canLink(access, place)' },
      refusal: { type: String, computed: 'why(access, place)' },
      viewer: { type: String, computed: 'viewerOf(run, place)' },
      profileHref: { type: String, computed: 'profileOf(run, place)' },
    };
  }

  static get observers() {
    return ['onPlaces(places)'];
  }

  declare run: string;
  declare places: Place[];
  declare access: TraceAccess | null;
  declare shown: boolean;
  declare inTimeline: boolean;
  declare place: Place;
  declare linked: boolean;
  declare refusal: string;
  declare viewer: string;
  declare profileHref: string;

  onPlaces(places: Place[]): void {
    if (places[0]) this.place = places[0];
  }

  onChoose(event: RepeatEvent<Place>): void {
    this.place = event.model.item;
    if (this.shown) this.announce(true);
  }

  onShow(): void {
    this.announce(!this.shown);
  }

  onTimeline(): void {
    fire(this, 'show-in-timeline', { place: this.place });
  }

  onProfile(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    // The app prevents this click's page load when it can switch to the Profile tab without one.
    fire(this, 'open-profile-tab', { target: target(this.run, this.place), click: event });
  }

  canLink(access: TraceAccess | null, place: Place | undefined): boolean {
    return place !== undefined && canOpen(access, place.host);
  }

  why(access: TraceAccess | null, place: Place | undefined): string {
    return place ? whyNot(access, place.host) : '';
  }

  viewerOf(run: string, place: Place | undefined): string {
    return place === undefined ? '' : viewerHref(document.baseURI, target(run, place));
  }

  profileOf(run: string, place: Place | undefined): string {
    return place === undefined ? '' : profileTabHref(document.baseURI, target(run, place));
  }

  hasTimeline(place: Place | undefined, inTimeline: boolean): boolean {
    return !inTimeline && place !== undefined && place.step !== null;
  }

  describe(place: Place | undefined): string {
    if (!place) return '';
    const what = [
      place.step === null ? '' : `step ${place.step}`,
      place.device === null ? '' : deviceName(place.device),
      place.stream ?? '',
      place.host,
      timelineRange(place.begin_ms, place.end_ms),
    ];
    return what.filter(Boolean).join(' · ');
  }

  sentence(place: Place | undefined): string {
    return place?.label ? `: ${place.label}` : '';
  }

  showLabel(shown: boolean): string {
    return shown ? 'Close the trace' : 'Show in trace';
  }

  single(places: Place[] | undefined): boolean {
    return places?.length === 1;
  }

  isChosen(item: Place, place: Place | undefined): string {
    return String(item === place);
  }

  text(value: boolean): string {
    return String(value);
  }

  private announce(shown: boolean): void {
    fire(this, 'show-trace', { place: shown ? this.place : null });
  }
}

function target(run: string, place: Place): TraceTarget {
  return { run, host: place.host, beginMs: place.begin_ms, endMs: place.end_ms };
}

customElements.define(PlacesElement.is, PlacesElement);
