/** What the bar says, where its links lead, and which of them is in view. */

import { counted, duration, gpuKinds } from '../../format.js';
import type { Report } from '../../model.js';
import { headingOf } from '../budget/logic.js';
import { titleOf } from '../sections/logic.js';

/** What was analyzed; what recorded it unless TensorBoard's own viewer shows it. */
export function about({ steps, gpus, hosts, machines_count: machines, timing, source, viewer }: Report): string[] {
  const took = timing.reduce((sum, { ns }) => sum + ns, 0);
  return [
    gpus.total > 0 ? gpuKinds(gpus) : 'no GPU',
    hosts.length === 1
      ? `host ${hosts[0]}`
      : machines < hosts.length
        ? `${hosts.length} processes on ${counted(machines, 'host')}`
        : counted(hosts.length, 'host'),
    counted(steps.count, 'step'),
    viewer === 'XProf' ? '' : source,
    took > 0 ? `analyzed in ${duration(took)}` : '',
  ].filter(Boolean);
}

export interface Link {
  id: string;
  words: string;
}

/** Links to the parts that the run has, in the order of the page. */
export function links(report: Report): Link[] {
  const first = headingOf(report);
  const finding = first === 'All findings' ? 'Selected finding' : 'Finding';
  return [
    ...(first === null ? [] : [{ id: 'budget', words: first }]),
    ...(report.findings.length > 0 ? [{ id: 'finding', words: finding }] : []),
    ...report.sections.map(({ id }) => ({ id, words: titleOf(id, report) })),
  ];
}

/** The part in view: the last one that begins above `line`, by the tops of those that are there. */
export function inView(tops: readonly (readonly [string, number])[], line: number): string | null {
  return tops.filter(([, top]) => top <= line).at(-1)?.[0] ?? tops[0]?.[0] ?? null;
}
