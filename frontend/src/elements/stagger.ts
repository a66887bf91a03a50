import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { staggerChart, worstStep } from '../charts/stagger_chart.js';
import { deviceName, duration } from '../format.js';
import type { Stagger, StaggerItem } from '../model.js';
import { sharedStyles } from '../theme.js';

const ORDERS: Record<Stagger['order'], string> = {
  fixed: 'The GPUs start in the same order in every step.',
  rotating: 'The order in which the GPUs start changes from step to step.',
  none: '',
};

/** When each GPU starts the step in which they start furthest apart. */
export class StaggerElement extends PolymerElement {
  static get is() {
    return 'tfperf-stagger';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; min-width: 0; }
        .label { fill: var(--ink-2); font-size: 12px; }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .launch { fill: none; stroke: var(--ink); stroke-width: 1.5; }
      </style>
      <div id="drawing" role="img" aria-label$="[[words]]"></div>
      <p class="note">[[words]]</p>
    `;
  }

  static get properties() {
    return { stagger: { type: Object, observer: 'onStagger' }, words: { type: String, value: '' } };
  }

  /** Null for a moment, when the next report has none. */
  declare stagger: Stagger | null;
  declare words: string;
  private rows: StaggerItem[] = [];
  private width = 0;
  private readonly resizing = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width > 0 && width !== this.width) {
      this.width = width;
      this.draw();
    }
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.resizing.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resizing.disconnect();
  }

  onStagger(stagger: Stagger | null): void {
    this.rows = worstStep(stagger?.items ?? []);
    if (!stagger || this.rows.length === 0) return;
    const first = this.rows.reduce((a, b) => (b.first_kernel_ns < a.first_kernel_ns ? b : a));
    const last = this.rows.reduce((a, b) => (b.first_kernel_ns > a.first_kernel_ns ? b : a));
    const apart = duration(last.first_kernel_ns - first.first_kernel_ns);
    this.words =
      `Step ${first.step}: ${deviceName(last.device)} starts ${apart} after ` +
      `${deviceName(first.device)}. ${ORDERS[stagger.order]} ` +
      (this.rows.some((row) => row.first_launch_ns !== null) ? 'Ticks: first launch on the host.' : '');
    this.draw();
  }

  private draw(): void {
    if (this.width === 0 || this.rows.length === 0) return;
    this.$['drawing']?.replaceChildren(staggerChart(this.rows, this.width));
  }
}

customElements.define(StaggerElement.is, StaggerElement);
