import { html, nothing } from 'lit-html';
import type { Progress } from '../backend.js';
import { percent } from '../format.js';
import { css } from '../theme.js';
import { TfperfElement, fire } from './base.js';

/** How far the analysis of a profile is. */
export class ProgressElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      padding: 40px 0;
    }
    h1 {
      font-size: 20px;
      font-weight: 400;
    }
    progress {
      accent-color: var(--accent);
      display: block;
      height: 8px;
      margin: 14px 0 6px;
      max-width: 420px;
      width: 100%;
    }
    button {
      margin-top: 14px;
    }
  `;
  static readonly properties = { progress: Object };

  progress: Progress | null = null;

  protected override template() {
    const { progress } = this;
    return html`
      <h1>
        <span role="status">${progress ? doing(progress) : 'Loading'} …</span>
      </h1>
      ${progress ? details(progress, () => fire(this, 'cancel')) : nothing}
    `;
  }
}

function doing({ words, waits_for: runs }: Progress): string {
  return runs ? `Waiting for the analysis of ${runs.join(' and ')}` : words;
}

/** @param cancel also stops whoever waits with us. */
function details({ share, hosts_done_count: done, hosts_count: count }: Progress, cancel: () => void) {
  const host = done === undefined || !count ? '' : `Host ${Math.min(done + 1, count)} of ${count}. `;
  return html`
    <progress max="1" .value=${share} aria-label="Share of the analysis that is done"></progress>
    <p class="note">${host}${percent(share)} done. A large profile takes some seconds once; the result is kept.</p>
    <button class="button" @click=${cancel}>Cancel</button>
  `;
}

customElements.define('tfperf-progress', ProgressElement);
