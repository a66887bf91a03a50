/** How a finding beside its timeline looks. */

import { css } from '../../theme.js';

export const STYLE = css`
  :host {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 10px;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
  }
  :host([beside]) {
    grid-template-columns: minmax(0, min(36%, 560px)) minmax(0, 1fr);
  }
  tfperf-chosen-finding {
    border-bottom: 1px solid var(--line);
  }
  :host([beside]) tfperf-chosen-finding {
    border-bottom: 0;
    border-right: 1px solid var(--line);
  }
  section {
    min-width: 0;
    padding: 10px 18px;
  }
  header,
  .line,
  .places {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 6px 8px;
  }
  header .note {
    flex: 1;
    min-width: 140px;
  }
  header label {
    font-size: 13px;
  }
  header .button {
    font-size: 13px;
    line-height: 22px;
    padding: 0 10px;
  }
  select {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 6px;
    color: var(--ink);
    max-width: 220px;
    padding: 4px 8px;
  }
  [aria-pressed='true'] {
    background: var(--info-ground);
    border-color: var(--accent);
    color: var(--accent);
  }
  .wait {
    opacity: 0.5;
  }
  .places {
    margin-top: 8px;
    min-height: 34px;
  }
  /* Its room is there before anything is selected, so that nothing moves under the hand. */
  .selected {
    border-top: 1px solid var(--line);
    margin-top: 8px;
    min-height: 136px;
    padding-top: 8px;
  }
  .selected dl {
    display: grid;
    gap: 4px 12px;
    grid-template-columns: 72px minmax(0, 1fr);
    overflow-wrap: anywhere;
  }
  dt {
    color: var(--ink-2);
  }
  .line {
    margin-top: 6px;
  }
  #seen {
    min-height: 21px;
  }
  /* Rows of terms, which are buttons, far enough apart to be hit. */
  #legend {
    min-height: 98px;
    row-gap: 6px;
  }
  /* What the host did and who came last take a line each; the tooltip has all of it. */
  dd[title] {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  dd button {
    color: var(--accent);
    text-decoration: underline;
  }
  #table {
    margin-top: 6px;
    min-height: 24px;
  }
  /* Of a host alone there is less to say, and few kinds of work. */
  :host([hosts-only]) .selected {
    min-height: 84px;
  }
  :host([hosts-only]) #legend {
    min-height: 0;
  }
  /* What saves a range takes a line by itself where there is less room. */
  :host([saves]) .selected {
    padding-bottom: 6px;
  }
  @media (max-width: 1399px) {
    :host([saves]) .selected {
      min-height: 178px;
    }
  }
  @media (min-width: 1400px) {
    .selected {
      min-height: 118px;
    }
    #legend {
      min-height: 72px;
    }
  }
  @media (max-width: 1179px) {
    :host([beside]) {
      grid-template-columns: minmax(0, 1fr);
    }
    :host([beside]) tfperf-chosen-finding {
      border-bottom: 1px solid var(--line);
      border-right: 0;
    }
  }
`;
