/** How the budget looks: rows of a label, a bar and a number. */

import { css } from '../../theme.js';
import { TRACK } from './chart.js';

export const STYLE = css`
  ${TRACK}
  :host {
    --label: minmax(0, 340px);
    --number: 128px;
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 10px;
    font-size: 13.5px;
    font-variant-numeric: tabular-nums;
  }
  header {
    align-items: baseline;
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    padding: 8px 18px 0;
  }
  header .note {
    flex: 1 1 200px;
  }
  h2 {
    font-size: 14.5px;
  }
  .row {
    align-items: stretch;
    display: grid;
    gap: 0 14px;
    grid-template-columns: var(--label) minmax(0, 1fr) var(--number);
    padding: 0 18px;
  }
  .row.finding {
    cursor: pointer;
  }
  .row.finding:hover {
    background: var(--ground);
  }
  .row[data-selected] {
    background: var(--info-ground);
  }
  .row[data-owner] {
    box-shadow: inset 3px 0 var(--accent);
  }
  .label {
    align-items: center;
    display: flex;
    gap: 8px;
    line-height: 17px;
    min-width: 0;
    padding: 1px 0;
  }
  .label b {
    display: block;
    font-weight: 500;
    overflow-wrap: anywhere;
  }
  .label small,
  .folded {
    color: var(--ink-2);
    display: block;
    font-size: 12px;
    line-height: 15px;
    overflow-wrap: anywhere;
  }
  .label button {
    cursor: inherit;
    flex: 1;
    min-width: 0;
  }
  .label input {
    accent-color: var(--accent);
    flex: none;
    height: 15px;
    margin: 0;
    width: 15px;
  }
  .rank {
    flex: none;
    font-size: 12px;
    line-height: 20px;
    min-width: 20px;
    padding: 0 4px;
    text-align: center;
  }
  .marked b {
    color: var(--ink-2);
    font-weight: 400;
  }
  .number {
    align-content: center;
    text-align: right;
  }
  .number b {
    font-size: 14.5px;
    font-weight: 500;
    white-space: nowrap;
  }
  .number small {
    color: var(--ink-2);
    display: inline-block;
    font-size: 12px;
    margin-left: 6px;
  }
  .gain {
    color: var(--good);
  }
  .axis {
    height: 18px;
  }
  .axis span:first-child {
    transform: none;
  }
  .edge {
    border-left: 1px dashed var(--control-line);
    bottom: -5px;
    position: absolute;
    top: -5px;
  }
  .gone {
    border: 1px dashed var(--control-line);
    border-radius: 3px;
  }
  .roof {
    background: var(--ink);
    bottom: 1px;
    margin-left: -1px;
    position: absolute;
    top: 1px;
    width: 2px;
  }
  /* The whole text or none of it, as in the blocks. */
  .why {
    color: var(--ink-2);
    display: flex;
    flex-flow: row-reverse wrap;
    font-size: 12px;
    left: 6px;
    line-height: 34px;
    overflow: hidden;
    position: absolute;
    height: 34px;
    top: calc(50% - 17px);
  }
  .why::before {
    content: '';
    height: 34px;
    width: 0;
  }
  .why span {
    padding-right: 8px;
    white-space: nowrap;
  }
  .legend {
    border-top: 1px solid var(--line);
    font-size: 12.5px;
    gap: 3px 16px;
    margin-top: 5px;
    padding: 5px 18px 6px;
  }
  .legend b {
    color: var(--ink);
    font-weight: 500;
  }
  .legend .end {
    margin-left: auto;
  }
  .former {
    visibility: hidden;
  }
  .below,
  .fold {
    border-top: 1px solid var(--line);
    font-size: 12.5px;
    padding: 3px 18px;
  }
  .below p:empty {
    display: none;
  }
  .others {
    border-top: 1px solid var(--line);
    padding: 2px 0;
  }
  .others .row {
    grid-template-columns: minmax(0, 1fr);
  }
  .others .label {
    min-height: 26px;
  }
  .others .folded {
    padding: 1px 18px 2px 58px;
  }
  .limits {
    list-style: disc;
    padding-left: 18px;
  }
  .more {
    margin: 4px 18px;
  }
  .empty {
    padding: 4px 18px 10px;
  }
  .empty:empty {
    display: none;
  }
  .ran {
    background: var(--accent);
    height: 12px;
    margin-top: 4px;
  }
  @media (max-width: 1199px) {
    :host {
      --label: 240px;
      --number: 88px;
    }
    .number small {
      display: block;
      line-height: 14px;
    }
  }
  @media (max-width: 760px) {
    .row {
      grid-template-columns: minmax(0, 1fr) 84px;
    }
    .row > .label {
      grid-column: 1 / -1;
    }
    .row > span {
      display: none;
    }
  }
`;
