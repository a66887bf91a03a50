/** What the Communication section says: numbers with their meaning, estimates, and who comes last. */

import { bytes, count, deviceName, duration } from '../../format.js';
import type { AllReduce, Collective, CollectiveCall, Place, Quantity, Report } from '../../model.js';
import type { Estimate, Step } from './chart.js';

/** The step's two accounts of communication, and both together; null without any. */
export function exposed({ ledger }: Report): { both: number; transfer: number; wait: number } | null {
  const of = (id: string): number => ledger?.accounts.find((account) => account.id === id)?.ns ?? 0;
  const [transfer, wait] = [of('communication.transfer'), of('communication.wait')];
  return transfer + wait > 0 ? { both: transfer + wait, transfer, wait } : null;
}

/** What NCCL calls a collective of this kind. */
export function kindWords(kind: string, collectives: readonly Collective[]): string {
  return collectives.find((one) => one.kind === kind)?.name ?? kind;
}

/** Whether the calls that estimates are for take most of the time of all collectives. */
export function mostly({ allreduce, collectives }: Report): boolean {
  const sum = (some: readonly Collective[]): number => some.reduce((all, { ns }) => all + ns, 0);
  const counted = collectives.filter(({ kind }) => allreduce?.kinds.includes(kind));
  return counted.length > 0 && sum(counted) >= sum(collectives) / 2;
}

/** The numbers of the card that the page shows at a place. */
export function numbers(a: AllReduce, at: Quantity['at']): Quantity[] {
  return a.numbers.filter((one) => one.at === at);
}

/** How a number that can be typed is known, and how to change it. */
export function fieldNote(a: AllReduce, term: string): string {
  const { value, known } = a.numbers.find((one) => one.term === term) as Quantity;
  if (value === 'not known') return `${known || value}: type it to get the estimates`;
  return `${value}, ${known}${known === 'as typed' ? '. Empty the field to go back.' : ''}`;
}

/** The lines across the chart: those that are known. */
export function estimates(a: AllReduce): Estimate[] {
  const all: [string, number | null, string][] = [
    ['guide estimate', a.guide_ns, '6 4'],
    ['ring bound', a.ring_bound_ns, 'none'],
    ['achievable', a.achievable_ns, '2 3'],
  ];
  return all.flatMap(([words, ns, dashes]) => (ns === null ? [] : [{ words, ns, dashes }]));
}

/** Steps of a chart, what its columns are made of, and what its lines say. */
export interface Chart {
  heading: string;
  steps: Step[];
  transfer: string;
  wait: string;
  lines: Estimate[];
}

/** The exchange step by step or, where other collectives take more, the accounts of each judged step. */
export function chart(report: Report): Chart {
  const { allreduce: a, steps } = report;
  if (a && a.steps.length > 0 && mostly(report))
    return {
      heading: `${a.title} of each step`,
      steps: a.steps.map((one) => ({ ...one, step: String(one.step) })),
      transfer: 'measured transfer',
      wait: 'measured waiting',
      lines: estimates(a),
    };
  const judged = exposed(report) ? steps.columns.filter((column) => column.judged) : [];
  return {
    heading: 'Exposed communication of each step',
    steps: judged.map(({ id, accounts }) => ({
      step: id,
      transfer_ns: accounts['communication.transfer'] ?? 0,
      wait_ns: accounts['communication.wait'] ?? 0,
      exposed_ns: null,
    })),
    transfer: 'Exposed transfer',
    wait: 'Straggler wait',
    lines: [],
  };
}

/** The chart in one sentence. */
export function chartWords({ heading, steps, transfer, wait, lines: known }: Chart): string {
  const totals = steps.map(({ transfer_ns, wait_ns }) => transfer_ns + wait_ns);
  const range = [Math.min(...totals), Math.max(...totals)].map(duration);
  const said = known.map(({ words, ns }) => `${words} ${duration(ns)}`);
  const both = `${heading} (${count(steps.length)}): ${transfer} and ${wait} together take ${range.join(' to ')}`;
  return [both, ...said].join('; ');
}

export function stepWords({ transfer, wait }: Chart, { step, transfer_ns, wait_ns, exposed_ns }: Step): string {
  const all = [`${transfer} ${duration(transfer_ns)}`, `${wait} ${duration(wait_ns)}`];
  if (exposed_ns !== null) all.push(`exposed ${duration(exposed_ns)}`);
  return `Step ${step}: ${all.join(', ')}`;
}

/** "GPU:3" or "worker-1 GPU:3" → "GPU 3", "worker-1 GPU 3". */
export function lastWords({ last }: CollectiveCall): string {
  if (!last) return 'not known';
  const cut = last.lastIndexOf(' ') + 1;
  return `${last.slice(0, cut)}${deviceName(last.slice(cut))}`;
}

/** Where a call is, from the first arrival to its end. */
export function callPlace(call: CollectiveCall, name: string): Place {
  const size = call.size_bytes === null ? '' : ` of ${bytes(call.size_bytes)}`;
  return {
    host: call.host,
    begin_ms: call.begin_ms,
    end_ms: call.end_ms,
    label: `${name}${size}, ${duration(call.transfer_ns)} of transfer`,
    device: null,
    stream: null,
    step: call.step,
  };
}
