import { html, nothing } from 'lit-html';
import { TfperfElement, fire } from '../../elements/base.js';
import '../../elements/export.js';
import type { Report } from '../../model.js';
import { BAR_PX, css } from '../../theme.js';
import { type Typed, UNTYPED } from '../../typed.js';
import type { Run } from '../../types.js';
import type { SectionsElement } from '../sections/element.js';
import type { SectionId } from '../sections/logic.js';
import { type Link, about, inView, links } from './logic.js';

/** What the links before the sections lead to: elements beside the bar. */
const PARTS: Readonly<Record<string, string>> = { budget: 'tfperf-budget', finding: 'tfperf-finding-timeline' };

/** The run on screen, the way back to all runs, the baseline, what was analyzed; below it, links to its parts. */
export class BarElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      background: var(--page);
      border-bottom: 1px solid var(--line);
      margin: 0 -24px;
      padding: 0 24px;
      position: sticky;
      top: 0;
      z-index: 4;
    }
    .run-bar {
      align-items: center;
      display: flex;
      gap: 12px;
      height: 44px;
    }
    .button {
      flex: none;
      padding: 3px 10px;
      white-space: nowrap;
    }
    .run {
      font-weight: 600;
    }
    .run,
    .base {
      flex: 0 1 auto;
      max-width: 420px;
      min-width: 80px;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    /* What does not fit the line wraps out of sight, as a whole. */
    .about {
      display: flex;
      flex: 1 1 0;
      flex-wrap: wrap;
      gap: 0 16px;
      height: 20px;
      justify-content: end;
      line-height: 20px;
      max-width: none;
      min-width: 0;
      overflow: hidden;
    }
    .about span {
      max-width: 100%;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    tfperf-export {
      flex: none;
    }
    @media (max-width: 640px) {
      .base,
      .about {
        display: none;
      }
      .run {
        flex-grow: 1;
        min-width: 0;
      }
    }
    nav {
      display: flex;
      gap: 2px;
      height: 36px;
      margin-left: -10px;
      overflow-x: auto;
      scrollbar-width: none;
    }
    nav .part {
      border-bottom: 2px solid transparent;
      color: var(--ink-2);
      flex: none;
      font-size: 13px;
      padding: 0 10px;
    }
    nav .part:hover {
      color: var(--ink);
    }
    nav .part[aria-current] {
      border-color: var(--accent);
      color: var(--ink);
      font-weight: 500;
    }
    nav .part:focus-visible {
      outline-offset: -2px;
    }
  `;
  static readonly properties = {
    runs: Array,
    trials: Number,
    run: String,
    base: String,
    report: Object,
    typed: Object,
    current: String,
  };

  runs: Run[] = [];
  /** How many trials there are to go back to. */
  trials = 0;
  run: string | null = null;
  /** The run that the chosen one is compared with. */
  base: string | null = null;
  report: Report | null = null;
  typed: Typed = UNTYPED;
  /** Id of the link to the part in view. */
  private current: string | null = null;
  private readonly look = (): void => this.lookAgain();

  protected override template() {
    const { run, base, report } = this;
    const facts = report ? about(report) : [];
    const several = this.runs.some(({ name }) => name !== this.run);
    return html`
      <div class="run-bar">
        <button
          class="button"
          ?hidden=${!several && this.trials === 0}
          title="All runs (r)"
          @click=${() => fire(this, 'go-to-runs')}
        >
          ‹ Runs
        </button>
        <span class="unseen">Run:</span>
        <span class="run name" title=${run ?? ''}>${run}</span>
        ${
          base === null || base === run
            ? nothing
            : html`<span class="base name note" title=${base}>Baseline ★ ${base}</span>`
        }
        <button
          class="button"
          ?hidden=${!several}
          aria-pressed=${base === run}
          title="Compare other runs with this one (p)"
          @click=${() => fire(this, 'base-change', { base: base === run ? null : run })}
        >
          ${base === run ? '★ Baseline' : '☆ Pin as baseline'}
        </button>
        <p class="about note" title=${facts.join(' · ')}>${facts.map((words) => html`<span>${words}</span>`)}</p>
        <tfperf-export .run=${run} .typed=${this.typed} ?hidden=${!report}></tfperf-export>
      </div>
      ${
        report
          ? html`<nav aria-label="Parts of the report">${links(report).map((link) => this.link(link))}</nav>`
          : nothing
      }
    `;
  }

  private link({ id, words }: Link) {
    return html`<button
      class="bare part"
      data-part=${id}
      aria-label="Go to ${words}"
      aria-current=${this.current === id ? 'true' : nothing}
      @click=${() => this.goTo(id)}
    >
      ${words}
    </button>`;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    for (const type of ['scroll', 'resize', 'focusin']) window.addEventListener(type, this.look, { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const type of ['scroll', 'resize', 'focusin']) window.removeEventListener(type, this.look);
  }

  protected override drawn(): void {
    if (this.current === null && this.report) this.look();
  }

  private goTo(id: string): void {
    if (PARTS[id]) headingIn(this.top(id))?.focus();
    else this.sections()?.show(id as SectionId);
    this.top(id)?.scrollIntoView({ block: 'start' });
    this.lookAgain();
  }

  /** What stands at the top of a part. */
  private top(id: string): Element | null {
    const name = PARTS[id];
    if (!name) return this.sections()?.shadowRoot.getElementById(id) ?? null;
    return (this.getRootNode() as ShadowRoot).querySelector(name);
  }

  private sections(): SectionsElement | null {
    return (this.getRootNode() as ShadowRoot).querySelector('tfperf-sections');
  }

  /** A part that has the focus is the one in view, also at the end of the page, where it is not at the top. */
  private lookAgain(): void {
    if (!this.report) return;
    const parts = links(this.report).flatMap(({ id }) => {
      const top = this.top(id);
      return top ? [{ id, top, from: top.getBoundingClientRect().top }] : [];
    });
    const focused = parts.find(({ top, from }) => top.matches(':focus-within') && from >= 0 && from < innerHeight);
    this.current =
      focused?.id ??
      inView(
        parts.map(({ id, from }) => [id, from]),
        BAR_PX + 40,
      );
  }
}

/** The first heading of an element, made ready for the focus. */
function headingIn(element: Element | null): HTMLElement | null {
  const root = element?.shadowRoot;
  if (!root) return null;
  for (const one of root.querySelectorAll<HTMLElement>('*')) {
    if (one.matches('h2, h3')) {
      one.tabIndex = -1;
      return one;
    }
    const inner = headingIn(one);
    if (inner) return inner;
  }
  return null;
}

customElements.define('tfperf-bar', BarElement);
