/** Which sections a report has, what they are called, and which of them a finding touches. */

import { tableOf } from '../../blocks.js';
import type { Finding, Report, Section } from '../../model.js';

export type SectionId = Section['id'];

const TITLES: Readonly<Record<SectionId, string>> = {
  communication: 'Communication',
  hosts: 'Hosts',
  kernels: 'Kernels',
  input: 'Input pipeline',
  memory: 'GPU memory',
  machine: 'Machine',
  checks: 'Checks',
  training: 'Training record',
};

export function titleOf(id: SectionId, report: Report): string {
  return id === 'kernels' && !tableOf(report, 'kernels') ? 'Ops on the host' : TITLES[id];
}

/** The section that tells more about an account. */
function sectionOf(account: string): SectionId | null {
  if (account.startsWith('communication.')) return 'communication';
  return account === 'compute' ? 'kernels' : account === 'idle.input' ? 'input' : null;
}

/** Less of a finding's time is no reason to open a section. */
const WORTH_OPENING = 0.25;

/** The sections that tell more about a finding. */
export function touched({ id, group, saving }: Finding): SectionId[] {
  const accounts = Object.entries(saving?.accounts ?? {}).filter(([, ns]) => ns >= WORTH_OPENING * (saving?.ns ?? 0));
  const found = accounts.flatMap(([account]) => sectionOf(account) ?? []);
  if (group === 'input') found.push('input');
  if (group === 'machine') found.push('machine');
  if (group === 'precision') found.push('kernels');
  if (id === 'slow-host') found.push('hosts');
  if (/^(memory|allocator)-/.test(id)) found.push('memory');
  return found;
}

/**
 * Communication unless nothing is to be fixed, what the first finding or the one that is shown touches, and without a
 * ledger of GPUs the input pipeline, about which the profile still tells.
 */
export function openAtFirst({ findings, ledger, sections, settled }: Report, finding: Finding | null): Set<SectionId> {
  const wanted = [findings[0], finding].flatMap((one) => (one ? touched(one) : []));
  if (!settled) wanted.push('communication');
  if (!ledger) wanted.push('input');
  return new Set(sections.map(({ id }) => id).filter((id) => wanted.includes(id)));
}
