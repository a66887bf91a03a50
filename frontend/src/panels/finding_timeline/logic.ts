/** A finding and the timeline of a step: which time is whose, in which words. */

import { ticks } from '../../charts/scale.js';
import { between, duration, gpuName, percent } from '../../format.js';
import type {
  Finding,
  HostTimes,
  Place,
  Report,
  StaggerItem,
  StepTimeline,
  Straggler,
  TimelineRow,
} from '../../model.js';
import { type Mark, type View, marks, workLook } from './timeline.js';

/** Below this share of a step a GPU is not called late. */
const LATE_RATIO = 0.01;
/** A GPU that comes last this often is a straggler. */
const LAST_RATIO = 0.5;
/** Measurements that are shown at once. */
export const MEASURED = 4;

/** "1200-3400" in the address: ns from the begin of the step. */
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
  return `no finding points here; ${part + 1} claims ${duration(ns)} of ${workLook(account).words} per step`;
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

/** "straggler +8.0 ms", "+2.7 ms", "first"; null where no GPU is late. */
export function tagOf(row: TimelineRow, stragglers: readonly Straggler[], stepNs: number): Tag | null {
  const [latest] = stragglers;
  if (row.behind_ns === null || row.kernels || !latest || latest.behind_ns < LATE_RATIO * stepNs) return null;
  const own = stragglers.find(({ host, device }) => host === row.host && device === row.name);
  const often = own ? `comes last in ${percent(own.last_ratio)} of collective calls or steps` : '';
  const meaning = `Median delay behind the first GPU${often && `; ${often}`}.${own?.cause ? ` ${own.cause}` : ''}`;
  if (row.behind_ns < LATE_RATIO * stepNs) return row.behind_ns === 0 ? { words: 'first', late: false, meaning } : null;
  const words = `+${duration(row.behind_ns)}`;
  const leads = own !== undefined && lastOnes(stragglers)?.gpus.includes(own) === true;
  return { words: leads ? `straggler ${words}` : words, late: leads, meaning };
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
  return parts.map(([code, ns]) => `${workLook(code).words} ${duration(ns)}`).join(' · ');
}

/** The GPU that mostly comes last, or else the GPUs of a host that do; null where it is now one, now another. */
function lastOnes(
  stragglers: readonly Straggler[],
): { name: string; ratio: number; gpus: readonly Straggler[] } | null {
  const [latest] = stragglers;
  if (!latest) return null;
  const several = new Set(stragglers.map(({ host }) => host)).size > 1;
  const alone = latest.last_ratio >= LAST_RATIO;
  const gpus = alone || !several ? [latest] : stragglers.filter(({ host }) => host === latest.host);
  const ratio = gpus.reduce((sum, one) => sum + one.last_ratio, 0);
  return ratio < LAST_RATIO
    ? null
    : { name: alone ? gpuName(latest, several) : latest.host, ratio: Math.min(ratio, 1), gpus };
}

/** Who makes others wait, if it is mostly the same GPU or host. */
export function waitedFor({ stragglers }: Pick<Report, 'stragglers'>, row: TimelineRow): string {
  const last = lastOnes(stragglers);
  if (!last || last.gpus.some(({ host, device }) => host === row.host && device === row.name)) return '';
  const behind = Math.max(...last.gpus.map(({ behind_ns }) => behind_ns));
  const cause = last.gpus[0]?.cause ?? '';
  return `${last.name} comes last in ${percent(last.ratio)} of the calls, ${duration(behind)} behind. ${cause}`.trim();
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
/** Up to so many hosts have large dots. */
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
