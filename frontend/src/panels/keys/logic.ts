/** What the keys do; signs stand between them. */
export const KEYS: readonly { head: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    head: 'Findings',
    keys: [
      ['j k', 'next or previous finding'],
      ['x', 'tick or untick it: what the step would take without it'],
      ['n', 'its next place on the timeline'],
      ['c', 'copy it for an agent'],
      ['Esc', 'back to where you were'],
    ],
  },
  {
    head: 'Timeline',
    keys: [
      ['[ ]', 'previous or next step'],
      ['+ − 0', 'zoom in, out, to the whole step'],
      ['← →', 'pan, once the timeline has the focus'],
      ['↑ ↓', 'row above or below'],
      ['Enter', 'lock a span'],
      ['m', 'measure what is in view; Shift + drag measures a range'],
    ],
  },
  {
    head: 'Runs',
    keys: [
      ['r', 'all runs'],
      ['p', 'pin a run as baseline, or unpin it'],
      ['/', 'filter the runs'],
      ['↑ ↓', 'run above or below'],
      ['Enter', 'open the run'],
      ['Space', 'select two runs to compare'],
    ],
  },
  { head: 'Help', keys: [['?', 'these keys']] },
];
