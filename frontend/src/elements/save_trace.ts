import { html } from 'lit-html';
import type { SavedTrace } from '../backend.js';
import { saveFile } from '../download.js';
import { gpuName, timelineRange } from '../format.js';
import { type TraceTarget, sliceHref } from '../links.js';
import type { Place, Report } from '../model.js';
import { css } from '../theme.js';
import { TfperfElement, ask } from './base.js';

/** A place of a run that the trace viewer of TensorBoard cannot show: where it is, and a button that saves it. */
export class SaveTraceElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 2px 10px;
      min-width: 0;
    }
    .note a {
      line-height: 24px;
    }
    .problem {
      color: var(--critical);
    }
  `;
  static readonly properties = { run: String, place: Object, viewer: String, said: String, problem: String };

  run!: string;
  place!: Place;
  viewer: Report['viewer'] = 'Perfetto';
  said = '';
  problem = '';
  private saving = new AbortController();
  private href = '';

  /** Another range; the same one may come in another object. */
  protected override changed(): void {
    const href = sliceHref(document.baseURI, this.target);
    if (href === this.href) return;
    this.href = href;
    this.saving.abort();
    this.said = this.problem = '';
  }

  protected override template() {
    const { place, viewer } = this;
    const where = gpuName({ host: place.host, device: place.device ?? '' }, true).trim();
    const perfetto = html`<a href="https://ui.perfetto.dev" target="_blank" rel="noopener">ui.perfetto.dev</a>`;
    return html`
      <a class="button" href=${this.href} download @click=${this.onSave}>Save as trace</a>
      <span class="note name">${where}, ${timelineRange(place.begin_ms, place.end_ms)}</span>
      <span class="note"
        >${
          viewer === 'Nsight Systems'
            ? html`Open it at ${perfetto}, or the .nsys-rep file in Nsight Systems.`
            : html`Open it, or the file itself, at ${perfetto}.`
        }</span
      >
      <span class="note name" role="status">${this.said}</span>
      <span class="note name problem" role="alert">${this.problem}</span>
    `;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.saving.abort();
  }

  private get target(): TraceTarget {
    const { host, begin_ms: beginMs, end_ms: endMs } = this.place;
    return { run: this.run, host, beginMs, endMs };
  }

  /** Fetches the file rather than follow the link, to say how it goes; other clicks are the browser's. */
  private onSave(click: MouseEvent): void {
    if (click.ctrlKey || click.metaKey || click.shiftKey || click.button !== 0) return;
    this.saving.abort();
    const { signal } = (this.saving = new AbortController());
    const answer = ask<Promise<SavedTrace>>(this, 'save-trace', { target: this.target, signal });
    if (!answer) return;
    click.preventDefault();
    this.said = 'Saving …';
    this.problem = '';
    answer.then(
      ({ content, name, note }) => {
        if (signal.aborted) return;
        saveFile(content, name);
        this.said = `Saved. ${note}`.trim();
      },
      (problem: unknown) => {
        if (signal.aborted) return;
        this.said = '';
        this.problem = problem instanceof Error ? problem.message : String(problem);
      },
    );
  }
}

customElements.define('tfperf-save-trace', SaveTraceElement);
