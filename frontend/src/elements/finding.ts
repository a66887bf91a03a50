import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import type { TraceAccess } from '../backend.js';
import { percent, savingTime } from '../format.js';
import { MARK_WORDS, type Mark } from '../list.js';
import type { Finding, Place, Stagger } from '../model.js';
import { sharedStyles } from './old.js';
import { fire } from './base.js';
import './copy.js';
import './evidence.js';
import './fix.js';
import './limits.js';
import './places.js';
import './severity.js';
import './stagger.js';
import './text.js';
import './trace.js';

/** One finding: what, how much, how do you know, where, what to do. In this order. */
export class FindingElement extends PolymerElement {
  static get is() {
    return 'tfperf-finding';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; display: block; }
        :host([nested]) { background: none; }
        h3 { font: inherit; }
        .head { align-items: baseline; border-radius: 10px; display: grid; gap: 2px 14px; grid-template-columns: 20px 88px minmax(0, 1fr) auto 14px; padding: 12px 18px; width: 100%; }
        .head:hover { background: var(--ground); }
        :host([nested]) .head { grid-template-columns: 88px minmax(0, 1fr) auto 14px; padding: 9px 14px; }
        .index { color: var(--ink-2); }
        .title { font-size: 15px; font-weight: 600; }
        :host([nested]) .title { font-size: 14px; }
        .saving { text-align: right; white-space: nowrap; }
        .saving b { color: var(--ink); font-size: 15px; }
        .chevron { align-self: center; border: solid var(--ink-2); border-width: 0 1.5px 1.5px 0; height: 7px; margin: -4px 2px 0; transform: rotate(45deg); width: 7px; }
        [aria-expanded='true'] .chevron { margin-top: 4px; transform: rotate(225deg); }
        .body { border-top: 1px solid var(--line); padding: 14px 18px 18px 52px; }
        :host([nested]) .body { padding: 12px 14px 14px; }
        .columns { display: grid; gap: 20px 28px; grid-template-columns: minmax(0, 1fr) minmax(0, 400px); }
        .columns.plain { grid-template-columns: minmax(0, 1fr); }
        .main > * + * { margin-top: 12px; }
        .side > * + * { margin-top: 14px; }
        .folded { margin-top: 18px; }
        .folded h4 { color: var(--ink-2); font-size: 13px; font-weight: 400; margin: 0 0 6px; }
        .folded tfperf-finding + tfperf-finding { margin-top: 6px; }
        .actions { border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 4px 20px; margin-top: 16px; padding-top: 10px; }
        .actions button { color: var(--accent); font-size: 13px; }
        .actions + tfperf-limits { margin-top: 6px; }
        :host([mark]) .title, :host([mark]) .saving b { color: var(--ink-2); font-weight: 400; }
        .marked { color: var(--ink-2); font-size: 13px; padding: 0 18px 10px 154px; }
        .marked button { color: var(--accent); margin-left: 12px; }
        @media (min-width: 1600px) { .columns:not(.plain) { grid-template-columns: minmax(0, 1fr) minmax(0, 600px); } }
        @media (max-width: 999px) {
          .columns { grid-template-columns: minmax(0, 1fr); }
          .body, .marked { padding-left: 18px; }
          .head { grid-template-columns: 20px 88px minmax(0, 1fr) 14px; }
          :host([nested]) .head { grid-template-columns: 88px minmax(0, 1fr) 14px; }
          .saving { grid-column: 3; grid-row: 2; text-align: left; white-space: normal; }
          :host([nested]) .saving { grid-column: 2; }
        }
      </style>
      <h3>
        <button id="head" class="bare head" aria-expanded$="[[text(expanded)]]" on-click="onToggle">
          <span class="index" hidden$="[[nested]]">[[index]]</span>
          <tfperf-severity severity="[[finding.severity]]"></tfperf-severity>
          <span class="title name">[[finding.title]]</span>
          <span class="saving note"><b>[[time(finding)]]</b>[[share(finding)]]</span>
          <span class="chevron" aria-hidden="true"></span>
        </button>
      </h3>
      <p class="marked" hidden$="[[!mark]]">Marked as [[words(mark)]]<button class="bare" data-mark="" on-click="onMark" aria-label$="Undo the mark of: [[finding.title]]">Undo</button></p>
      <template is="dom-if" if="[[expanded]]" restamp>
        <div class="body">
          <div class$="columns [[layout(finding, staggered)]]">
            <div class="main">
              <p class="name"><tfperf-text text="[[finding.summary]]"></tfperf-text></p>
              <tfperf-evidence items="[[finding.evidence]]" hidden$="[[!finding.evidence.length]]"></tfperf-evidence>
              <p class="note" hidden$="[[!basis(finding)]]">[[basis(finding)]]</p>
              <tfperf-fix fix="[[finding.fix]]" guide="[[finding.guide]]" rule="[[finding.id]]"></tfperf-fix>
            </div>
            <div class="side">
              <template is="dom-if" if="[[staggered]]">
                <tfperf-stagger stagger="[[stagger]]" access="[[access]]"></tfperf-stagger>
              </template>
              <template is="dom-if" if="[[finding.where.length]]">
                <tfperf-places run="[[run]]" places="[[finding.where]]" access="[[access]]" shown="[[isShown(traced)]]"></tfperf-places>
              </template>
            </div>
          </div>
          <template is="dom-if" if="[[traced]]" restamp>
            <tfperf-trace run="[[run]]" place="[[traced]]"></tfperf-trace>
          </template>
          <template is="dom-if" if="[[finding.explains.length]]">
            <div class="folded">
              <h4>This also explains</h4>
              <template is="dom-repeat" items="[[finding.explains]]">
                <tfperf-finding nested finding="[[item]]" run="[[run]]" access="[[access]]" stagger="[[stagger]]" opened="[[opened]]" expanded="[[isOpened(item, opened)]]"></tfperf-finding>
              </template>
            </div>
          </template>
          <div class="actions">
            <template is="dom-if" if="[[!nested]]">
              <button class="bare" data-mark="done" hidden$="[[mark]]" on-click="onMark">Mark as done</button>
              <button class="bare" data-mark="irrelevant" hidden$="[[mark]]" on-click="onMark">Not relevant here</button>
            </template>
            <tfperf-copy words="Copy link" link="[[finding.id]]"></tfperf-copy>
          </div>
          <tfperf-limits rule="[[finding.id]]" of="[[finding.title]]"></tfperf-limits>
        </div>
      </template>
    `;
  }

  static get properties() {
    return {
      finding: { type: Object, observer: 'onFinding' },
      /** Place in the ranked list, from 1. */
      index: Number,
      run: String,
      access: { type: Object, value: null },
      stagger: { type: Object, value: null },
      nested: { type: Boolean, value: false, reflectToAttribute: true },
      expanded: { type: Boolean, value: false },
      /** How the user marked it. */
      mark: { type: String, value: null, reflectToAttribute: true },
      /** Id of the finding that the address opens. */
      opened: { type: String, value: null },
      /** The place on which the trace viewer is open, if it is. */
      traced: { type: Object, value: null },
      staggered: { type: Boolean, computed: 'hasStagger(finding, stagger)' },
    };
  }

  static get observers() {
    return ['onExpanded(finding, expanded)'];
  }

  declare finding: Finding;
  declare index: number;
  declare run: string;
  declare access: TraceAccess | null;
  declare stagger: Stagger | null;
  declare nested: boolean;
  declare expanded: boolean;
  declare mark: Mark | null;
  declare opened: string | null;
  declare traced: Place | null;
  declare staggered: boolean;

  override ready(): void {
    super.ready();
    this.addEventListener('show-trace', (event) => {
      // A folded finding shows its own viewer.
      event.stopPropagation();
      this.traced = (event as CustomEvent<{ place: Place | null }>).detail.place;
    });
  }

  onFinding(): void {
    this.traced = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.finding) this.onExpanded(this.finding, this.expanded);
  }

  /** Places of what is open are marked in the timeline. */
  onExpanded(finding: Finding, expanded: boolean): void {
    // Properties are set before an element is part of the page.
    if (this.isConnected) fire(this, 'finding-shown', { places: expanded ? finding.where : [] });
  }

  onToggle(): void {
    this.expanded = !this.expanded;
    if (!this.expanded) this.traced = null;
    if (!this.nested) fire(this, 'finding-toggle', { id: this.finding.id, expanded: this.expanded });
  }

  onMark(event: Event): void {
    const mark = ((event.currentTarget as HTMLElement).dataset['mark'] || null) as Mark | null;
    fire(this, 'mark', { id: this.finding.id, mark });
  }

  /** Brings this finding, or the one folded into it, into view, with the focus on it: an address leads here. */
  show(id: string): void {
    const folded = this.shadowRoot?.querySelectorAll<FindingElement>('tfperf-finding') ?? [];
    const target = [...folded].find(({ finding }) => finding.id === id) ?? this;
    const { top } = target.getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 2) target.scrollIntoView({ block: 'start' });
    target.focusHead();
  }

  focusHead(): void {
    (this.$['head'] as HTMLElement).focus({ preventScroll: true });
  }

  words(mark: Mark | null): string {
    return mark ? MARK_WORDS[mark] : '';
  }

  isOpened(finding: Finding, opened: string | null): boolean {
    return finding.id === opened;
  }

  hasStagger(finding: Finding | undefined, stagger: Stagger | null): boolean {
    return finding?.id === 'gpu-stagger' && (stagger?.items.length ?? 0) > 0;
  }

  layout(finding: Finding, staggered: boolean): string {
    return staggered || finding.where.length > 0 ? '' : 'plain';
  }

  time(finding: Finding | undefined): string {
    return finding?.saving ? savingTime(finding.saving) : '';
  }

  share(finding: Finding | undefined): string {
    if (!finding) return '';
    const saved = finding.saving ? ` per step · ${percent(finding.saving.ratio)} · ` : '';
    return `${saved}${finding.confidence} confidence`;
  }

  basis(finding: Finding | undefined): string {
    return finding?.saving?.basis ? `How the saving was estimated: ${finding.saving.basis}` : '';
  }

  isShown(place: Place | null): boolean {
    return place !== null;
  }

  text(value: boolean): string {
    return String(value);
  }
}

customElements.define(FindingElement.is, FindingElement);
