/** A finding and the timeline of a step: which time is whose, in which words. */

import { accountLook } from '../../accounts.js';
import { ticks } from '../../charts/scale.js';
import { between, duration, elided, gpuName } from '../../format.js';
import type {
  Finding,
  HostTimes,
  Place,
  Report,
  StaggerItem,
  StepTimeline,
  Straggler,
  TimelineRow,
  Wait,
} from '../../model.js';
import { type Mark, type View, marks } from './timeline.js';

/** Below this share of a step a GPU is not called late. */
const LATE_RATIO = 0.01;
/** A kernel that takes this share of a GPU's time is what it is in. */
const MOST_RATIO = 0.5;
/** Accounts and kernels of a range that are named. */
const RANGE_WORDS = 4;
/** Measurements that are shown at once. */
export const MEASURED = 3;

/** "1200-3400" in the address: ns from the start of the step. */
export function zoomText({ begin, end }: View): string {
  return `${Math.round(begin)}-${Math.round(end)}`;
}

export function parseZoom(text: string | null): View | null {
  const [, begin, end] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  return Number(end) > Number(begin) ? { begin: Number(begin), end: Number(end) } : null;
}

/** What to draw of a finding: all that it claims in this step, else where it points to. */
export function ranges(data: StepTimeline, finding: Finding | undefined): Mark[] {
  if (!finding) return [];
  const mine = data.claims.filter((claim) => claim.finding === finding.id);
  return mine.length > 0
    ? mine.map(({ row, begin_ns: begin, end_ns: end }) => ({ row, begin, end }))
    : marks(data, finding.where).filter(({ row }) => data.rows[row]?.kernels === false);
}

/** The finding that claims most of a stretch; null if none claims half of it. */
export function ownerOf(
  { claims, rows }: Pick<StepTimeline, 'claims' | 'rows'>,
  { row, begin, end }: Mark,
): string | null {
  // Kernels lie below the GPU that they belong to.
  const at = rows[row]?.kernels ? row - 1 : row;
  const sums = new Map<string, number>();
  for (const claim of claims) {
    const both = Math.min(claim.end_ns, end) - Math.max(claim.begin_ns, begin);
    if (claim.row === at && both > 0) sums.set(claim.finding, (sums.get(claim.finding) ?? 0) + both);
  }
  const [most] = [...sums].sort((a, b) => b[1] - a[1]);
  return most && most[1] >= (end - begin) / 2 ? most[0] : null;
}

/**
 * "claimed by 1 Launch skew across GPUs", or that nobody claims it. A finding may claim a part of an account without
 * saying which: then that is said.
 */
export function ownerWords(id: string | null, findings: readonly Finding[], account = ''): string {
  const rank = findings.findIndex((finding) => finding.id === id);
  if (rank >= 0) return `claimed by ${rank + 1} ${findings[rank]?.title ?? ''}`;
  const part = findings.findIndex(({ saving }) => (saving?.accounts[account] ?? 0) > 0);
  if (part < 0) return 'no finding claims it';
  const ns = findings[part]?.saving?.accounts[account] ?? 0;
  return `no finding points here; ${part + 1} claims ${duration(ns)} of ${accountLook(account).words} per step`;
}

/** How many rows the timeline will have at most, so that room can be kept for them. */
export function expectedRows({ ledger, hosts, stragglers }: Report, place: Place | null): number {
  const gpus = ledger?.devices_total ?? 0;
  const about = new Set([stragglers[0]?.host ?? hosts[0], place?.host ?? stragglers[0]?.host ?? hosts[0]]);
  return (gpus > 8 ? 5 : gpus) + 3 * about.size;
}

export interface Tag {
  words: string;
  late: boolean;
  meaning: string;
}

/** "late +8.0 ms" for the latest of these GPUs in this step, "+2.7 ms", "first"; null where no GPU is late in it. */
export function tagOf(
  row: TimelineRow,
  { rows, length_ns }: Pick<StepTimeline, 'rows' | 'length_ns'>,
  stragglers: readonly Straggler[],
): Tag | null {
  const most = Math.max(0, ...rows.map(({ behind_ns }) => behind_ns ?? 0));
  const least = LATE_RATIO * length_ns;
  if (row.behind_ns === null || row.kernels || most < least) return null;
  const own = stragglers.find(({ host, device }) => host === row.host && device === row.name);
  const usual = own ? ` Of all steps, ${duration(own.behind_ns)} in the median. ${own.cause}` : '';
  const meaning = `Behind the first GPU, in this step.${usual}`.trim();
  if (row.behind_ns < least) return row.behind_ns === 0 ? { words: 'first', late: false, meaning } : null;
  const late = row.behind_ns === most;
  return { words: `${late ? 'late ' : ''}+${duration(row.behind_ns)}`, late, meaning };
}

/** "3 more GPUs, 0.1 ms to 1.2 ms behind". */
export function othersWords({ others }: StepTimeline): string {
  if (!others) return '';
  const { count, low_ns, high_ns } = others;
  return `${count} more ${count === 1 ? 'GPU' : 'GPUs'}, ${between(low_ns, high_ns)} behind`;
}

/** What the host did during a stretch, from the sums of its rows; "" if nothing was recorded. */
export function meanwhile(rows: readonly TimelineRow[]): string {
  const did = rows.flatMap(({ is_gpu, sums_ns }) => (is_gpu ? [] : Object.entries(sums_ns)));
  const most = new Map<string, number>();
  for (const [code, ns] of did) most.set(code, Math.max(ns, most.get(code) ?? 0));
  // Inside the function is where the other work happens.
  if (most.size > 1) most.delete('host.step');
  const parts = [...most].filter(([, ns]) => ns > 0).sort((a, b) => b[1] - a[1]);
  return parts.map(([code, ns]) => `${accountLook(code).words} ${duration(ns)}`).join(' · ');
}

/** The wait that takes most of a stretch; null if there is none. */
export function waitIn({ waits }: StepTimeline, { row, begin, end }: Mark): Wait | null {
  const shared = (wait: Wait): number => Math.min(wait.end_ns, end) - Math.max(wait.begin_ns, begin);
  const mine = waits.filter((wait) => wait.row === row && shared(wait) > 0);
  return mine.reduce<Wait | null>((most, wait) => (most && shared(most) >= shared(wait) ? most : wait), null);
}

/** "41.7 ms in AllReduce for GPU 1, which is in input_scatter_fusion". */
export function waitWords(wait: Wait, several: boolean, doing: string): string {
  const whom = gpuName(wait, several);
  return `${duration(wait.end_ns - wait.begin_ns)} in ${wait.call} for ${whom}${doing && `, which ${doing}`}`;
}

/** Kernels of collectives, which lie beside those that compute. */
const COLLECTIVE = /^[nr]ccl/i;

/** A measured range in words: a GPU's accounts, on average over the GPUs, its kernels, and the host's work. */
export interface RangeWords {
  gpus: string;
  kernels: string;
  host: string;
}

export function rangeWords(data: StepTimeline): RangeWords {
  const gpus = data.rows.filter(({ is_gpu, kernels }) => is_gpu && !kernels);
  const mean = (times: [string, number][]): string =>
    times
      .filter(([, ns]) => ns > 0)
      .sort((a, b) => b[1] - a[1])
      .slice(0, RANGE_WORDS)
      .map(([words, ns]) => `${words} ${duration(ns / gpus.length)}`)
      .join(' · ');
  const sums = new Map<string, number>();
  for (const [code, ns] of gpus.flatMap(({ sums_ns }) => Object.entries(sums_ns)))
    sums.set(code, (sums.get(code) ?? 0) + ns);
  const kernels = new Map<string, number>();
  for (const [name, ns] of gpus.flatMap((gpu) => kernelTimes(data, gpu)))
    kernels.set(name, (kernels.get(name) ?? 0) + ns);
  return {
    gpus: mean([...sums].map(([code, ns]) => [accountLook(code).words, ns])),
    kernels: mean([...kernels].map(([name, ns]) => [elided(name), ns])),
    host: meanwhile(data.rows),
  };
}

/** The kernels of a GPU that compute, longest first, "scatter 20.0 ms · Adam 1.2 ms"; "" if they were not kept. */
export function kernelWords(data: StepTimeline, gpu: { host: string; name: string }): string {
  return kernelTimes(data, gpu)
    .slice(0, 2)
    .map(([name, ns]) => `${elided(name)} ${duration(ns)}`)
    .join(' · ');
}

function kernelTimes(
  { rows, names, begin_ns: from, end_ns: to }: StepTimeline,
  gpu: { host: string; name: string },
): [name: string, ns: number][] {
  const times = new Map<string, number>();
  for (const { host, name, kernels, code, begin_ns, end_ns } of rows) {
    if (!kernels || host !== gpu.host || name !== gpu.name) continue;
    code.forEach((one, i) => {
      const text = names[one] ?? '';
      if (COLLECTIVE.test(text)) return;
      const inside = Math.min(end_ns[i] ?? 0, to) - Math.max(begin_ns[i] ?? 0, from);
      times.set(text, (times.get(text) ?? 0) + Math.max(inside, 0));
    });
  }
  return [...times].sort((a, b) => b[1] - a[1]);
}

/** What the GPU that is waited for does meanwhile: "is in input_scatter_fusion", "has Input wait". */
export function doing(data: StepTimeline, { host, device }: Wait): string {
  const { rows } = data;
  const own = rows.find((row) => row.is_gpu && !row.kernels && row.host === host && row.name === device);
  const [most] = Object.entries(own?.sums_ns ?? {}).sort((a, b) => b[1] - a[1]);
  if (!most) return '';
  const [kernel] = kernelTimes(data, { host, name: device });
  if (most[0] === 'compute' && kernel && kernel[1] >= MOST_RATIO * most[1]) return `is in ${elided(kernel[0])}`;
  return `has ${accountLook(most[0]).words}`;
}

/** The starts of GPUs in the step in which they lie furthest apart. */
export function furthestApart(items: readonly StaggerItem[]): StaggerItem[] {
  const steps = new Map<number, StaggerItem[]>();
  for (const item of items) steps.set(item.step, [...(steps.get(item.step) ?? []), item]);
  const apart = (rows: readonly StaggerItem[]): number => {
    const starts = rows.map((row) => row.first_kernel_ns);
    return Math.max(...starts) - Math.min(...starts);
  };
  return [...steps.values()].sort((a, b) => apart(b) - apart(a))[0] ?? [];
}

/** The narrowest width that dots must fit into without lying on one another. */
const WIDTH = 560;
/** The most hosts with large dots. */
const FEW = 64;
/** A narrower spread would be drawn as more than it is. */
const LEAST_SPREAD = 0.02;

export interface HostDot {
  host: string;
  own_ns: number;
  slow: boolean;
  words: string;
  /** Where on the axis, 0 to 1. */
  share: number;
  left: string;
  level: number;
}

/** A dot for each host, shortest own time first; dots that would cover one another are packed around their middle. */
export function hostDots(hosts: readonly HostTimes[]): {
  dots: HostDot[];
  ticks: { words: string; share: number }[];
  /** Px between two dots, and of all rows. */
  pitch: number;
  height: number;
} {
  const sorted = [...hosts].sort((a, b) => a.own_ns - b.own_ns);
  const [least, most] = [sorted[0]?.own_ns ?? 0, sorted.at(-1)?.own_ns ?? 0];
  const room = Math.max((most - least) * 0.04, (LEAST_SPREAD * most - (most - least)) / 2, 1);
  const [low, high] = [least - room, most + room];
  const share = (ns: number): number => (ns - low) / (high - low);
  const [pitch, stack] = hosts.length > FEW ? [5, 16] : [9, 5];
  const packs: { at: number; hosts: HostTimes[] }[] = [];
  const half = (pack: { hosts: HostTimes[] }): number => (Math.ceil(pack.hosts.length / stack) * pitch) / 2 / WIDTH;
  for (const host of sorted) {
    let pack = { at: share(host.own_ns), hosts: [host] };
    for (let last = packs.at(-1); last && last.at + half(last) > pack.at - half(pack); last = packs.at(-1)) {
      packs.pop();
      const [a, b] = [last.hosts.length, pack.hosts.length];
      pack = { at: (last.at * a + pack.at * b) / (a + b), hosts: [...last.hosts, ...pack.hosts] };
    }
    packs.push(pack);
  }
  const dots = packs.flatMap(({ at, hosts: packed }) => {
    const columns = Math.ceil(packed.length / stack);
    const middle = Math.min(Math.max(at, half({ hosts: packed })), 1 - half({ hosts: packed }));
    return packed.map(({ host, own_ns, slow }, i) => ({
      host,
      own_ns,
      slow,
      words: `${host}: ${duration(own_ns)}${slow ? ', slow' : ''}`,
      share: at,
      left: `calc(${(middle * 100).toFixed(2)}% + ${((Math.floor(i / stack) - columns / 2) * pitch).toFixed(1)}px)`,
      level: i % stack,
    }));
  });
  const [, step = 1] = ticks(high - low);
  const first = Math.ceil(low / step);
  return {
    dots,
    ticks: Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step).map((ns, i) => ({
      words: `${Number((ns / 1e6).toPrecision(6))}${i === 0 ? ' ms' : ''}`,
      share: share(ns),
    })),
    pitch,
    height: Math.max(1, ...dots.map(({ level }) => level + 1)) * pitch + 2,
  };
}
