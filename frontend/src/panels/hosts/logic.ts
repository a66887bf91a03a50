/** What the page says about the hosts of a run. */

import { counted, duration } from '../../format.js';
import type { HostTimes } from '../../model.js';

/** Hosts that are seen at once. */
const ROWS = 8;

/** Slow hosts first, then by their own part of a step; and what the others have in common. */
export function listed(hosts: readonly HostTimes[]): { shown: HostTimes[]; others: string } {
  const sorted = [...hosts].sort((a, b) => Number(b.slow) - Number(a.slow) || b.own_ns - a.own_ns);
  const rest = sorted.slice(ROWS);
  const [most, least] = [rest[0], rest.at(-1)].map((host) => duration(host?.own_ns ?? 0));
  const span = most === least ? most : `${least} to ${most}`;
  return {
    shown: sorted.slice(0, ROWS),
    others: rest.length > 0 ? `${counted(rest.length, 'more host')}: ${span} of their own in a step.` : '',
  };
}

/** How much longer a host's own part of a step takes than that of the median host. */
export function behind({ own_ns }: HostTimes, hosts: readonly HostTimes[]): number {
  return own_ns - median(hosts.map((host) => host.own_ns));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** How a host's clock was aligned with the first host's. */
export function clockWords({ clock_source: source }: HostTimes): string {
  return {
    collectives: 'ends of collectives',
    'wall clock': 'wall clocks',
    'same host': 'the same clock',
    unknown: 'not known: clocks could not be aligned',
  }[source];
}
