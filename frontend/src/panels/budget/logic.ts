/** What the budget draws besides the report's blocks: what is left without ticked findings, GPUs, hosts and steps. */

import { accountLook, drawn } from '../../accounts.js';
import { duration, gpuName, multiple, percent } from '../../format.js';
import type { Account, Block, Budget, Claim, Device, Division, GpuName, Ledger, Report } from '../../model.js';

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

/** In `without`: no finding is ticked. */
export const NONE = 'none';

/** Blocks beside each other, work first. */
function row(accounts: readonly Pick<Account, 'id' | 'ns'>[], step: number): Block[] {
  const sorted = drawn(accounts);
  const late = ({ id }: { id: string }): boolean => id === 'idle.stagger';
  let begin = 0;
  return [...sorted.filter((one) => !late(one)), ...sorted.filter(late)].map(({ id, ns }) => {
    const words = `${accountLook(id).words}: ${duration(ns)}, ${percent(ns / Math.max(1, step))}`;
    const block = { account: id, ns, begin_ns: begin, owner: 0, words };
    begin += ns;
    return block;
  });
}

/**
 * What is left once the ticked findings are fixed: their time is gone, what is right of it moves up. At the end the
 * step waits until the input pipeline has made the next batch, in `least` ns.
 */
export function projected(blocks: readonly Block[], ticked: ReadonlySet<number>, least: number): Block[] {
  let begin = 0;
  const left = blocks
    .filter(({ owner }) => !ticked.has(owner))
    .map((block) => {
      const moved = { ...block, begin_ns: begin };
      begin += block.ns;
      return moved;
    });
  if (begin >= least) return left;
  const ns = least - begin;
  const words = `${accountLook('idle.input').words}: ${duration(ns)}`;
  return [...left, { account: 'idle.input', ns, begin_ns: begin, owner: 0, words }];
}

/** What the input pipeline needs for the batch of a step of `step` ns, if it limits the step without these findings. */
export function neededNs({ input, findings }: Report, without: readonly string[], step: number): number {
  const frees = findings.some(({ id, saving }) => saving?.frees_input && without.includes(id));
  return frees ? 0 : Math.min(input?.needed_ns ?? 0, step);
}

export function total(times: readonly { ns: number }[]): number {
  return times.reduce((sum, { ns }) => sum + ns, 0);
}

/** Ids of the ticked findings: all that claim time, unless `without` names some, or none. */
export function tickedIds(without: string | null, claims: readonly Claim[]): string[] {
  const ids = claims.map(({ id }) => id);
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

/** "1.36×" as fast, or nothing where that is no number. */
export function factor(before: number, after: number): string {
  return after > 0 && before > after ? multiple(before / after) : '';
}

/** The GPUs on which anything ran. */
export function working({ devices }: Report): Device[] {
  return devices.filter(({ participates }) => participates);
}

/** What the budget, or what there is in its place, is called; null if there is nothing to draw. */
export function headingOf(report: Report): string | null {
  const { budget, host_time: cpu, findings } = report;
  if (budget) return budget.heading;
  if (cpu) return 'Time on the CPU';
  if (working(report).length > 0) return 'Shares of the recording';
  return findings.length > 0 ? 'All findings' : null;
}

/** What can be divided: the average step, or one of each group; a rare long step; each GPU, host and step. */
export function choices({ budget, ledger, steps, hosts, machines_count: machines }: Report): Choice[] {
  // Of a GPU on which some steps are long, the mean step is like none of them.
  const uneven = steps.groups.some(({ name }) => name.endsWith(' steps'));
  const gpus = uneven ? 1 : (ledger?.devices_total ?? 0);
  return [
    ...(budget?.divisions ?? []).map(({ name }, i) => ({ id: String(i), words: name })),
    ...(budget?.rare ? [{ id: 'rare', words: budget.rare.name }] : []),
    ...(hosts.length > 1 && gpus > hosts.length ? [{ id: 'hosts', words: 'Each host' }] : []),
    ...(gpus > 1 ? [{ id: 'gpus', words: gpus === machines ? 'Each host' : 'Each GPU' }] : []),
    ...(steps.columns.filter(judged).length > 1 ? [{ id: 'steps', words: 'Each step' }] : []),
  ];
}

/** The division in which the first finding claims most. */
export function firstChoice({ budget, findings }: Report): string {
  const claimed = Object.keys(findings[0]?.saving?.accounts ?? {});
  const held = (budget?.divisions ?? []).map(({ blocks }) =>
    total(blocks.filter(({ account }) => claimed.includes(account))),
  );
  return String(Math.max(held.indexOf(Math.max(...held)), 0));
}

/** What is divided: where GPUs, hosts or steps are chosen, the average step or the first group stands above them. */
export function divisionOf({ divisions, rare }: Budget, choice: string): Division | null {
  return (choice === 'rare' ? rare : divisions[Number(choice)]) ?? divisions[0] ?? null;
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
        blocks: row(accounts, step_ns),
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
        blocks: row(
          Object.entries(accounts).map(([id, ns]) => ({ id, ns })),
          step_ns,
        ),
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
  const means = [...sums].map(([id, ns]) => ({ id, ns: ns / devices.length }));
  return { name, step_ns: total(means), blocks: row(means, total(means)) };
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
