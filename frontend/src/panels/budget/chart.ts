/** One bar of the budget: blocks at exact places, with as many words in them as fit. */

import { html } from 'lit-html';
import { styleMap } from 'lit-html/directives/style-map.js';
import { accountLook } from '../../accounts.js';
import { duration, kept } from '../../format.js';
import type { Block } from '../../model.js';
import { css } from '../../theme.js';

/** Of the width: what is narrower is no pixel wide, and is not drawn. */
const THIN = 0.0003;

export const TRACK = css`
  .track {
    background: linear-gradient(var(--line), var(--line)) 0 0/1px 100% no-repeat;
    min-height: 34px;
    position: relative;
  }
  .block {
    align-content: flex-start;
    border-right: 1px solid var(--panel);
    color: var(--ink);
    display: flex;
    flex-flow: row-reverse wrap;
    font-size: 12px;
    gap: 0 4px;
    justify-content: center;
    line-height: 24px;
    overflow: hidden;
  }
  .block,
  .gone {
    height: 24px;
    position: absolute;
    top: calc(50% - 12px);
  }
  /* What does not fit on the first line beside it is out of sight: words before numbers, and neither is cut. */
  .block::before {
    content: '';
    height: 24px;
    width: 0;
  }
  /* Above the tick of the GPU's limits. */
  .block span {
    height: 24px;
    position: relative;
    white-space: nowrap;
    z-index: 1;
  }
  .block span::before,
  .block span::after {
    content: '\00a0';
  }
  .block.chip span {
    background: var(--panel);
    border-radius: 3px;
    height: 18px;
    line-height: 18px;
    margin-top: 3px;
  }
  .block.chip {
    gap: 0;
  }
  .block.plain {
    color: var(--page);
  }
  .small {
    min-height: 20px;
  }
  .small .block {
    height: 16px;
    line-height: 16px;
    top: calc(50% - 8px);
  }
  .small .block::before,
  .small .block span {
    height: 16px;
  }
  .small .block.chip span {
    height: 14px;
    line-height: 14px;
    margin-top: 1px;
  }
  .rising {
    --pattern: repeating-linear-gradient(135deg, var(--hatch) 0 1.2px, transparent 1.2px 6px);
  }
  .falling {
    --pattern: repeating-linear-gradient(45deg, var(--hatch) 0 1.2px, transparent 1.2px 6px);
  }
  .bars {
    --pattern: repeating-linear-gradient(90deg, var(--hatch) 0 1.2px, transparent 1.2px 5px);
  }
  .dots {
    --pattern: radial-gradient(circle at 2px 2px, var(--hatch) 1.1px, transparent 1.4px) 0 0/6px 6px;
  }
  .cross {
    --pattern:
      repeating-linear-gradient(45deg, var(--hatch) 0 1.2px, transparent 1.2px 6px),
      repeating-linear-gradient(135deg, var(--hatch) 0 1.2px, transparent 1.2px 6px);
  }
  .block,
  .sample {
    background: var(--pattern, linear-gradient(transparent, transparent)), var(--colour);
  }
  /* Stripes along the bottom: a finding claims it. */
  .claimed {
    background:
      repeating-linear-gradient(135deg, var(--ink) 0 2px, var(--panel) 2px 5px) 0 100%/100% 4px no-repeat,
      var(--pattern, linear-gradient(transparent, transparent)),
      var(--colour);
  }
  .sample {
    border-radius: 2px;
    display: inline-block;
    flex: none;
    height: 12px;
    width: 12px;
  }
`;

interface TrackOptions {
  /** What the bar is, for those who do not see it; the words of its blocks follow. */
  label: string;
  /** ns that fill the whole width. */
  full: number;
  kind?: string;
  more?: unknown;
}

export function track(blocks: readonly Block[], { label, full, kind = '', more }: TrackOptions) {
  const look = kind === 'pale' ? faint : colour;
  const spoken = [label, blocks.map(({ words }) => kept(words)).join('; ')].filter(Boolean).join(': ');
  return html`<div class="track ${kind}" role="img" aria-label=${spoken}>
    ${blocks
      .filter(({ ns }) => ns > full * THIN)
      .map((block) => {
        const { words, pattern } = accountLook(block.account);
        const chip = pattern !== 'solid' || block.owner > 0 || block.account.startsWith('copy.');
        return html`<div
          class="block ${pattern} ${chip ? 'chip' : 'plain'} ${block.owner > 0 ? 'claimed' : ''}"
          style=${styleMap({ ...place(block, full), '--colour': look(block.account) })}
          title=${kept(block.words)}
          data-account=${block.account}
          data-owner=${block.owner}
        >
          <span>${duration(block.ns)}</span><span>${words}</span>
        </div>`;
      })}${more}
  </div>`;
}

export function sample(account: string, claimed = false) {
  const { pattern } = accountLook(account);
  return html`<i
    class="sample ${pattern} ${claimed ? 'claimed' : ''}"
    style=${styleMap({ '--colour': colour(account) })}
    aria-hidden="true"
  ></i>`;
}

/** Left and right edge by themselves: rounding both alike, neighbours meet. */
export function place({ begin_ns, ns }: Pick<Block, 'begin_ns' | 'ns'>, full: number): Record<string, string> {
  return { left: share(begin_ns, full), right: share(full - begin_ns - ns, full) };
}

export function share(ns: number, full: number): string {
  return `${((ns / Math.max(1, full)) * 100).toFixed(4)}%`;
}

function colour(account: string): string {
  return `var(${accountLook(account).colour})`;
}

/** A colour, not opacity: the words on it stay readable. */
function faint(account: string): string {
  return `color-mix(in srgb, ${colour(account)} 30%, var(--panel))`;
}
