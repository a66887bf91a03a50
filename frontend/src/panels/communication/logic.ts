/** What the Communication section says: numbers with their meaning, estimates, and who comes last. */

import { bytes, count, deviceName, duration, gpuName, percent, quantity } from '../../format.js';
import { meaningOf } from '../../glossary.js';
import type {
  AllReduce,
  AllReduceDevice,
  AllReduceSize,
  Collective,
  CollectiveCall,
  Place,
  Report,
  Straggler,
} from '../../model.js';
import type { Estimate, Step } from './chart.js';

/** Below this share of a step a GPU is not called late. */
const LATE_RATIO = 0.01;

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

/** The step's two accounts of communication, and both together; null without any. */
export function exposed({ ledger }: Report): { both: number; transfer: number; wait: number } | null {
  const of = (id: string): number => ledger?.accounts.find((account) => account.id === id)?.ns ?? 0;
  const [transfer, wait] = [of('communication.transfer'), of('communication.wait')];
  return transfer + wait > 0 ? { both: transfer + wait, transfer, wait } : null;
}

const KINDS: Readonly<Record<string, string>> = {
  all_reduce: 'AllReduce',
  reduce_scatter: 'ReduceScatter',
  all_gather: 'AllGather',
  all_to_all: 'AllToAll',
  send_recv: 'SendRecv',
  broadcast: 'Broadcast',
  reduce: 'Reduce',
};

/** What NCCL calls a collective of this kind. */
export function kindWords(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** Without an exchange that estimates are for: what was recorded instead. */
export function insteadWords(collectives: readonly Collective[]): string {
  if (collectives.length === 0) return 'No collective between these GPUs was recorded in these steps.';
  const kinds = collectives.map(({ kind }) => (kind === 'other' ? 'other collectives' : kindWords(kind))).join(', ');
  return (
    `These steps run ${kinds}, and no AllReduce between several GPUs: ` +
    'parameters × 4 bytes / bandwidth does not apply.'
  );
}

/** Whether the calls that estimates are for take most of the time of all collectives. */
export function mostly({ allreduce, collectives }: Report): boolean {
  const sum = (some: readonly Collective[]): number => some.reduce((all, { ns }) => all + ns, 0);
  const counted = collectives.filter(({ kind }) => allreduce?.kinds.includes(kind));
  return counted.length > 0 && sum(counted) >= sum(collectives) / 2;
}

/** What takes most of the time, where that is none of the calls that estimates are for. */
export function mostlyWords(report: Report): string {
  const [most] = report.collectives;
  return report.allreduce?.measured_ns && most && !mostly(report)
    ? `Most of the communication is ${kindWords(most.kind)}. Estimates are for the exchange of gradients only.`
    : '';
}

/** The measurement beside its estimates. Always the same ones for a run: no text typed moves what is below. */
export function tiles(a: AllReduce): Quantity[] {
  const factor = Number(((2 * (a.participants - 1)) / a.participants).toFixed(2));
  const ring = a.kinds.length < 2 && (a.kinds[0] ?? 'all_reduce') === 'all_reduce';
  return [
    number(
      'measured transfer',
      a.measured_ns === null ? 'not recorded' : time(a.transfer_ns),
      a.measured_ns === null
        ? 'no collective'
        : a.busbw_gbps === null
          ? 'bytes not recorded'
          : `${quantity(a.busbw_gbps, 'GB/s')} of bus bandwidth`,
    ),
    ...(a.guide_applies ? [number('guide estimate', time(a.guide_ns), 'parameters × 4 bytes / bandwidth')] : []),
    number('ring bound', time(a.ring_bound_ns), ring ? `bytes × ${factor} / bandwidth` : 'bytes sent / bandwidth'),
    number('achievable', time(a.achievable_ns), 'what such links reach'),
  ];
}

/** What else was measured. */
export function further(a: AllReduce): Quantity[] {
  if (a.measured_ns === null) return [];
  const culprit = a.wait_ns ? mostWaitedFor(a) : '';
  return [
    number('measured waiting', time(a.wait_ns), culprit && `, mostly for ${culprit}`),
    number('exposed', time(a.exposed_ns)),
    number('hidden', time(a.hidden_ns)),
  ];
}

/** The GPU for which more than half of the waiting is, if there is one. */
export function mostWaitedFor({ devices, hosts_count }: AllReduce): string {
  const all = devices.reduce((sum, { caused_wait_ns }) => sum + caused_wait_ns, 0);
  const most = devices.find(({ caused_wait_ns }) => caused_wait_ns > all / 2);
  return most ? gpuName(most, hosts_count > 1) : '';
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
    ...(a.guide_applies ? [line('Guide estimate', time(a.guide_ns), meaning('guide estimate'))] : []),
    line('Ring bound', time(a.ring_bound_ns), meaning('ring bound')),
    line('Achievable', time(a.achievable_ns), a.achievable_source || meaning('achievable')),
    ...(a.measured_ns === null
      ? []
      : [
          line('Measured transfer', time(a.transfer_ns), meaning('measured transfer')),
          line('Measured waiting', time(a.wait_ns), meaning('measured waiting')),
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

const SOURCES: Record<AllReduce['parameters_source'], string> = {
  given: 'as typed',
  recorded: 'recorded by the training',
  estimated: 'estimated from the profile',
  unknown: 'not known: type it to get the estimates',
};

function parametersSource({ parameters_source: source, parameters_basis: basis }: AllReduce): string {
  if (basis === '') return SOURCES[source];
  if (source === 'unknown') return `${basis}: type the number to get the estimates`;
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

/** A GPU that may keep the others waiting, in words. */
export interface Late {
  name: string;
  behind: string;
  last: string;
  /** How long an average other GPU waits for it in a step; "" where most time is in other collectives. */
  others: string;
  cause: string;
}

export function late(report: Report): Late[] {
  const { stragglers, allreduce, ledger, steps } = report;
  const least = LATE_RATIO * (ledger?.step_ns ?? steps.p50_ns);
  const several = new Set(stragglers.map(({ host }) => host)).size > 1;
  const key = ({ host, device }: Straggler | AllReduceDevice): string => JSON.stringify([host, device]);
  const caused = new Map(
    (mostly(report) ? (allreduce?.devices ?? []) : []).map((one) => [key(one), one.caused_wait_ns]),
  );
  const behind = alike(stragglers.map(({ behind_ns }) => behind_ns));
  const others = alike(stragglers.map((one) => caused.get(key(one)) ?? null));
  return stragglers.map((one, i) => ({
    name: gpuName(one, several),
    behind: behind[i] ?? '',
    last: percent(one.last_ratio),
    others: others[i] ?? '',
    cause: one.behind_ns < least ? 'not late' : one.cause || 'not known',
  }));
}

/** Times of one column in the unit of the longest, with as many digits; "" where one is not known. */
export function alike(times: readonly (number | null)[]): string[] {
  const longest = Math.max(...times.map((ns) => ns ?? 0));
  const [unit, factor] = longest >= 1e9 ? ['s', 1e9] : longest >= 1e5 ? ['ms', 1e6] : ['µs', 1e3];
  const digits = longest >= 100 * factor ? 0 : longest >= factor ? 1 : 2;
  const least = 10 ** -digits;
  return times.map((ns) => {
    if (ns === null) return '';
    if (longest === 0) return duration(0);
    const small = ns > 0 && ns < (least * factor) / 2;
    return `${small ? '<' : ''}${(small ? least : ns / factor).toFixed(digits)}\u00a0${unit}`;
  });
}

/** The range of sizes of a bucket; buckets come smallest first. */
export function sizeWords(sizes: readonly AllReduceSize[], index: number): string {
  const from = sizes[index - 1]?.up_to_bytes ?? null;
  const to = sizes[index]?.up_to_bytes ?? null;
  if (to !== null) return `up to ${bytes(to)}`;
  return from === null ? 'largest' : `more than ${bytes(from)}`;
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
