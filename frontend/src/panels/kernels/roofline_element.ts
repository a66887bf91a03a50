import { html } from 'lit-html';
import { rooflineChart } from './chart.js';
import { count, duration, flopsPerS, intensity, percent } from '../../format.js';
import type { Report } from '../../model.js';
import { opName } from '../../elements/op_name.js';
import {
  type Dot,
  dotWords,
  dotsOf,
  drawnOf,
  limitsSentence,
  nameOf,
  neighbor,
  opsOf,
  peaksOf,
  shownSentence,
  whyNone,
} from './roofline.js';
import { css } from '../../theme.js';
import { type Former, TfperfElement } from '../../elements/base.js';
import { type Column, sortable } from '../../elements/table.js';
import '../../elements/term.js';
import '../../elements/text.js';
import { Tip } from '../../elements/tip.js';

const COLUMNS: Column<Dot>[] = [
  sortable('Per step', ({ op }) => op.ns, duration),
  sortable('Share', ({ op }) => op.ratio, percent),
  sortable('Intensity', (dot) => dot.intensity, intensity),
  sortable('Rate', ({ rate }) => rate, flopsPerS),
  sortable('Of the bound', ({ op }) => op.bound_ratio ?? null, percent),
  { head: 'Bound by', cell: ({ op }) => op.bound_by, value: ({ op }) => op.bound_by },
  { head: 'Format', cell: ({ op }) => op.format ?? '', value: ({ op }) => op.format ?? '' },
  { head: 'Op', cell: (dot) => opName(nameOf(dot)), value: nameOf, kind: 'name' },
];

/** Ops below the limits of the GPU, as a picture and as a table. */
export class RooflineElement extends TfperfElement {
  static override readonly styles = css`
    #chart {
      margin-top: 10px;
      padding: 0 14px 0 96px;
    }
    .limit {
      stroke: var(--ink);
      stroke-width: 1.5;
    }
    .limit.reached {
      stroke: var(--ink-2);
      stroke-dasharray: 5 4;
      stroke-width: 1;
    }
    .ridge {
      fill: var(--ink);
      transform: translate(-4px, -4px) rotate(45deg);
      transform-box: fill-box;
      transform-origin: center;
    }
    .dot {
      cursor: pointer;
    }
    .dot circle {
      fill: var(--accent);
      fill-opacity: 0.45;
      stroke: var(--accent);
    }
    .dot.on circle {
      fill-opacity: 0.9;
      stroke: var(--ink);
      stroke-width: 2.5;
    }
    .legend {
      padding-left: 96px;
    }
    .legend i {
      border-top: 2px solid var(--ink);
      width: 18px;
    }
    .legend i.ridge-mark {
      background: var(--ink);
      border: 0;
      height: 8px;
      margin: 0 5px;
      transform: rotate(45deg);
      width: 8px;
    }
    .legend i.op {
      background: color-mix(in srgb, var(--accent) 45%, var(--page));
      border: 1px solid var(--accent);
      border-radius: 50%;
      height: 12px;
      width: 12px;
    }
    .note {
      margin-top: 8px;
    }
    tfperf-table {
      margin-top: 8px;
    }
  `;
  static readonly properties = { report: Object };

  report!: Report;
  private dots: Dot[] = [];
  /** Those in the picture. */
  private inPicture: Dot[] = [];

  protected override changed(former: Former): void {
    if (!('report' in former)) return;
    const { roofline } = this.report;
    this.dots = dotsOf(opsOf(this.report));
    this.inPicture = roofline ? drawnOf(this.dots, roofline) : [];
  }

  protected override template() {
    const { report, dots, inPicture } = this;
    const { roofline } = report;
    const ops = opsOf(report);
    if (!roofline || !ops)
      return html`<h3><tfperf-term word="Roofline"></tfperf-term></h3>
        <p class="note name">${whyNone(report)}</p>`;
    const drawn = dots.length > 0;
    return html`
      <h3><tfperf-term word="Roofline"></tfperf-term> <small>ops on ${roofline.name}, per step and GPU</small></h3>
      <p class="name">
        <tfperf-text
          .text=${drawn ? shownSentence(inPicture, dots.length - inPicture.length, ops) : NO_DOTS}
        ></tfperf-text>
      </p>
      <div ?hidden=${!drawn}>
        <div id="chart"></div>
        <ul class="legend" aria-label="Marks">
          <li><i class="op"></i>an op; its area is its time</li>
          <li><i></i>peaks of the data sheet</li>
          <li><i class="dashed"></i>what good libraries reach</li>
          <li>
            <i class="ridge-mark"></i
            ><span><tfperf-term word="ridge point"></tfperf-term>: memory to the left, arithmetic to the right</span>
          </li>
        </ul>
        <p class="note name">${drawn ? limitsSentence(peaksOf(dots, roofline), roofline) : ''} ${sources(roofline)}</p>
        <tfperf-table
          panel="compute"
          .heading=${`The roofline as a table (${count(dots.length)})`}
          .columns=${COLUMNS}
          .items=${dots}
        ></tfperf-table>
      </div>
    `;
  }

  protected override drawn(former: Former): void {
    const { dots, inPicture, report } = this;
    if (!('report' in former) || !report.roofline || dots.length === 0) return;
    const label = 'Ops by arithmetic intensity and rate; arrow keys go from op to op';
    const { drawing, groups } = rooflineChart(dots, report.roofline, label);
    const chart = this.child('chart');
    chart.replaceChildren(drawing);
    const tip = new Tip(chart);
    const words = inPicture.map(dotWords);
    groups.forEach((group, i) => {
      group.setAttribute('aria-label', words[i] ?? '');
      group.addEventListener('focus', () => {
        for (const other of groups) other.setAttribute('tabindex', other === group ? '0' : '-1');
        tip.show(group, words[i] ?? '');
      });
      group.addEventListener('blur', () => tip.hide());
      group.addEventListener('pointerenter', () => tip.show(group, words[i] ?? ''));
      group.addEventListener('pointerleave', () => tip.hide());
      group.addEventListener('keydown', (event) => {
        if (event.key === 'Escape') tip.hide();
        const next = neighbor(inPicture, i, event.key);
        if (next === null) return;
        event.preventDefault();
        groups[next]?.focus();
      });
    });
    groups[0]?.setAttribute('tabindex', '0');
  }
}

const NO_DOTS = 'Of no op the profile tells how many floating-point operations it does and how many bytes it moves.';

function sources({ source, reached_source }: NonNullable<Report['roofline']>): string {
  return [source && `Peaks: ${source}.`, reached_source && `What libraries reach: ${reached_source}.`]
    .filter(Boolean)
    .join(' ');
}

customElements.define('tfperf-roofline', RooflineElement);
