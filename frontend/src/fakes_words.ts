/** Made-up words and blocks for made-up reports, simpler than the backend's: any numbers, no special cases. */

import { accountLook, drawn } from './accounts.js';
import { count, counted, duration, multiple, percent, quantity } from './format.js';
import type {
  Account,
  AfterWords,
  AllReduce,
  Block,
  Budget,
  Division,
  Finding,
  FindingWords,
  Ledger,
  Quantity,
  Report,
} from './model.js';
import { total } from './panels/budget/logic.js';
import { computeRows } from './panels/kernels/compute.js';

type Unworded = Omit<Report, 'verdict' | 'words' | 'budget'>;
type Time = Pick<Account, 'id' | 'ns'>;

export function worded(report: Unworded): Report {
  const { steps, ledger, passed, headline, key_numbers: k } = report;
  const times = steps.groups.map(({ name, step_ns }) => ({ time: duration(step_ns), of: `on ${name}` }));
  const mean = steps.count > 0 ? [{ time: duration(ledger?.step_ns ?? steps.p50_ns), of: '' }] : [];
  const mfu = k.mfu_ratio === null ? '' : `; MFU ${percent(k.mfu_ratio)} of 312 TFLOP/s in bf16`;
  const compute = ledger?.accounts.find(({ id }) => id === 'compute');
  return {
    ...report,
    allreduce: report.allreduce && numbered(report.allreduce),
    verdict: {
      unit: 'Step time',
      now: times.length > 0 ? times : mean,
      note: steps.count > 0 ? counted(steps.count, 'step') : headline,
      checked: `${report.devices.length > 0 ? '' : `${headline} `}${counted(passed.length, 'check')} passed.`,
      compute: compute ? `Computes ${percent(compute.ratio)} of the step${mfu}` : '',
    },
    words: report.findings.flatMap((finding, i) => [
      findingWords(report, finding, i + 1),
      ...finding.explains.map((inner) => ({ ...findingWords(report, inner, i + 1), asks: '', after: null })),
    ]),
    budget: ledger && budgetOf(report, ledger),
  };
}

/** The card with its numbers in words. */
export function numbered(card: AllReduce): AllReduce {
  const known = (value: number | null, words: (value: number) => string): string =>
    value === null ? 'not known' : words(value);
  const time = (term: string, ns: number | null, note: string, at: Quantity['at']): Quantity => ({
    term,
    value: known(ns, duration),
    known: note,
    note,
    at,
  });
  const input = (term: string, value: string, basis: string): Quantity => ({
    term,
    value,
    known: basis,
    note: '',
    at: 'table',
  });
  const measured = card.measured_ns !== null;
  const source = { given: 'as typed', unknown: '', recorded: '', estimated: 'estimated from the profile' }[
    card.parameters_source
  ];
  const numbers = [
    input('parameters', known(card.parameters, count), source),
    input(
      'bandwidth of one GPU',
      known(card.bandwidth_gbps, (gbps) => quantity(gbps, 'GB/s')),
      card.bandwidth_source,
    ),
    {
      ...time('measured transfer', card.transfer_ns, '169 GB/s of bus bandwidth', 'card'),
      ...(measured ? {} : { value: 'not recorded' }),
    },
    time('guide estimate', card.guide_ns, 'parameters × 4 bytes / bandwidth', 'card'),
    time('ring bound', card.ring_bound_ns, 'bytes × 1.5 / bandwidth', 'card'),
    { ...time('achievable', card.achievable_ns, 'what such links reach', 'card'), known: card.achievable_source },
    measured && time('measured waiting', card.wait_ns, 'mostly for GPU 3', 'below'),
    measured && time('exposed', card.exposed_ns, '', 'below'),
    measured && time('hidden', card.hidden_ns, '', 'below'),
  ];
  return { ...card, numbers: numbers.filter((one) => one !== false) };
}

function findingWords(report: Unworded, finding: Finding, rank: number): FindingWords {
  const { id, action, title, severity, saving } = finding;
  const acts = severity !== 'info';
  const ns = finding.after?.ns ?? (report.ledger?.step_ns ?? 0) - (saving?.ns ?? 0);
  return {
    id,
    asks: acts ? 'Change' : '',
    most: acts || !saving || !report.ledger ? '' : `Most would bring: ${action || title}.`,
    saving: saving ? `up to ${duration(saving.ns)} per step (${percent(saving.ratio)})` : '',
    beside: '',
    after: saving && Object.keys(saving.accounts).length > 0 ? after(report, `After fix ${rank}`, ns) : null,
    agent: `tfperf-agent 1 | run fake\n[${id}] ${severity}\n  what: ${action || title}\nnext: tfperf show ${id}\n`,
  };
}

export function after({ ledger, capture_quality: quality }: Unworded, of: string, ns: number): AfterWords | null {
  if (!ledger) return null;
  const thin = quality?.level === 'thin';
  const change = `−${percent((ledger.step_ns - ns) / ledger.step_ns)}, ${multiple(ledger.step_ns / ns)}`;
  return {
    of,
    time: `${thin ? '≥ ' : ''}${duration(ns)}`,
    change: `${change}${thin ? ' at best' : ''}`,
    likely: thin ? '' : `likely at most ${duration(1.05 * ns)}`,
  };
}

function budgetOf(report: Unworded, ledger: Ledger): Budget {
  const { steps, findings, capture_quality: quality } = report;
  const step = ledger.step_ns;
  const left = new Map(divided(ledger).map(({ id, ns }) => [id, ns]));
  const blocks: Block[] = [];
  let end = step;
  const claims = findings.flatMap(({ id, saving }, i) => {
    const taken = Object.entries(saving?.accounts ?? {}).map(([account, wanted]): Time => {
      const won = account === 'compute' && left.has('compute.recoverable') ? 'compute.recoverable' : account;
      const ns = Math.min(wanted, left.get(won) ?? 0);
      left.set(won, (left.get(won) ?? 0) - ns);
      return { id: won, ns };
    });
    const ns = total(taken);
    if (ns === 0) return [];
    end -= ns;
    blocks.unshift(...row(taken, step, end, i + 1));
    return [{ id, rank: i + 1, ns, begin_ns: end }];
  });
  const free = row(
    [...left].map(([id, ns]) => ({ id, ns })),
    step,
  );
  const idle = free.filter(({ account }) => account.startsWith('idle.'));
  const gpus = ledger.devices_total === 1 ? '' : ` × ${ledger.devices_total} GPUs`;
  const what = steps.rare ? 'usual step' : 'step';
  const mean = division(gpus ? 'Mean GPU' : 'Mean step', `mean of ${counted(steps.count, what)}${gpus}`, step, [
    ...free,
    ...blocks,
  ]);
  const groups = steps.groups.map(({ name, count, step_ns, accounts }) =>
    division(name, `mean of ${count} steps of ${name}`, step_ns, row(accounts, step_ns)),
  );
  const { rare } = steps;
  return {
    heading: 'Step budget',
    divisions: groups.length > 0 ? groups : [mean],
    rare:
      rare &&
      division('Rare long step', `mean of ${rare.count} ${rare.name}`, rare.step_ns, row(rare.accounts, rare.step_ns)),
    claims,
    projected_ns: end,
    fixed: fixed(claims.length, claims.length),
    bound: quality?.level === 'thin',
    held: '',
    stays:
      groups.length === 0 && total(idle) > step / 20
        ? `${duration(total(idle))} of idle time that no finding explains.`
        : '',
  };
}

export function fixed(chosen: number, claims: number): string {
  return `with ${chosen} of ${counted(claims, 'finding')} fixed`;
}

/** The accounts, with compute cut into its parts. */
function divided({ accounts, compute_parts: parts }: Ledger): Time[] {
  if (parts.length === 0) return accounts;
  const { floor_ns, recoverable_ns, not_judged_ns } = computeRows(parts).sum;
  return [
    { id: 'compute.floor', ns: floor_ns },
    { id: 'compute.recoverable', ns: recoverable_ns },
    { id: 'compute.not_judged', ns: not_judged_ns },
    ...accounts.filter(({ id }) => id !== 'compute'),
  ];
}

function row(times: readonly Time[], step: number, begin = 0, owner = 0): Block[] {
  return drawn(times).map(({ id, ns }) => {
    const claimed = owner > 0 ? `, claimed by ${owner}` : '';
    const words = `${accountLook(id).words}: ${duration(ns)}, ${percent(ns / step)} of the step${claimed}`;
    const block = { account: id, ns, begin_ns: begin, owner, words };
    begin += ns;
    return block;
  });
}

function division(name: string, basis: string, step_ns: number, blocks: Block[]): Division {
  const ids = [...new Set(blocks.map(({ account }) => account))];
  const sums = ids.map((id) => ({ id, ns: total(blocks.filter(({ account }) => account === id)) }));
  const legend = sums.map((one) => ({ ...one, ratio: one.ns / step_ns })).sort((a, b) => b.ns - a.ns);
  const about = 'Where the time goes, summed, not in time order.';
  const active_ratio = total(sums.filter(({ id }) => !id.startsWith('idle.') && id !== 'communication.wait')) / step_ns;
  return { name, basis, about, step_ns, blocks, legend, rest: '', active_ratio, hidden: '' };
}
