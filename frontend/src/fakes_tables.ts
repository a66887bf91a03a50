/** The tables of made-up reports, with some of the columns that the backend gives. */

import type { Cell } from './blocks.js';
import type { Column, Report, Section, Table } from './model.js';

interface Timed {
  name: string;
  phase: string;
  count_per_step: number;
  ns: number;
  ratio: number;
  mean_ns: number;
  min_ns: number;
  max_ns: number;
  flops: number | null;
  bytes: number | null;
  floor_ns: number | null;
  peak_ns: number | null;
  judged_ns: number | null;
  bound_by: string | null;
}

export interface Op extends Timed {
  type: string;
  kernels: number;
  format: string;
  not_judged: string;
}

export interface Kernel extends Timed {
  op: string;
  kernel_class: string;
  precision: string;
  tensor_cores: string;
  registers: number | null;
  shared_bytes: number | null;
  grid: string;
  block: string;
  occupancy_ratio: number | null;
}

export interface HostOp {
  name: string;
  type: string;
  calls_per_step: number;
  ns: number;
  self_ns: number;
}

type Spec = readonly [id: string, heading: string, unit: Column['unit'], more?: Partial<Column>];

const WIDE = { wide: true };
const TIMES: Spec[] = [
  ['ns', 'Per step', 'ns', { meaning: 'Time of its kernels in an average step on one GPU.' }],
  ['ratio', 'Share', 'ratio'],
  ['count_per_step', 'Calls', 'count', { meaning: 'Launches in an average step on one GPU.' }],
  ['bound_by', 'Bound by', 'text', { none: 'not judged', meaning: 'What takes longest of its work.' }],
  ['bound_ratio', 'Of bound', 'ratio', { meaning: 'How near it comes to the data sheet’s peaks.' }],
  ['win_ns', 'To win', 'ns', { meaning: 'Its time beyond what its work needs.' }],
  ['flops_per_s', 'Rate', 'FLOP/s', WIDE],
  ['phase', 'Phase', 'text', WIDE],
  ['mean_ns', 'Mean', 'ns', WIDE],
  ['flops', 'FLOP', 'count', WIDE],
  ['bytes', 'Bytes', 'bytes', WIDE],
];
const KERNELS: Spec[] = [
  ['name', 'Kernel', 'name', { none: 'not named' }],
  ['op', 'Op', 'name', { under: true }],
  ...TIMES,
  ['registers', 'Registers', 'count', WIDE],
  ['grid', 'Grid', 'text', WIDE],
];
const OPS: Spec[] = [
  ['name', 'Op', 'name', { none: 'not named' }],
  ['type', 'Type', 'name', { under: true }],
  ...TIMES,
  ['format', 'Format', 'text', WIDE],
];
const HOST_OPS: Spec[] = [
  ['name', 'Op', 'name', { none: 'not named' }],
  ['type', 'Type', 'name', { under: true }],
  ['self_ns', 'Own time', 'ns'],
  ['ns', 'Per step', 'ns'],
  ['calls_per_step', 'Calls', 'count'],
];
const HOSTS: Spec[] = [
  ['host', 'Host', 'name'],
  ['slow', 'Verdict', 'mark'],
  ['own_ns', 'Own', 'ns', { meaning: 'The step without straggler wait.' }],
  ['behind_ns', 'Against the median host', 'more_ns'],
  ['late_ns', 'Arrives late by', 'ns', { none: 'not known' }],
  ['clock', 'Aligned by', 'text', WIDE],
];
const STAGES: Spec[] = [
  ['stage', 'Stage', 'name'],
  ['path', 'Path', 'mark'],
  ['does', 'Does', 'text'],
  ['batch_ns', 'Works per batch', 'ns'],
  ['total_ns', 'Total', 'ns', WIDE],
];
const MEMORY: Spec[] = [
  ['gpu', 'GPU', 'name'],
  ['peak_bytes', 'Peak', 'bytes'],
  ['capacity_bytes', 'Capacity', 'bytes'],
  ['free_block_bytes', 'Largest free block at the peak', 'bytes', { none: 'not recorded' }],
];
const TRAINING: Spec[] = [
  ['label', 'What', 'text'],
  ['value', 'Value', 'name'],
  ['hosts', 'Recorded by', 'name'],
];
const GPUS: Spec[] = [
  ['gpu', 'GPU', 'name'],
  ['behind_ns', 'Behind', 'ns'],
  ['last_ratio', 'Comes last', 'ratio'],
  ['cause', 'Cause', 'text'],
];
const COLLECTIVES: Spec[] = [
  ['name', 'Collective', 'name'],
  ['calls_per_step', 'Calls per step', 'count'],
  ['ns', 'Time per step', 'ns'],
  ['wait_ns', 'Of it waiting', 'ns', { none: 'not known' }],
];
const SIZES: Spec[] = [
  ['size', 'Size', 'text'],
  ['bytes_per_step', 'Bytes per step', 'bytes'],
];

function table(
  id: string,
  title: string,
  specs: readonly Spec[],
  rows: readonly object[],
  more: Partial<Table> = {},
): Table[] {
  const columns = specs.map(([column, heading, unit, flags]) => ({
    id: column,
    heading,
    unit,
    wide: false,
    under: false,
    none: '',
    meaning: '',
    ...flags,
  }));
  const cells = rows.map((row) => columns.map((one) => (row as Record<string, Cell>)[one.id] ?? null));
  const made = { kind: 'table' as const, id, title, columns, rows: cells, brief: 5, note: '', chosen_by: '' };
  return rows.length > 0 ? [{ ...made, total: rows.length, ...more }] : [];
}

const WORDS: Record<string, string> = { forward: 'forward pass', backward: 'backward pass', other: '' };

function judged(row: Timed): object {
  const { flops, judged_ns: ns, peak_ns, floor_ns } = row;
  return {
    ...row,
    phase: WORDS[row.phase] ?? row.phase,
    bound_by: row.bound_by === 'not judged' ? null : row.bound_by,
    bound_ratio: peak_ns && ns ? peak_ns / ns : null,
    win_ns: floor_ns === null || ns === null ? null : Math.max(0, ns - floor_ns),
    flops_per_s: flops && ns ? (flops / ns) * 1e9 : null,
  };
}

export function opTable(rows: readonly Op[], total = rows.length): Table[] {
  return table('ops', 'Ops', OPS, rows.map(judged), { total, chosen_by: 'phase' });
}

export function kernelTable(rows: readonly Kernel[], total = rows.length): Table[] {
  const note = total > rows.length ? `The ${rows.length} with the most time of ${total}: 90 % of kernel time.` : '';
  return table('kernels', 'Kernels', KERNELS, rows.map(judged), { total, note, chosen_by: 'phase' });
}

export function hostOpTable(rows: readonly HostOp[]): Table[] {
  return table('host_ops', 'Ops on the host', HOST_OPS, rows);
}

/** The other sections' tables, of what the report says. */
export function tablesIn(report: Omit<Report, 'sections'>, id: Section['id']): Table[] {
  const { by_host, input, memory, training, stragglers, collectives, allreduce } = report;
  switch (id) {
    case 'hosts': {
      const usual = [...by_host].sort((a, b) => a.own_ns - b.own_ns)[by_host.length >> 1]?.own_ns ?? 0;
      const rows = [...by_host].sort((a, b) => Number(b.slow) - Number(a.slow) || b.own_ns - a.own_ns);
      return table(
        'hosts',
        'Hosts',
        HOSTS,
        rows.map((one) => ({ ...one, slow: one.slow ? 'slow' : '', behind_ns: one.own_ns - usual, clock: 'ends' })),
      );
    }
    case 'input': {
      const rows = (input?.iterators ?? []).map((one) => ({
        ...one,
        stage: `${'  '.repeat(one.depth)}${one.written}`,
        path: one.is_bottleneck ? 'bottleneck' : one.on_critical_path ? 'critical path' : '',
        does: one.stage,
      }));
      return table('input', 'Input pipeline', STAGES, rows);
    }
    case 'memory':
      return table(
        'memory',
        'Each GPU',
        MEMORY,
        (memory?.devices ?? []).map((one) => ({ ...one, gpu: `${one.host} ${one.device}` })),
      );
    case 'training': {
      const facts = training.flatMap((one) => one.facts.map((fact) => ({ ...fact, hosts: one.host })));
      return table('training', 'What the training wrote down', TRAINING, facts);
    }
    case 'communication':
      return [
        ...(collectives.some(({ kind }) => !allreduce?.kinds.includes(kind))
          ? table('collectives', 'Collectives by kind', COLLECTIVES, collectives)
          : []),
        ...table(
          'sizes',
          'By size of the call',
          SIZES,
          (allreduce?.sizes ?? []).map((one) => ({ ...one, size: 'up to 1.0 MB' })),
        ),
        ...table(
          'gpus',
          'Who comes last',
          GPUS,
          stragglers.map((one) => ({ ...one, gpu: `${one.host} ${one.device}`, cause: one.cause || 'not known' })),
        ),
      ];
    default:
      return [];
  }
}
