/** Two runs side by side: the words and rows that the comparison is drawn with. */

import { type AccountLook, accountLook, drawn } from '../../accounts.js';
import { duration, quantity } from '../../format.js';
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

/** "Projected: 22.1 ms. The finding that is gone promised …", where the comparison checks a promise. */
export function projectedWords({ times, prediction }: Comparison): string {
  if (!times || !prediction) return '';
  return `Projected: ${duration(times.base_ns - prediction.promised_ns)}. ${prediction.sentence}`;
}

export function noiseWords({ times }: Comparison): string {
  return times ? `Differences up to ${duration(Math.max(times.noise_ns, times.drift_ns))} do not count.` : '';
}
