/** What the page says about the hosts of a run. */

import { accountLook } from './accounts.js';
import type { Part } from './charts/stacked_bar.js';
import { between, count, duration } from './format.js';
import type { HostTimes } from './model.js';

/** Slow hosts first, else in the order of the report. */
export function slowFirst(hosts: readonly HostTimes[]): HostTimes[] {
  return [...hosts].sort((a, b) => Number(b.slow) - Number(a.slow));
}

/** The parts of a host's step in an order that lets its own part be compared: it begins at the left. */
export function parts({ own_ns, compute_ns, wait_ns }: HostTimes): Part[] {
  const compute = Math.min(compute_ns, own_ns);
  return [
    { look: accountLook('compute'), ns: compute },
    {
      look: { words: 'other time of its own', colour: '--account-unknown', pattern: 'dots' as const },
      ns: own_ns - compute,
    },
    { look: accountLook('communication.wait'), ns: wait_ns },
  ].filter(({ ns }) => ns > 0);
}

/** One host in words. */
export function hostWords(host: HostTimes): string {
  return [
    `${host.host}${host.slow ? ' (slow)' : ''}: ${duration(host.own_ns)} of its own in a step`,
    `${duration(host.compute_ns)} of it compute`,
    `${duration(host.wait_ns)} waiting for others`,
    host.late_ns === null ? '' : `arrives ${duration(host.late_ns)} after the first host`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Fewer hosts do not tell which of them is the exception. */
const LEAST_TO_JUDGE = 3;

const MOST_NAMED = 4;

/** What the chart shows, in one or two sentences. */
export function hostsSentence(hosts: readonly HostTimes[]): string {
  const slow = hosts.filter((host) => host.slow);
  const own = hosts.map(({ own_ns }) => own_ns);
  if (slow.length === 0) {
    const range = `A host’s own part of a step takes ${between(Math.min(...own), Math.max(...own))}.`;
    return hosts.length < LEAST_TO_JUDGE
      ? `${range} With fewer than three hosts none can be told to be the slow one.`
      : `${range} No host is slow.`;
  }
  const names = slow.slice(0, MOST_NAMED).map(({ host }) => host);
  const more = slow.length > MOST_NAMED ? [`${count(slow.length - MOST_NAMED)} more`] : [];
  const late = slow.map(({ late_ns }) => late_ns).filter((ns) => ns !== null);
  const others = hosts.filter((host) => !host.slow).map(({ own_ns }) => own_ns);
  return [
    `${listed([...names, ...more])} ${slow.length === 1 ? 'is' : 'are'} slow`,
    late.length > 0 ? `: ${duration(median(late))} behind the first host at AllReduce. The` : ': the',
    ` own part of a step takes ${duration(median(slow.map(({ own_ns }) => own_ns)))}`,
    others.length > 0 ? `, against ${duration(median(others))} on the others (median).` : '.',
  ].join('');
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export interface HostStepPoint {
  step: number;
  own_ns: number;
  /** Median of the other hosts in this step; null where none has it. */
  others_ns: number | null;
}

/** The steps of one host beside those of the others. */
export function hostSteps(chosen: HostTimes, hosts: readonly HostTimes[]): HostStepPoint[] {
  const others = new Map<number, number[]>();
  for (const host of hosts) {
    if (host === chosen) continue;
    for (const { step, own_ns } of host.steps) others.set(step, [...(others.get(step) ?? []), own_ns]);
  }
  return chosen.steps.map(({ step, own_ns }) => {
    const known = others.get(step);
    return { step, own_ns, others_ns: known ? median(known) : null };
  });
}

export function pointWords({ step, own_ns, others_ns }: HostStepPoint): string {
  return `Step ${step}: ${duration(own_ns)}, others ${others_ns === null ? 'not recorded' : duration(others_ns)}`;
}

export function median(values: readonly number[]): number {
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
