/** Trials and tunings: where their launches and switches lie in the charts, and the words for them. */

import { type LaunchDots, type Range, onAxis, ticksBetween } from '../../charts/dots.js';
import { duration, signedPercent } from '../../format.js';
import type { TrialFolder, TrialSwitch } from '../../model.js';

/** How a state looks; others look like nothing in particular. */
export const LOOKS: Readonly<Record<string, string>> = {
  better: 'good',
  worse: 'critical',
  failed: 'critical',
  suspicious: 'warning',
  'not comparable': 'warning',
  'not readable': 'warning',
};

const SIDES = [
  ['base', 'Before'],
  ['new', 'With the change'],
] as const;

/** Null without launches. */
export function trialDots(trial: TrialFolder): LaunchDots | null {
  const { launches, low_ns: low, high_ns: high, foretold_low_ns: least, foretold_high_ns: most } = trial;
  if (launches.length === 0) return null;
  const numbered = launches.map(({ side, ns }, i) => ({ side, ns, words: [`launch ${i + 1}`, duration(ns)] }));
  return onAxis(
    SIDES.map(([side, name]) => ({ side, name, dots: numbered.filter((one) => one.side === side) })),
    { ns: low === null || high === null ? null : [low, high], words: 'With the interval of the change:' },
    { ns: least === null || most === null ? null : [least, most], words: 'Foretold by the finding:' },
  );
}

/** What switches change of a step: places are shares of the width. */
export interface SwitchBars {
  ticks: LaunchDots['ticks'];
  bars: SwitchBar[];
}

export interface SwitchBar {
  name: string;
  state: string;
  look: string;
  words: string;
  /** From no change to the change; null where no time was measured. */
  bar: Range | null;
  interval: Range | null;
}

export function switchBars(switches: readonly TrialSwitch[]): SwitchBars {
  const ends = switches.flatMap(({ low, high, ratio }) => [low, high, ratio]).filter((one) => one !== null);
  const [least, most] = [Math.min(1, ...ends), Math.max(1, ...ends)];
  const margin = Math.max((most - least) / 20, 0.01);
  const [begin, end] = [least - margin, most + margin];
  const place = (ratio: number): number => (ratio - begin) / (end - begin);
  return {
    ticks: ticksBetween(begin - 1, end - 1).map((change) => {
      const exact = Math.round(change * 1e6) / 1e6;
      return { at: place(1 + exact), words: signedPercent(exact) };
    }),
    bars: switches.map(({ switch: name, finding, state, sentence, shows, ratio, low, high }) => {
      const said = sentence || `${name} was not tried.`;
      const words = finding ? `${said} Named by ${finding}.` : said;
      const range = (from: number, to: number): Range => ({ begin: place(from), end: place(to), words });
      return {
        name: shows ? `${name} (a probe)` : name,
        state,
        look: LOOKS[state] ?? '',
        words,
        bar: ratio === null ? null : range(Math.min(ratio, 1), Math.max(ratio, 1)),
        interval: low === null || high === null ? null : range(low, high),
      };
    }),
  };
}
