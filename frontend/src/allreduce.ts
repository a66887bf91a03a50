/** What the AllReduce card says: terms with their meaning, numbers, sentences. */

import type { Estimate } from './charts/allreduce_chart.js';
import { bytes, count, deviceName, duration, quantity } from './format.js';
import { meaningOf } from './glossary.js';
import type { AllReduce, AllReduceSize, AllReduceStep, CollectiveCall, Place } from './model.js';

/** A value under its term; `meaning`: what the term means, or how the value is known; `note` follows it. */
export interface Quantity {
  term: string;
  value: string;
  meaning: string;
  note: string;
}

const meaning = (term: string): string => meaningOf(term, 'per step') ?? '';

function number(term: string, value: string, note = ''): Quantity {
  return { term, value, meaning: meaning(term), note };
}

function time(ns: number | null): string {
  return ns === null ? 'not known' : duration(ns);
}

/** The estimates beside what was measured. */
export function sentence(a: AllReduce): Quantity[] {
  const numbers = [number('guide estimate', time(a.guide_ns)), number('ring bound', time(a.ring_bound_ns))];
  if (a.transfer_ns !== null) numbers.push(number('measured transfer', duration(a.transfer_ns)));
  if (a.wait_ns !== null) {
    const culprit = a.wait_ns > 0 ? mostWaitedFor(a) : '';
    numbers.push(number('waiting', duration(a.wait_ns), culprit && `, mostly for ${culprit}`));
  }
  return numbers;
}

/** The GPU for which more than half of the waiting is, if there is one. */
export function mostWaitedFor({ devices, hosts_count }: AllReduce): string {
  const all = devices.reduce((sum, { caused_wait_ns }) => sum + caused_wait_ns, 0);
  const most = devices.find(({ caused_wait_ns }) => caused_wait_ns > all / 2);
  return most ? deviceWords(most, hosts_count > 1) : '';
}

/** What else is known: less of a headline. */
export function further(a: AllReduce): Quantity[] {
  const known: [string, number | null, (value: number) => string][] = [
    ['exposed', a.exposed_ns, duration],
    ['hidden', a.hidden_ns, duration],
    ['bus bandwidth', a.busbw_gbps, (gbps) => quantity(gbps, 'GB/s')],
    ['achievable', a.achievable_ns, duration],
  ];
  return known.flatMap(([term, value, words]) => (value === null ? [] : [number(term, words(value))]));
}

/** Every number of the card with its source. */
export function lines(a: AllReduce): Quantity[] {
  const line = (term: string, value: string, known: string): Quantity => ({ term, value, meaning: known, note: '' });
  return [
    line('Parameters', a.parameters === null ? 'not known' : count(a.parameters), parametersSource(a)),
    line(
      'Bandwidth of one GPU',
      a.bandwidth_gbps === null ? 'not known' : quantity(a.bandwidth_gbps, 'GB/s'),
      a.bandwidth_source,
    ),
    line('Bytes per step', a.bytes_per_step === null ? 'not known' : bytes(a.bytes_per_step), a.bytes_source),
    line('Guide estimate', time(a.guide_ns), meaning('guide estimate')),
    line('Ring bound', time(a.ring_bound_ns), meaning('ring bound')),
    line('Achievable', time(a.achievable_ns), a.achievable_source || meaning('achievable')),
    ...(a.measured_ns === null
      ? []
      : [
          line('Measured transfer', time(a.transfer_ns), meaning('measured transfer')),
          line('Measured waiting', time(a.wait_ns), meaning('waiting')),
          line('Measured, both', time(a.measured_ns), 'Transfer and waiting together. Per step.'),
          line('Exposed', time(a.exposed_ns), meaning('exposed')),
          line('Hidden', time(a.hidden_ns), meaning('hidden')),
          line(
            'Bus bandwidth',
            a.busbw_gbps === null ? 'not known' : quantity(a.busbw_gbps, 'GB/s'),
            meaning('bus bandwidth'),
          ),
        ]),
  ];
}

export function difference(a: AllReduce): string {
  if (a.difference || a.measured_ns !== null) return a.difference;
  return a.guide_ns === null
    ? 'No collective was recorded in this profile. With the number of parameters and the bandwidth, ' +
        'estimates say what AllReduce should take.'
    : 'No collective was recorded in this profile; the estimates say what AllReduce should take.';
}

const SOURCES: Record<AllReduce['parameters_source'], string> = {
  given: 'as typed',
  recorded: 'recorded by the training',
  estimated: 'estimated from the profile',
  unknown: 'not known: type it to get the estimates',
};

function parametersSource({ parameters_source: source, parameters_basis: basis }: AllReduce): string {
  if (basis === '') return SOURCES[source];
  return source === 'estimated' ? `${SOURCES[source]}: ${basis}` : basis;
}

/** How the number of parameters is known, and how to change it. */
export function parametersNote(a: AllReduce): string {
  const value = a.parameters === null ? '' : `${count(a.parameters)}, `;
  const back = a.parameters_source === 'given' ? '. Empty the field to go back.' : '';
  return `${value}${parametersSource(a)}${back}`;
}

/** How the bandwidth is known. */
export function bandwidthNote({ bandwidth_gbps: gbps, bandwidth_source: source }: AllReduce): string {
  if (gbps === null) return `${source || 'not known'}: type it to get the estimates`;
  return `${quantity(gbps, 'GB/s')}, ${source}`;
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

/** The chart in one sentence. */
export function chartWords(a: AllReduce): string {
  const totals = a.steps.map(({ transfer_ns, wait_ns }) => transfer_ns + wait_ns);
  const range = [Math.min(...totals), Math.max(...totals)].map(duration);
  const lines = estimates(a).map(({ words, ns }) => `${words} ${duration(ns)}`);
  return [
    `AllReduce of ${count(a.steps.length)} steps: transfer and waiting together take ${range.join(' to ')}`,
    ...lines,
  ].join('; ');
}

export function stepWords({ step, transfer_ns, wait_ns, exposed_ns }: AllReduceStep): string {
  return (
    `Step ${step}: transfer ${duration(transfer_ns)}, waiting ${duration(wait_ns)}, exposed ` + duration(exposed_ns)
  );
}

/** The range of sizes of a bucket; buckets come smallest first. */
export function sizeWords(sizes: readonly AllReduceSize[], index: number): string {
  const from = sizes[index - 1]?.up_to_bytes ?? null;
  const to = sizes[index]?.up_to_bytes ?? null;
  if (to !== null) return `up to ${bytes(to)}`;
  return from === null ? 'largest' : `more than ${bytes(from)}`;
}

export function deviceWords({ host, device }: { host: string; device: string }, severalHosts: boolean): string {
  return severalHosts ? `${host} ${deviceName(device)}` : deviceName(device);
}

const KINDS: Readonly<Record<string, string>> = {
  all_reduce: 'AllReduce',
  reduce_scatter: 'ReduceScatter',
  all_gather: 'AllGather',
  send_recv: 'SendRecv',
  broadcast: 'Broadcast',
  reduce: 'Reduce',
};

/** What NCCL calls a collective of this kind. */
export function kindWords(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** "GPU:3" or "worker-1 GPU:3" → "GPU 3", "worker-1 GPU 3". */
export function lastWords({ last }: CollectiveCall): string {
  if (!last) return 'not known';
  const cut = last.lastIndexOf(' ') + 1;
  return `${last.slice(0, cut)}${deviceName(last.slice(cut))}`;
}

/** Where a call is, from the first arrival to its end. */
export function callPlace(call: CollectiveCall): Place {
  const size = call.size_bytes === null ? '' : ` of ${bytes(call.size_bytes)}`;
  return {
    host: call.host,
    begin_ms: call.begin_ms,
    end_ms: call.end_ms,
    label: `${kindWords(call.kind)}${size}, ${duration(call.transfer_ns)} of transfer`,
    device: null,
    stream: null,
    step: call.step,
  };
}
