/** Two runs side by side: the words and rows that the comparison is drawn with. */

import { type AccountLook, accountLook, drawn } from '../../accounts.js';
import { duration, percent, quantity } from '../../format.js';
import { type LaunchDots, onAxis } from '../../charts/dots.js';
import type { AccountChange, Comparison, FindingChange } from '../../model.js';
import type { Unit } from '../../types.js';

type Status = FindingChange['status'];

export const STATUS_WORDS: Record<Status, string> = {
  appeared: 'New',
  vanished: 'Gone',
  unchecked: 'No longer checked',
  changed: 'Changed',
  same: 'As before',
};

/** What stands in the two columns of numbers, and above the table of accounts. */
export interface Columns {
  title: string;
  first: string;
  second: string;
  change: string;
  accounts: AccountChange[];
}

/** The two bars: of both runs, or of the ideal and the real step where the numbers of GPUs differ. */
export function columns({ scaling, accounts, basis }: Comparison): Columns {
  if (scaling) {
    return {
      title: 'Where the rest of the GPUs’ time goes',
      first: 'Ideal',
      second: 'Real',
      change: 'Lost',
      accounts: scaling.accounts,
    };
  }
  const title = basis === 'examples' ? 'Before and now, for the examples of one step before' : 'A step before and now';
  return { title, first: 'Before', second: 'Now', change: 'Change', accounts };
}

export interface Bar {
  name: string;
  total: number;
  parts: { look: AccountLook; ns: number }[];
}

export function bars({ first, second, accounts }: Columns): Bar[] {
  return (
    [
      [first, 'base_ns'],
      [second, 'new_ns'],
    ] as const
  ).map(([name, key]) => {
    const total = accounts.reduce((sum, account) => sum + account[key], 0);
    const parts = drawn(accounts.map((account) => ({ id: account.id, ns: account[key] }))).map(({ id, ns }) => ({
      look: accountLook(id),
      ns,
    }));
    return { name, total, parts };
  });
}

/** Accounts that hold time in either run, in the order of the bars, and their sum. */
export function accountRows(accounts: readonly AccountChange[]): (AccountChange & { words: string })[] {
  const order = drawn(accounts.map((account) => ({ ...account, ns: account.base_ns + account.new_ns })));
  const sum = (key: 'base_ns' | 'new_ns' | 'delta_ns'): number =>
    accounts.reduce((all, account) => all + account[key], 0);
  return [
    ...order.map((account) => ({ ...account, words: accountLook(account.id).words })),
    { id: '', words: 'together', base_ns: sum('base_ns'), new_ns: sum('new_ns'), delta_ns: sum('delta_ns') },
  ];
}

export function numberWords(value: number | null, unit: Unit): string {
  return value === null ? 'not recorded' : quantity(value, unit);
}

export function noiseWords({ times }: Comparison): string {
  return times ? `Differences up to ${duration(Math.max(times.noise_ns, times.drift_ns))} do not count.` : '';
}

/** What is said below the verdict. Where nothing is proven, or no bars are drawn, the reasons are the answer. */
export function notes(comparison: Comparison): string[] {
  const { verdict, changed, prediction, reasons, caveats, scaling, launches } = comparison;
  const isTold = !launches && (verdict === 'better' || verdict === 'worse');
  return [
    changed,
    prediction?.sentence ?? '',
    scaling?.sentence ?? '',
    ...(isTold ? [noiseWords(comparison)] : reasons),
    ...caveats,
  ].filter(Boolean);
}

export const SIDE_WORDS = { base: 'Before', new: 'Now' } as const;

/** Null where one launch a side was compared. */
export function launchDots({ launches, times, prediction }: Comparison): LaunchDots | null {
  if (!launches || !times) return null;
  const { base_ns: base } = times;
  const { items, low, high } = launches;
  const lanes = (['base', 'new'] as const).map((side) => ({
    side,
    name: SIDE_WORDS[side],
    dots: items
      .filter((item) => item.side === side)
      .map(({ run, recorded, level_ns: ns }) => ({ ns, words: [run, duration(ns), recorded] })),
  }));
  const interval = low === null || high === null ? null : ([base * (1 + low), base * (1 + high)] as const);
  const foretold = prediction && ([prediction.low_ns, prediction.high_ns] as const);
  return onAxis(
    lanes,
    { ns: interval, words: 'Now, with the interval of the change:' },
    { ns: foretold, words: 'Foretold by findings that are gone:' },
  );
}

/** What the dots are. */
export function dotsWords({ launches }: Comparison): string {
  if (!launches) return '';
  const isOrdered = launches.items.every(({ recorded }) => recorded);
  const order = isOrdered ? 'Each dot is a launch, the first one above.' : 'Each dot is a launch.';
  return `${order} Launches of one side differ by ${percent(launches.sd)} (standard deviation).`;
}
