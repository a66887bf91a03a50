/** The step budget: which nanoseconds each finding claims, and what is left of a step without them. */

import { accountLook, drawn } from '../../accounts.js';
import { divided } from '../kernels/compute.js';
import { counted, duration, gpuName, multiple, percent } from '../../format.js';
import type { Account, Finding, GpuName, Ledger, Report } from '../../model.js';

/** Time of one account, as a bar draws it; `begin` in ns from the left. */
export interface Block {
  account: string;
  ns: number;
  begin: number;
  /** Rank of the finding that claims it; 0 for none. */
  owner: number;
}

/** A finding and the time under which its block lies: `begin` to `begin` + `ns`. */
export interface Claim {
  finding: Finding;
  rank: number;
  ns: number;
  begin: number;
  blocks: Block[];
}

export interface Budget {
  step_ns: number;
  /** From left to right: what nobody claims, then the claims in reverse order of findings. */
  now: Block[];
  claims: Claim[];
}

/** A bar beside the budget: a GPU, a host or a step. */
export interface Bar {
  name: string;
  step_ns: number;
  blocks: Block[];
}

interface Choice {
  id: string;
  words: string;
}

export type Time = Pick<Account, 'id' | 'ns'>;

/** The least share of the step that is worth an entry of the legend. */
const LEGEND_RATIO = 0.005;
/** Idle time of this share of the step that no finding claims is worth a sentence. */
const STAYS_RATIO = 0.05;
/** A finding that brings less than this share of its time by itself says so. */
const ALONE_RATIO = 0.5;
/** The verdict predicts the step without the first finding, so its row explains smaller differences. */
const FIRST_RATIO = 0.9;
/** Claimed compute is taken from what could be won, before what nobody judged. */
const COMPUTE = ['compute.recoverable', 'compute.not_judged', 'compute.floor', 'compute'];
/** In `without`: no finding is ticked. */
export const NONE = 'none';

/** The title of the budget, which calls nothing a step that is none. */
export function heading({ ledger, steps }: Report): string {
  return ledger && steps.unit ? 'Step budget' : ledger ? 'Recorded time' : 'Findings';
}

/** What the accounts hold and the findings claim, no nanosecond twice. */
export function budget(ledger: Ledger, findings: readonly Finding[]): Budget {
  const left = new Map(divided(ledger).map(({ id, ns }) => [id, ns]));
  const take = (id: string, wanted: number): number => {
    const ns = Math.min(left.get(id) ?? 0, Math.max(0, wanted));
    left.set(id, (left.get(id) ?? 0) - ns);
    return ns;
  };
  const taken = (account: string, wanted: number): Time[] =>
    (account === 'compute' ? COMPUTE : [account]).map((id) => {
      const ns = take(id, wanted);
      wanted -= ns;
      return { id, ns };
    });
  let end = ledger.step_ns;
  const claims: Claim[] = [];
  findings.forEach((finding, i) => {
    const accounts = Object.entries(finding.saving?.accounts ?? {}).flatMap(([id, ns]) => taken(id, ns));
    const ns = total(accounts);
    if (ns <= 0) return;
    end -= ns;
    claims.push({ finding, rank: i + 1, ns, begin: end, blocks: row(accounts, end, i + 1) });
  });
  const free = [...left].map(([id, ns]) => ({ id, ns }));
  return { step_ns: ledger.step_ns, now: [...row(free), ...[...claims].reverse().flatMap((c) => c.blocks)], claims };
}

/** Blocks beside each other, work first. */
export function row(accounts: readonly Time[], begin = 0, owner = 0): Block[] {
  const sorted = drawn(accounts);
  const late = ({ id }: Time): boolean => id === 'idle.stagger';
  return [...sorted.filter((one) => !late(one)), ...sorted.filter(late)].map(({ id, ns }) => {
    const block = { account: id, ns, begin, owner };
    begin += ns;
    return block;
  });
}

/** What is left once the ticked findings are fixed: their time is gone, what is right of it moves up. */
export function projected({ now }: Budget, ticked: ReadonlySet<number>): Block[] {
  let begin = 0;
  return now
    .filter(({ owner }) => !ticked.has(owner))
    .map((block) => {
      const moved = { ...block, begin };
      begin += block.ns;
      return moved;
    });
}

export function total(times: readonly { ns: number }[]): number {
  return times.reduce((sum, { ns }) => sum + ns, 0);
}

/** Ids of the ticked findings: all that claim time, unless `without` names some, or none. */
export function tickedIds(without: string | null, claims: readonly Claim[]): string[] {
  const ids = claims.map(({ finding }) => finding.id);
  if (without === NONE) return [];
  const named = ids.filter((id) => (without ?? '').split(',').includes(id));
  // An address from another run names none of these.
  return named.length > 0 ? named : ids;
}

/** What the address keeps of the ticks; null for all. */
export function withoutText(ids: readonly string[], claims: readonly Claim[]): string | null {
  if (ids.length === claims.length) return null;
  return ids.join(',') || NONE;
}

/** "only after others: alone it brings 13 µs", where a finding brings much less by itself. */
export function aloneWords({ finding, rank, ns }: Pick<Claim, 'finding' | 'rank' | 'ns'>): string {
  const alone = finding.saving?.alone_ns ?? null;
  if (alone === null || alone >= (rank === 1 ? FIRST_RATIO : ALONE_RATIO) * ns) return '';
  const brings = `alone it brings ${alone > 0 ? duration(alone) : 'nothing'}`;
  if (rank === 1) return brings;
  return `only after ${rank === 2 ? '1' : 'others'}: ${brings}`;
}

export interface Legend {
  shown: Time[];
  /** "6 more below 0.5 %: 0.22 ms", or nothing. */
  rest: string;
  /** Time in which the GPU works: neither idle nor waiting for another one. */
  active_ratio: number;
}

/** The accounts as the bar shows them, each once. */
export function summed(blocks: readonly Block[]): Time[] {
  const sums = new Map<string, number>();
  for (const { account, ns } of blocks) sums.set(account, (sums.get(account) ?? 0) + ns);
  return [...sums].map(([id, ns]) => ({ id, ns }));
}

/** The accounts of a step, largest first. */
export function legend(accounts: readonly Time[]): Legend {
  const step = Math.max(1, total(accounts));
  const some = accounts.filter(({ ns }) => ns > 0).sort((a, b) => b.ns - a.ns);
  const rest = some.filter(({ ns }) => ns < LEGEND_RATIO * step);
  const shown = some.filter(({ ns }) => ns >= LEGEND_RATIO * step);
  return {
    shown: rest.length === 1 ? some : shown,
    rest: rest.length > 1 ? `${rest.length} more below 0.5\u00a0%: ${duration(total(rest))}` : '',
    active_ratio: total(accounts.filter(({ id }) => works(id))) / step,
  };
}

function works(account: string): boolean {
  return !account.startsWith('idle.') && account !== 'communication.wait';
}

/** What of the projected step is idle that no finding claims; empty if it is little. */
export function staysWords({ step_ns, now }: Budget, ticked: ReadonlySet<number>, thin: boolean): string {
  // A note on the capture tells of start-up.
  const idle = now.filter(
    ({ account, owner }) => owner === 0 && account.startsWith('idle.') && account !== 'idle.startup',
  );
  const ns = total(idle);
  if (ns < STAYS_RATIO * step_ns) return '';
  const left = total(projected({ step_ns, now, claims: [] }, ticked));
  const named = idle
    .filter((block) => block.ns >= LEGEND_RATIO * step_ns)
    .sort((a, b) => b.ns - a.ns)
    .map((block) => `${accountLook(block.account).words} ${duration(block.ns)}`);
  const which = named.length > 0 ? `: ${named.join(', ')}` : '';
  const of = left < step_ns ? `the projected ${thin ? '≥\u00a0' : ''}${duration(left)}` : duration(left);
  const more = thin ? ' Ten whole steps may show its cause.' : '';
  return `${duration(ns)} of ${of} is idle that no finding explains${which}.${more}`;
}

/** "with 1 of 2 findings fixed". */
export function fixedWords(ticked: number, claims: number): string {
  return `with ${ticked} of ${counted(claims, 'finding')} fixed`;
}

/** "1.36×" as fast, or nothing where that is no number. */
export function factor(before: number, after: number): string {
  return after > 0 && before > after ? multiple(before / after) : '';
}

/** What can be divided: the whole, or groups where steps differ; a rare long step; each GPU, host and step. */
export function choices({ ledger, steps, hosts }: Report): Choice[] {
  // Of a GPU on which some steps are long, the mean step is like none of them.
  const uneven = steps.groups.some(({ name }) => name.endsWith(' steps'));
  const gpus = uneven ? 1 : (ledger?.devices_total ?? 0);
  const whole =
    steps.groups.length > 0
      ? steps.groups.map(({ name }, i) => ({ id: `group-${i}`, words: name }))
      : [{ id: 'mean', words: gpus !== 1 ? 'Mean GPU' : steps.rare ? 'Usual step' : 'Mean step' }];
  return [
    ...whole,
    ...(steps.rare ? [{ id: 'rare', words: 'Rare long step' }] : []),
    ...(hosts.length > 1 && gpus > hosts.length ? [{ id: 'hosts', words: 'Each host' }] : []),
    ...(gpus > 1 ? [{ id: 'gpus', words: gpus === hosts.length ? 'Each host' : 'Each GPU' }] : []),
    ...(steps.columns.filter(judged).length > 1 ? [{ id: 'steps', words: 'Each step' }] : []),
  ];
}

/** The group whose steps hold most of what the first finding claims; without groups the whole. */
export function firstChoice(report: Report): string {
  const claimed = Object.keys(report.findings[0]?.saving?.accounts ?? {});
  const held = report.steps.groups.map(({ accounts }) =>
    accounts.reduce((sum, { id, ns }) => sum + (claimed.includes(id) ? ns : 0), 0),
  );
  return choices(report)[Math.max(held.indexOf(Math.max(...held)), 0)]?.id ?? '';
}

function judged({ judged: is, step_ns, accounts }: Report['steps']['columns'][number]): boolean {
  return is && step_ns > 0 && Object.keys(accounts).length > 0;
}

/** The bars of a choice; none where it is of the whole. */
export function bars({ ledger, steps, hosts }: Report, choice: string): Bar[] {
  const several = hosts.length > 1;
  const devices = ledger?.devices ?? [];
  switch (choice) {
    case 'gpus':
      return devices.map(({ host, device, step_ns, accounts }) => ({
        name: gpuName({ host, device }, several),
        step_ns,
        blocks: row(accounts),
      }));
    case 'hosts':
      return hosts.flatMap(
        (name) =>
          hostBar(
            name,
            devices.filter(({ host }) => host === name),
          ) ?? [],
      );
    case 'steps':
      return steps.columns.filter(judged).map(({ number, step_ns, accounts }) => ({
        name: `Step ${number}`,
        step_ns,
        blocks: row(Object.entries(accounts).map(([id, ns]) => ({ id, ns }))),
      }));
    default:
      return [];
  }
}

/** The mean of a host's GPUs; nothing of a host without rows. */
function hostBar(name: string, devices: Ledger['devices']): Bar | null {
  if (devices.length === 0) return null;
  const sums = new Map<string, number>();
  for (const { id, ns } of devices.flatMap(({ accounts }) => accounts)) sums.set(id, (sums.get(id) ?? 0) + ns);
  const blocks = row([...sums].map(([id, ns]) => ({ id, ns: ns / devices.length })));
  return { name, step_ns: total(blocks), blocks };
}

/** "Launch skew: 4.0 ms, 13 % of the step, claimed by 1". */
export function blockWords({ account, ns, owner }: Block, step: number): string {
  const share = step > 0 ? `, ${percent(ns / step)} of the step` : '';
  return `${accountLook(account).words}: ${duration(ns)}${share}${owner > 0 ? `, claimed by ${owner}` : ''}`;
}

/** GPUs that have no part in the budget: "GPU 2, GPU 3: ran no kernel."; empty if all have. */
export function absentWords({ gpus, hosts }: Report): string {
  const named = (some: readonly GpuName[], all: number, what: string): string[] => {
    const names = some.map((gpu) => gpuName(gpu, hosts.length > 1));
    return all > 0 ? [`${names.join(', ')}${all > names.length ? ' …' : ''}: ${what}.`] : [];
  };
  return [
    ...named(gpus.idle, gpus.idle_total, 'ran no kernel'),
    ...named(gpus.unrecorded, gpus.unrecorded_total, 'no kernel was recorded'),
  ].join(' ');
}
