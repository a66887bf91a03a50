/** Reports and backends of every state, for the tests and for the dev page. All numbers are made up. */

import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';
import { type AddressState, NOWHERE, readAddress, writeAddress } from './address.js';
import {
  type Backend,
  BackendError,
  type Progress,
  type ReportRequest,
  type SavedTrace,
  type TimelineRequest,
  type TraceAccess,
} from './backend.js';
import type { Against, Board, Comparison, Outline } from './model.js';
import { COMPARISONS, launched } from './fakes_compare.js';
import { type HostOp, type Kernel, type Op, hostOpTable, kernelTable, opTable, tablesIn } from './fakes_tables.js';
import { after, fixed, numbered, worded } from './fakes_words.js';
import { bytes, duration } from './format.js';
import type { Glossary } from './glossary.js';
import type { Host } from './host.js';
import type { TraceTarget } from './links.js';
import type { Marks } from './list.js';
import type {
  Account,
  AllReduce,
  ComputePart,
  Device,
  DeviceAccounts,
  Finding,
  GpuMemory,
  Gpus,
  Input,
  Ledger,
  Phases,
  Report,
  Roofline,
  Section,
  Row,
  Steps,
  Table,
  Training,
} from './model.js';
import type { Thresholds } from './trials.js';
import { type Typed, UNTYPED } from './typed.js';
import type { Prediction, Side, StepTimeline, TimelineRow } from './model.js';
import type { DataIterator, Run } from './types.js';

const GUIDE = 'https://www.tensorflow.org/guide/gpu_performance_analysis';
const HOSTILE = '<img src=x onerror="document.title=\'broken\'">';

/** Accounts in ms → accounts in ns with their shares. */
function accounts(ms: Record<string, number>): Account[] {
  const total = Object.values(ms).reduce((sum, value) => sum + value, 0);
  return Object.entries(ms).map(([id, value]) => ({
    id,
    ns: Math.round(value * 1e6),
    ratio: value / total,
  }));
}

function deviceAccounts(host: string, index: number, ms: Record<string, number>): DeviceAccounts {
  const own = accounts(ms);
  return { host, device: `GPU:${index}`, step_ns: own.reduce((sum, { ns }) => sum + ns, 0), accounts: own };
}

function ownNs({ step_ns, accounts: own }: DeviceAccounts): number {
  return step_ns - (own.find(({ id }) => id === 'communication.wait')?.ns ?? 0);
}

function gpusOf(devices: readonly Device[]): Gpus {
  const names = [...new Set(devices.map(({ name }) => name))];
  const idle = devices.filter(({ participates }) => !participates);
  return {
    total: devices.length,
    kinds: names.map((name) => ({ name, count: devices.filter((one) => one.name === name).length })),
    idle: idle.slice(0, 24).map(({ host, device }) => ({ host, device })),
    idle_total: idle.length,
    idle_cap: 24,
    unrecorded: [],
    unrecorded_total: 0,
  };
}

type Unsummed = Omit<Report, 'gpus' | 'stragglers' | 'collectives' | 'sections' | 'verdict' | 'words' | 'budget'>;

/** The report, with its GPUs in short, its words, and its sections, of which one holds the tables of kernels. */
export function inShort(report: Unsummed, kernels: readonly Table[] = tablesOf()): Report {
  const several = (report.ledger?.devices ?? []).length > 1 ? (report.ledger?.devices ?? []) : [];
  const stragglers = several
    .map(({ host, device, accounts }) => ({
      host,
      device,
      behind_ns: accounts.find(({ id }) => id === 'idle.stagger')?.ns ?? 0,
      last_ratio: 0,
      cause: '',
    }))
    .sort((a, b) => b.behind_ns - a.behind_ns)
    .map((one, i) => ({ ...one, last_ratio: i === 0 && one.behind_ns > 0 ? 1 : 0 }));
  const { calls_per_step = 0, measured_ns = null, wait_ns = null } = report.allreduce ?? {};
  const collectives =
    measured_ns === null ? [] : [{ kind: 'all_reduce', name: 'AllReduce', calls_per_step, ns: measured_ns, wait_ns }];
  const summed = { ...report, gpus: gpusOf(report.devices), stragglers, collectives };
  return worded({ ...summed, sections: sectionsOf(summed as Report, kernels) });
}

/** Of kernels and ops. */
function tablesOf(): Table[] {
  return [...kernelTable(KERNELS), ...opTable(OPS, 212), ...hostOpTable(HOST_OPS)];
}

/** What the backend would say of the sections that the report has, in fewer words. */
export function sectionsOf(report: Report, kernels: readonly Table[]): Section[] {
  const { allreduce, by_host, input, memory, passed, missing_data, training } = report;
  const found: (Omit<Section, 'note' | 'blocks'> | false)[] = [
    allreduce !== null && {
      id: 'communication',
      answer:
        allreduce.transfer_ns === null ? 'No collective was recorded.' : 'AllReduce’s transfer takes 0.91 ms a step.',
      chip: allreduce.transfer_ns === null ? '' : '0.91 ms',
    },
    by_host.length > 1 && {
      id: 'hosts',
      answer: `The straggler is ${by_host.find(({ slow }) => slow)?.host ?? by_host[0]?.host}.`,
      chip: '+4.2 ms',
    },
    kernels.length > 0 && {
      id: 'kernels',
      answer: `MFU is 18 %; the op with the most time is ${kernels[0]?.rows[0]?.[0]}.`,
      chip: 'MFU 18 %',
    },
    (input?.iterators.length ?? 0) > 0 && { id: 'input', answer: input?.sentence ?? '', chip: '0.40 ms' },
    memory !== null && { id: 'memory', answer: 'GPU 0 uses 21.0 GB of 40.0 GB (53 %) at the peak.', chip: '53 %' },
    {
      id: 'checks',
      answer: `${passed.length} passed, ${missing_data.length} could not be checked.`,
      chip: `${passed.length} passed`,
    },
    { id: 'training', answer: `The training recorded ${training.length} facts about itself.`, chip: '' },
  ];
  return found
    .filter((one) => one !== false)
    .map((one) => ({
      ...one,
      note: '',
      blocks: one.id === 'kernels' ? [...kernels] : tablesIn(report, one.id),
    }));
}

/** Kind → needed, recoverable and not judged time in ms; `peakMs` at the data sheet's peaks. */
function computeParts(
  ms: Partial<Record<ComputePart['kind'], [number, number, number]>>,
  peakMs: number,
): Pick<Ledger, 'compute_parts' | 'compute_floor_ns' | 'compute_peak_ns' | 'compute_causes'> {
  const parts = Object.entries(ms).map(([kind, [floor, more, unknown]]) => ({
    kind: kind as ComputePart['kind'],
    floor_ns: Math.round(floor * 1e6),
    recoverable_ns: Math.round(more * 1e6),
    not_judged_ns: Math.round(unknown * 1e6),
  }));
  return {
    compute_parts: parts,
    compute_floor_ns: parts.reduce((sum, { floor_ns }) => sum + floor_ns, 0),
    compute_peak_ns: Math.round(peakMs * 1e6),
    compute_causes: [
      { rule: '', title: 'Cause not recorded', ns: parts.reduce((sum, part) => sum + part.recoverable_ns, 0) },
    ],
  };
}

/** Of an A100 with 40 GB. */
export const ROOFLINE: Roofline = {
  name: 'NVIDIA A100-SXM4-40GB',
  rates: [
    { format: 'fp16', flops_per_s: 312e12, reached_ratio: 0.87 },
    { format: 'bf16', flops_per_s: 312e12, reached_ratio: 0.87 },
    { format: 'tf32', flops_per_s: 156e12, reached_ratio: 0.87 },
    { format: 'fp32', flops_per_s: 19.5e12, reached_ratio: 0.9 },
  ],
  bytes_per_s: 1555e9,
  bytes_reached_ratio: 0.85,
  source: 'data sheet of the A100, dense',
  reached_source: 'published measurements of GEMM on an A100',
};

type Work = Pick<Op, 'flops' | 'bytes' | 'floor_ns' | 'peak_ns' | 'judged_ns' | 'bound_by' | 'format' | 'not_judged'>;

const UNKNOWN: Work = {
  flops: null,
  bytes: null,
  floor_ns: null,
  peak_ns: null,
  judged_ns: null,
  bound_by: 'not judged',
  format: '',
  not_judged: '',
};

/** Work of an op that takes `ms`, held against the limits of ROOFLINE. */
function work(ms: number, gflop: number, mb: number, format = ''): Work {
  const rate = ROOFLINE.rates.find((one) => one.format === (format || 'fp32'))!;
  const arithmetic = (gflop * 1e18) / rate.flops_per_s;
  const memory = (mb * 1e15) / ROOFLINE.bytes_per_s;
  const needed = Math.max(arithmetic / rate.reached_ratio, memory / ROOFLINE.bytes_reached_ratio);
  const small = Math.max(arithmetic, memory) < 2_000;
  return {
    flops: Math.round(gflop * 1e9),
    bytes: Math.round(mb * 1e6),
    floor_ns: Math.round(Math.min(ms * 1e6, needed)),
    peak_ns: Math.round(Math.max(arithmetic, memory)),
    judged_ns: Math.round(ms * 1e6),
    bound_by: small ? 'latency' : arithmetic > memory ? 'compute' : 'memory',
    format,
    not_judged: '',
  };
}

function ledgerOf(devices: DeviceAccounts[], compute: Record<string, number>): Ledger {
  const ids = [...new Set(devices.flatMap((d) => d.accounts.map(({ id }) => id)))];
  const mean = (id: string): number =>
    devices.reduce((sum, d) => sum + (d.accounts.find((a) => a.id === id)?.ns ?? 0), 0) / devices.length;
  const step_ns = Math.round(ids.reduce((sum, id) => sum + mean(id), 0));
  return {
    step_ns,
    accounts: accounts(Object.fromEntries(ids.map((id) => [id, mean(id) / 1e6]))),
    compute: accounts(compute).map((account) => ({ ...account, ratio: account.ns / step_ns })),
    devices: devices.length > 16 ? [...devices].sort((a, b) => ownNs(b) - ownNs(a)) : devices,
    devices_total: devices.length,
    hidden_communication_ns: 1_900_000,
    hidden_copy_ns: 120_000,
    compute_parts: [],
    compute_floor_ns: null,
    compute_peak_ns: null,
    compute_causes: [],
  };
}

function row(id: string, reason: string, how = ''): Row {
  const title = id.replaceAll('-', ' ');
  return { id, title: title.charAt(0).toUpperCase() + title.slice(1), reason, how };
}

export function finding(change: Partial<Finding> = {}): Finding {
  return {
    id: 'gpu-stagger',
    title: 'Launch skew across GPUs',
    group: 'several_gpus',
    severity: 'critical',
    confidence: 'high',
    summary:
      'GPU 3 starts its first kernel 7.8 ms after GPU 0 in every step, always in the order 0, 1, 2, 3. ' +
      'The host launches them in that order from one thread; the others then wait in AllReduce.',
    saving: {
      ns: 7_100_000,
      ratio: 0.32,
      basis: 'idle time of each GPU while a sibling already runs',
      bound: true,
      once_ns: 0,
      alone_ns: null,
      kernels: [],
      accounts: { 'idle.stagger': 3_300_000, 'communication.wait': 3_800_000 },
    },
    guide: { section: 'GPU host thread contention', url: GUIDE },
    evidence: [
      {
        label: 'Start spread, median of 7 steps',
        value: 7_800_000,
        unit: 'ns',
        threshold: 440_000,
        source: '2 % of the step',
      },
      { label: 'Same order in', value: '7 of 7 steps', unit: 'text', threshold: null, source: '' },
      { label: 'Launch spread on the host', value: 7_800_000, unit: 'ns', threshold: null, source: 'explains 100 %' },
    ],
    where: [
      {
        host: 'worker-0',
        begin_ms: 96.2,
        end_ms: 118.1,
        label: 'GPU 3 is last by 7.9 ms',
        device: 'GPU:3',
        stream: null,
        step: 5,
      },
      {
        host: 'worker-0',
        begin_ms: 118.3,
        end_ms: 140.2,
        label: 'GPU 3 is last by 7.8 ms',
        device: 'GPU:3',
        stream: null,
        step: 6,
      },
    ],
    fix: {
      summary: 'Give each GPU launch threads of its own.',
      actions: [
        'Set TF_GPU_THREAD_MODE=gpu_private before TensorFlow starts.',
        'If the spread stays, set TF_GPU_THREAD_COUNT=4 and profile again.',
      ],
      snippets: [
        { framework: 'shell', code: 'TF_GPU_THREAD_MODE=gpu_private python train.py' },
        { framework: 'Keras', code: 'import os\n\nos.environ["TF_GPU_THREAD_MODE"] = "gpu_private"' },
      ],
      links: [{ title: 'Environment variables', url: GUIDE }],
    },
    explains: [],
    action: 'Give each GPU its own launch threads',
    cause: 'One host thread launches for all four GPUs, so GPU 3 starts 7.8 ms after GPU 0 in every step.',
    command: 'TF_GPU_THREAD_MODE=gpu_private python train.py',
    after: { ns: 14_900_000, low_ns: 12_900_000, high_ns: 15_700_000 },
    ...change,
  };
}

const FOLDED = finding({
  id: 'allreduce-wait',
  title: 'Straggler in AllReduce: GPU 3',
  severity: 'warning',
  summary: 'Three of four GPUs wait 3.8 ms per step for the last one.',
  saving: {
    ns: 3_800_000,
    ratio: 0.17,
    basis: 'mean wait inside collectives',
    bound: true,
    once_ns: 0,
    alone_ns: null,
    kernels: [],
    accounts: { 'communication.wait': 3_800_000 },
  },
  where: [],
  evidence: [{ label: 'Waiting per step', value: 3_800_000, unit: 'ns', threshold: 220_000, source: '' }],
  fix: { summary: '', actions: ['Fix the order in which GPUs are launched first.'], snippets: [], links: [] },
});

const EXPOSED = finding({
  id: 'allreduce-exposed',
  title: 'Exposed AllReduce',
  severity: 'warning',
  confidence: 'medium',
  saving: {
    ns: 940_000,
    ratio: 0.043,
    basis: 'transfer time that no compute covers',
    bound: true,
    once_ns: 0,
    alone_ns: null,
    kernels: [],
    accounts: { 'communication.transfer': 940_000 },
  },
  where: [],
});

const HEADROOM = finding({
  id: 'memory-headroom',
  title: 'Room for a batch 1.9 times as large',
  severity: 'info',
  confidence: 'low',
  summary: 'At its peak the model uses 21 of 40 GB.',
  saving: null,
  evidence: [
    {
      label: 'Peak in use',
      value: 21_000_000_000,
      unit: 'bytes',
      threshold: 32_000_000_000,
      source: '80 % of the memory',
    },
    { label: 'Achieved', value: 11.8, unit: 'GB/s', threshold: 24, source: 'PCIe 4' },
  ],
  where: [],
});

const FIRST_STEP = finding({
  id: 'warm-up-captured',
  title: 'First step left out: it compiles',
  severity: 'info',
  summary: 'Step 0 contains tracing and compilation and is not part of the averages.',
  saving: null,
  evidence: [
    { label: 'Length of step 0', value: 1_420_000_000, unit: 'ns', threshold: 44_000_000, source: 'twice the median' },
  ],
  where: [],
  fix: {
    summary: 'Start the profiler after the first steps.',
    actions: ['Use profile_batch=(10, 20).'],
    snippets: [{ framework: 'Keras', code: 'tf.keras.callbacks.TensorBoard(log_dir, profile_batch=(10, 20))' }],
    links: [],
  },
});

const STAGGER_MS = [0, 2.6, 5.2, 7.8];

function quadLedger(): Ledger {
  const ledger = ledgerOf(
    STAGGER_MS.map((late, i) =>
      deviceAccounts('worker-0', i, {
        compute: 13.2,
        'communication.transfer': 0.9,
        'communication.wait': 7.7 - (late * 7.7) / 7.8,
        'idle.stagger': (late * 7.7) / 7.8,
        'idle.unknown': 0.2,
      }),
    ),
    { tensor_core_matmul: 9.4, elementwise: 2.1, reduction: 0.9, other: 0.8 },
  );
  const parts = computeParts(
    { matrix: [4.6, 4.8, 0], memory: [1.7, 0.9, 0], small: [0.1, 0.4, 0], other: [0, 0, 0.7] },
    5.6,
  );
  return { ...ledger, ...parts };
}

/** AllReduce of four GPUs that mostly wait for the last one. */
function quadAllReduce(): AllReduce {
  const waits = [5_300_000, 4_900_000, 5_000_000, 0];
  return {
    participants: 4,
    hosts_count: 1,
    kinds: ['all_reduce'],
    guide_applies: true,
    calls_per_step: 3,
    bytes_per_step: 102_400_000,
    bytes_source: 'recorded with each call',
    parameters: 25_600_000,
    parameters_source: 'estimated',
    parameters_basis: 'bytes reduced per step / 4 bytes',
    bandwidth_gbps: 230,
    bandwidth_source: 'NVLink 3, measured bus bandwidth',
    guide_ns: 445_000,
    ring_bound_ns: 668_000,
    achievable_ns: 720_000,
    achievable_source: 'all_reduce_perf on 8 A100, by size of the call',
    measured_ns: 4_710_000,
    transfer_ns: 910_000,
    wait_ns: 3_800_000,
    busbw_gbps: 169,
    exposed_ns: 4_100_000,
    hidden_ns: 610_000,
    difference:
      'The transfer takes 1.4 times the ring bound: two of three calls are small and pay mostly for their start.',
    devices: waits.map((wait_ns, i) => ({
      host: 'worker-0',
      device: `GPU:${i}`,
      transfer_ns: 910_000,
      wait_ns,
      last_ratio: i === 3 ? 0.95 : 0.017,
      caused_wait_ns: i === 3 ? 4_900_000 : 50_000,
    })),
    steps: [1, 2, 3, 4, 5, 6, 7].map((step) => ({
      step,
      transfer_ns: 880_000 + 10_000 * step,
      wait_ns: 3_500_000 + 75_000 * ((step * 5) % 8),
      exposed_ns: 3_900_000 + 40_000 * step,
    })),
    sizes: [
      {
        up_to_bytes: 1_000_000,
        calls_per_step: 2,
        bytes_per_step: 1_400_000,
        transfer_ns: 180_000,
        busbw_gbps: 11.7,
        achievable_gbps: null,
        achievable_source: 'no published measurement of this size',
      },
      {
        up_to_bytes: null,
        calls_per_step: 1,
        bytes_per_step: 101_000_000,
        transfer_ns: 730_000,
        busbw_gbps: 207,
        achievable_gbps: 230,
        achievable_source: 'all_reduce_perf on 8 A100',
      },
    ],
    calls: [5, 6].map((step) => ({
      kind: 'all_reduce',
      step,
      host: 'worker-0',
      begin_ms: step * 22 + 15.1,
      end_ms: step * 22 + 21.6,
      participants: 4,
      hosts_count: 1,
      size_bytes: 101_000_000,
      transfer_ns: 730_000,
      wait_ns: 15_200_000,
      exposed_ns: 5_900_000,
      last: 'GPU:3',
    })),
    calls_total: 21,
    calls_cap: 2,
    title: 'AllReduce',
    numbers: [],
  };
}

function training(host: string, batches: number): Training {
  return {
    file: `plugins/diagnostics/${host}.20261120T140300Z.training.json`,
    host,
    recorded: '2026-11-20 14:03:00 UTC',
    facts: [
      { label: 'Parameters', value: '25,600,000' },
      { label: 'Batch size', value: String(batches * 256) },
      { label: 'Precision policy', value: 'mixed_float16' },
      { label: 'TF_GPU_THREAD_MODE', value: 'not set' },
    ],
  };
}

const PHASES: Phases = {
  items: accounts({ forward: 4.3, loss: 0.05, backward: 8.1, optimizer: 0.7, other: 0.05 }),
  told_ratio: 0.996,
  reason: '',
};

const EIGEN = `void Eigen::internal::EigenMetaKernel<${'Eigen::TensorEvaluator<'.repeat(6)}float, 1>(int)`;

function times(
  ms: number,
  launches: number,
): Pick<Op, 'count_per_step' | 'ns' | 'ratio' | 'mean_ns' | 'min_ns' | 'max_ns'> {
  const mean = Math.round((ms * 1e6) / launches);
  return {
    count_per_step: launches,
    ns: ms * 1e6,
    ratio: ms / 13.2,
    mean_ns: mean,
    min_ns: Math.round(mean * 0.9),
    max_ns: Math.round(mean * 1.2),
  };
}

function op(name: string, type: string, phase: string, ms: number, change: Partial<Op> = {}): Op {
  const kernels = change.kernels ?? 1;
  return { name, type, phase, kernels, ...times(ms, 2 * kernels), ...UNKNOWN, ...change };
}

function kernel(name: string, owner: string, phase: string, ms: number, change: Partial<Kernel> = {}): Kernel {
  return {
    name,
    op: owner,
    phase,
    kernel_class: 'matrix product',
    precision: '16 bit',
    tensor_cores: 'used',
    registers: 168,
    shared_bytes: 49_152,
    grid: '216,1,1',
    block: '256,1,1',
    occupancy_ratio: 0.5,
    ...times(ms, 2),
    ...ofKernel(UNKNOWN),
    ...change,
  };
}

function ofKernel({
  flops,
  bytes,
  floor_ns,
  peak_ns,
  judged_ns,
  bound_by,
}: Work): Pick<Kernel, 'flops' | 'bytes' | 'floor_ns' | 'peak_ns' | 'judged_ns' | 'bound_by'> {
  return { flops, bytes, floor_ns, peak_ns, judged_ns, bound_by };
}

const WGRAD = work(4.1, 486, 1200, 'fp16');

export const OPS: Op[] = [
  op('gradient_tape/resnet/stage_1/conv/Conv2D/Conv2DBackpropFilter', 'Conv2DBackpropFilter', 'backward', 4.1, {
    kernels: 2,
    ...WGRAD,
  }),
  op('resnet/stage_1/conv/Conv2D', 'Conv2D', 'forward', 2.2, work(2.2, 425, 900, 'fp16')),
  op('adam/update_3/ResourceApplyAdam', 'ResourceApplyAdam', 'optimizer', 0.4, work(0.4, 0.3, 460)),
  op(`resnet/${'encoder_block_with_attention/'.repeat(6)}MatMul`, 'MatMul', 'forward', 0.3, {
    ...UNKNOWN,
    flops: 12_000_000_000,
    format: 'fp16',
    not_judged: 'a Winograd kernel, which does less arithmetic than the direct product',
  }),
];

/** A transformer on one GPU: products near the peak and far below it, memory-bound chains, small kernels. */
const BLOCK_OPS: Op[] = [
  op('decoder/mlp/up/MatMul', 'MatMul', 'forward', 3.4, work(3.4, 830, 310, 'bf16')),
  op('decoder/mlp/down/MatMul', 'MatMul', 'forward', 3.2, work(3.2, 700, 310, 'bf16')),
  op('gradient_tape/decoder/mlp/up/MatMul_1', 'MatMul', 'backward', 2.9, work(2.9, 640, 400, 'bf16')),
  op('decoder/attention/scores/einsum/Einsum', 'Einsum', 'forward', 1.6, work(1.6, 61, 560, 'bf16')),
  op('decoder/attention/softmax/Softmax', 'Softmax', 'forward', 1.1, work(1.1, 1.4, 1130)),
  op('custom/rotary_embedding', 'CustomRotary', 'forward', 1, { not_judged: 'nobody knows the work of CustomRotary' }),
  op('decoder/norm/batchnorm/mul_1', 'Mul', 'forward', 0.9, work(0.9, 0.35, 1090)),
  op('decoder/logits/MatMul', 'MatMul', 'forward', 0.8, work(0.8, 11, 48, 'fp32')),
  op('decoder/mlp/gelu/Gelu', 'Gelu', 'forward', 0.7, work(0.7, 6.2, 380)),
  op('decoder/embedding/GatherV2', 'GatherV2', 'forward', 0.4, work(0.4, 0, 90)),
  op('adam/update/ResourceApplyAdam', 'ResourceApplyAdam', 'optimizer', 0.35, work(0.35, 0.26, 420)),
  op('decoder/loss/Sum', 'Sum', 'loss', 0.05, work(0.05, 0.002, 0.004)),
];

export const KERNELS: Kernel[] = [
  kernel(
    'sm80_xmma_wgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32',
    `${OPS[0]!.name}:Conv2DBackpropFilter`,
    'backward',
    4.1,
    ofKernel(WGRAD),
  ),
  kernel('sm80_xmma_fprop_implicit_gemm_f16f16', `${OPS[1]!.name}:Conv2D`, 'forward', 2.2),
  kernel(EIGEN, `${OPS[2]!.name}:ResourceApplyAdam`, 'optimizer', 0.4, {
    kernel_class: 'optimizer',
    precision: '32 bit',
    tensor_cores: 'not for this op',
    registers: null,
    shared_bytes: null,
    occupancy_ratio: null,
    grid: '',
    block: '',
  }),
];

const HOST_OPS: HostOp[] = [
  { name: 'resnet/map/Unique', type: 'Unique', calls_per_step: 4, ns: 900_000, self_ns: 800_000 },
  { name: OPS[1]!.name, type: 'Conv2D', calls_per_step: 4, ns: 120_000, self_ns: 120_000 },
];

/** Rises while the forward pass runs and falls with the backward pass, in each of four steps. */
function gpuMemory(device: string, most: number): GpuMemory {
  const shares = [0, 0.2, 0.5, 0.9, 1, 0.7, 0.3, 0.1];
  const each = (value: (step: number, share: number, i: number) => number): number[] =>
    [0, 1, 2, 3].flatMap((step) => shares.map((share, i) => value(step, share, i)));
  const points = {
    at_ms: each((step, _, i) => 22 * step + i),
    used_bytes: each((step, share) => Math.round(4e9 + share * (most - 4e9) * (step === 2 ? 1 : 0.98))),
  };
  return {
    host: 'worker-0',
    device,
    capacity_bytes: 40_000_000_000,
    peak_bytes: most,
    recorded_peak_bytes: most,
    peak_ms: 48,
    lasting_bytes: 4_000_000_000,
    before_bytes: 4_000_000_000,
    fragmentation_ratio: 0.08,
    free_block_bytes: Math.round(0.92 * (40e9 - most)),
    alive: [
      { op: 'resnet/stage_1/conv/Conv2D', size_bytes: Math.round(0.6 * (most - 4e9)), count: 4 },
      { op: '', size_bytes: Math.round(0.4 * (most - 4e9)), count: 31 },
    ],
    alive_total: 12,
    matched: 'address',
    points,
    said: `GPU ${device.slice(4)} uses ${bytes(most)} of 40.0 GB at the peak.`,
    note: 'How broken up the free memory is was not recorded.',
  };
}

/** Steps of 22 ms, or what the accounts (in ms) add up to; the first is left out, the sixth is three times as long. */
function columns(count: number, ms: Record<string, number>): Pick<Steps, 'columns' | 'columns_total' | 'columns_cap'> {
  const made = Array.from({ length: count }, (_, i) => {
    const shares = Object.entries(ms).map(([id, value]) => [id, Math.round(value * (i === 5 ? 3 : 1) * 1e6)] as const);
    return {
      id: String(i),
      number: i,
      host: 'worker-0',
      begin_ms: i * 22,
      end_ms: i * 22 + 21.9,
      step_ns: shares.reduce((sum, [, ns]) => sum + ns, 0),
      accounts: Object.fromEntries(shares),
      gpus_count: 4,
      judged: i > 0,
      outlier: i === 5,
      note: i > 0 ? '' : 'left out: it traces or compiles',
    };
  });
  return { columns: made, columns_total: count, columns_cap: 500 };
}

/** A step of 21.9 ms on each GPU of the report's hosts, in pieces of a tenth of a ms, and what the host launches. */
export function stepTimeline(
  { hosts, ledger, findings, stragglers }: Report,
  { step, host, begin_ns, end_ns }: TimelineRequest,
): StepTimeline {
  const length = 21_900_000;
  const end = Math.min(end_ns ?? length, length);
  const row = (of: string, name: string, is_gpu: boolean, code: (i: number) => number): TimelineRow => {
    const edges = Array.from({ length: 220 }, (_, i) => Math.min(i * 100_000, length)).filter(
      (at) => at >= begin_ns && at <= end,
    );
    const codes = edges.slice(1).map((at) => code(at / 100_000));
    return {
      host: of,
      name,
      is_gpu,
      origin_ms: Number.parseInt(step, 10) * 22,
      length_ns: length,
      sums_ns: Object.fromEntries(codes.map((c) => [CODES[c] ?? '', 1])),
      pieces_count: codes.length,
      begin_ns: edges.slice(0, -1),
      end_ns: edges.slice(1),
      code: codes,
      pieces: codes.map(() => 1),
      kernels: false,
      behind_ns: null,
      thread: [],
      launched_ns: [],
    };
  };
  const shown = hosts.filter((name) => host === null || name === host);
  const late = (row: TimelineRow): number =>
    stragglers.find((one) => one.host === row.host && one.device === row.name)?.behind_ns ?? 0;
  const gpus = shown
    .flatMap((name) =>
      (ledger?.devices ?? [])
        .filter((d) => d.host === name)
        .map(({ device }, g) => row(name, device, true, (i) => (i < g * 26 ? 1 : i % 9 === 0 ? 2 : 0))),
    )
    .map((gpu) => ({ ...gpu, behind_ns: late(gpu) }))
    .sort((a, b) => b.behind_ns - a.behind_ns);
  const picked = gpus.length > 8 ? [0, 1, gpus.length >> 1, gpus.length - 1].map((i) => gpus[i]!) : gpus;
  const rest = gpus.filter((gpu) => !picked.includes(gpu)).map(({ behind_ns }) => behind_ns);
  const rows: TimelineRow[] = [
    ...[...new Set(picked.slice(0, 1).map(({ host: of }) => of))].map((of) =>
      row(of, 'launches', false, (i) => (i % 7 === 0 ? 3 : 4)),
    ),
    ...picked,
  ];
  const owner = findings[0]?.id ?? '';
  return {
    step,
    length_ns: length,
    begin_ns,
    end_ns: end,
    merged_below_ns: 0,
    hosts,
    hosts_cap: 8,
    left_out: [],
    codes: CODES,
    rows,
    names: [],
    claims: rows.flatMap(({ is_gpu, behind_ns }, at) => {
      const last = Math.min(Math.round((behind_ns ?? 0) / 100_000) * 100_000, end);
      return is_gpu && last > begin_ns ? [{ finding: owner, row: at, begin_ns, end_ns: last }] : [];
    }),
    arrows: rows.flatMap(({ is_gpu, behind_ns }, at) =>
      is_gpu && shown.length === 1
        ? [{ from_row: 0, at_ns: behind_ns ?? 0, to_row: at, kernel_ns: (behind_ns ?? 0) + 12_000 }]
        : [],
    ),
    others: rest.length > 0 ? { count: rest.length, low_ns: Math.min(...rest), high_ns: Math.max(...rest) } : null,
  };
}
const CODES = ['compute', 'idle.stagger', 'communication.wait', 'host.sync', 'host.launch'];

/** Four GPUs that start late one after another: the design's example. */
export function staggered(): Report {
  const names = [0, 1, 2, 3];
  return inShort({
    schema_version: 4,
    tool_version: '0.1.0',
    source: 'TensorFlow or JAX profiler',
    viewer: 'XProf',
    settled: false,
    run: 'train/2026_11_20_14_03_11',
    headline: 'A step takes 22.0 ms. Your GPUs compute for 60 % of it.',
    advice:
      'Change first how the GPUs are launched: they start one after another, which costs up to 7.1 ms per step (32 %).',
    hosts: ['worker-0'],
    devices: names.map((i) => ({
      host: 'worker-0',
      device: `GPU:${i}`,
      name: 'A100',
      compute_capability: '8.0',
      busy_ratio: 0.8,
      participates: true,
      memory_bytes: 40_000_000_000,
    })),
    steps: {
      ...columns(8, { compute: 13.2, 'communication.wait': 7.7, 'idle.stagger': 1 }),
      count: 7,
      source: 'markers',
      mean_ns: 22_000_000,
      p50_ns: 21_900_000,
      p95_ns: 22_600_000,
      max_ns: 22_800_000,
      items: Array.from({ length: 8 }, (_, i) => ({
        number: i,
        host: 'worker-0',
        begin_ms: i * 22,
        end_ms: i * 22 + 21.9,
        judged: i > 0,
        note: i > 0 ? '' : 'contains tracing and compilation',
        devices: names.map((d) => ({
          device: `GPU:${d}`,
          accounts: { compute: 13_200_000, 'communication.wait': 8_700_000 },
        })),
      })),
      items_total: 12,
      items_cap: 8,
      groups: [],
      rare: null,
      unit: 'step',
    },
    ledger: quadLedger(),
    capture_quality: {
      level: 'strong',
      reasons: [
        { ok: true, text: '7 whole steps within 0.4 %' },
        { ok: true, text: 'Every check had its data' },
        { ok: true, text: 'All 4 GPUs were recorded' },
      ],
    },
    key_numbers: {
      device_time_ratio: 0.64,
      ops_on_device_ratio: 0.99,
      ops_on_device_count_ratio: 0.83,
      compute_16bit_ratio: 0.97,
      compute_tf32_ratio: 0.02,
      gpu_busy_ratio: 0.82,
      compute_judged_ratio: 0.947,
      mfu_ratio: 0.18,
      hfu_ratio: null,
      flops_per_s: 56_400_000_000_000,
      mfu_basis: 'of 312 TFLOP/s in fp16, dense (data sheet of the A100)',
    },
    trust: [
      FIRST_STEP,
      finding({ id: 'too-few-steps', title: 'Only 7 steps', severity: 'warning', where: [], saving: null }),
    ],
    findings: [finding({ explains: [FOLDED] }), EXPOSED, HEADROOM],
    passed: [
      row('input-bound', 'The GPUs wait 0.1 ms per step for input (0 %).'),
      row('step-gaps', 'The GPUs are idle 0.3 ms between steps (1 %).'),
    ],
    not_applicable: [row('slow-host', 'Only one host was recorded.')],
    missing_data: [
      row(
        'bias-before-batchnorm',
        'No op names of the graph were recorded.',
        'Profile with tf.profiler.experimental.ProfilerOptions(host_tracer_level=3).',
      ),
    ],
    manual: [
      row(
        'softmax-fp32',
        'A profile does not show the type of the last layer.',
        'Give the last layer dtype="float32".',
      ),
    ],
    errors: [],
    allreduce: quadAllReduce(),
    stagger: {
      host: 'worker-0',
      order: 'fixed',
      spread_ns: 7_800_000,
      launch_spread_ns: 7_800_000,
      cost_ns: 7_100_000,
      devices: names.map((i) => `GPU:${i}`),
      one_thread: true,
      private_threads: false,
      steps_total: 2,
      steps_cap: 20,
      items: [4, 5].flatMap((step) =>
        STAGGER_MS.map((late, i) => {
          const first = Math.round((late + (step - 5) * 0.05 * i) * 1e6);
          return {
            step,
            host: 'worker-0',
            device: `GPU:${i}`,
            first_launch_ns: first,
            first_kernel_ns: first,
            last_kernel_ns: 21_800_000,
            begin_ms: step * 22 + first / 1e6,
            end_ms: step * 22 + 21.8,
            idle_ns: first,
            wait_ns: Math.round((7.8 - late) * 1e6),
            thread: 'tf_Compute/1417',
          };
        }),
      ),
    },
    input: pipeline('worker-0'),
    anomalies: [
      {
        name: 'negative_time',
        count: 3,
        severity: 'info',
        sentence: 'Events begin before the profile does; they were clipped.',
      },
    ],
    timing: [
      { stage: 'xspace', ns: 310_000_000 },
      { stage: 'rules', ns: 90_000_000 },
    ],
    by_host: [],
    training: [training('worker-0', 4)],
    idle: [
      {
        account: 'idle.stagger',
        ns: 3_900_000,
        ratio: 0.18,
        longest_ns: 7_800_000,
        cause: null,
        covered_ns: 0,
        sentence: 'longest stretch 7.8 ms',
      },
      {
        account: 'idle.launch',
        ns: 90_000,
        ratio: 0.004,
        longest_ns: 20_000,
        cause: null,
        covered_ns: 0,
        sentence: '',
      },
      {
        account: 'idle.unknown',
        ns: 300_000,
        ratio: 0.014,
        longest_ns: 300_000,
        cause: null,
        covered_ns: 0,
        sentence: 'host-side, cause not recorded; longest stretch 0.30 ms',
      },
    ],
    launches: names.map((i) => ({
      host: 'worker-0',
      device: `GPU:${i}`,
      count: 240,
      median_ns: 9_000,
      p95_ns: 14_000,
    })),
    phases: PHASES,
    memory: {
      devices: names.map((i) => gpuMemory(`GPU:${i}`, (21 - i) * 1e9)),
      devices_total: names.length,
      batch_growth: 1.9,
    },
    tried: [],
    omitted: [],
    roofline: ROOFLINE,
    workload: {
      layers: { products: { Conv2D: 53, MatMul: 1 }, told_ratio: 1 },
      parameters: 25_600_000,
      batch_size: 1_024,
      steps_per_call: 1,
      pipeline_batch_size: null,
      pipeline_batch_bytes: null,
    },
  });
}

/** Steps that wait for a map behind a prefetch and its files. */
function pipeline(host: string): Input {
  const stage = (
    depth: number,
    written: string,
    what: string,
    batchMs: number,
    more: Partial<DataIterator> = {},
  ): DataIterator => ({
    host,
    pipeline: 0,
    depth,
    parent: depth ? depth - 1 : null,
    name: `Iterator::${written}`,
    kind: written,
    written,
    stage: what,
    calls_count: 256,
    slow_calls_count: 12,
    total_ns: Math.round(batchMs * 8.2e6),
    self_ns: Math.round(batchMs * 8e6),
    batch_ns: Math.round(batchMs * 1e6),
    at_once: 1,
    wait_ratio: 0.02,
    parallelism: null,
    autotune: null,
    buffered_elements: null,
    buffer_limit: null,
    element_bytes: null,
    filtered_ratio: null,
    on_critical_path: depth < 3,
    is_bottleneck: false,
    ...more,
  });
  return {
    iterators: [
      stage(0, 'Root', 'passing on', 0.01),
      stage(1, '.prefetch(tf.data.AUTOTUNE)', 'passing on', 0.02, {
        autotune: true,
        buffered_elements: 0,
        buffer_limit: 4,
      }),
      stage(2, '.map(..., num_parallel_calls=8)', 'preprocessing', 4.1, {
        at_once: 8,
        parallelism: 8,
        autotune: false,
        wait_ratio: 0.97,
        is_bottleneck: true,
      }),
      stage(3, '.batch(64)', 'batching', 0.3, { element_bytes: 9_633_792 }),
      stage(4, '.filter(...)', 'preprocessing', 0.2, { filtered_ratio: 0.25 }),
      stage(5, 'tf.data.TFRecordDataset(...)', 'reading on demand', 0.9),
    ],
    pipelines: [
      {
        host,
        number: 0,
        iterators: [0, 1, 2, 3, 4, 5],
        wait_ns: 400_000,
        wait_ratio: 0.02,
        slowest_ns: 900_000,
        batch_bytes: 9_633_792,
        bottleneck: 2,
      },
    ],
    hosts_total: 1,
    critical_path: [
      'Iterator::Root',
      'Iterator::.prefetch(tf.data.AUTOTUNE)',
      'Iterator::.map(..., num_parallel_calls=8)',
    ],
    bottleneck: 'Iterator::.map(..., num_parallel_calls=8)',
    sentence:
      'Steps on the host wait 0.40 ms for a batch (2.0 % of a step); during 97 % of that .map(..., ' +
      'num_parallel_calls=8) works (preprocessing).',
  };
}

/** One GPU, nothing to do. */
export function healthy(): Report {
  const base = staggered();
  const blocks = BLOCK_OPS.map((one) => ({ ...one, ratio: one.ns / 17_900_000 }));
  return inShort(
    {
      ...base,
      run: 'healthy',
      headline: 'A step takes 18.4 ms. Your GPU computes for 97 % of it.',
      advice: 'Nothing to fix above 5 % of a step.',
      settled: true,
      devices: base.devices.slice(0, 1),
      idle: [],
      ledger: {
        ...ledgerOf(
          [
            deviceAccounts('worker-0', 0, {
              compute: 17.9,
              'copy.h2d': 0.1,
              'idle.launch': 0.2,
              'idle.between_steps': 0.2,
            }),
          ],
          { tensor_core_matmul: 15, elementwise: 2.9 },
        ),
        ...computeParts({ matrix: [9.9, 3.6, 0], memory: [2, 0.9, 0], small: [0.05, 0.45, 0], other: [0, 0, 1] }, 10.3),
        hidden_communication_ns: 0,
      },
      key_numbers: {
        ...base.key_numbers,
        compute_judged_ratio: 0.944,
        mfu_ratio: 0.39,
        hfu_ratio: 0.46,
        flops_per_s: 143_000_000_000_000,
        mfu_basis: 'of 312 TFLOP/s in bf16, dense (data sheet of the A100)',
      },
      trust: [],
      findings: [],
      allreduce: null,
      stagger: null,
      input: null,
      anomalies: [],
      memory: null,
    },
    [...kernelTable(KERNELS), ...opTable(blocks, 340), ...hostOpTable(HOST_OPS)],
  );
}

/** All kinds of account in one bar, two hosts, names that are too long or hostile. */
export function crowded(): Report {
  const base = staggered();
  const hosts = ['trainer-worker-0.pool-a.example.internal', 'trainer-worker-1.pool-a.example.internal'];
  const long = `while_body/model_with_a_long_name/${'encoder_block_with_attention/'.repeat(6)}MatMul`;
  const everything = {
    compute: 8,
    'communication.transfer': 2,
    'communication.wait': 2,
    'copy.h2d': 1.5,
    'copy.d2h': 1,
    'copy.d2d': 1,
    'idle.input': 3,
    'idle.launch': 2,
    'idle.compile': 1.5,
    'idle.host_op': 1.5,
    'idle.sync': 1.5,
    'idle.between_steps': 2,
    'idle.stagger': 1,
    'idle.unknown': 1.2,
    'idle.new_kind': 1,
  };
  return inShort(
    {
      ...base,
      run: `experiments/${'a_very_long_run_name_'.repeat(8)}/2026_11_20_14_03_11`,
      headline: `A step takes 31.2 ms. ${HOSTILE} waits 3.0 ms of it.`,
      hosts,
      devices: hosts.flatMap((host) =>
        base.devices.map((device, i) => ({ ...device, host, name: HOSTILE, participates: i < 3 })),
      ),
      idle: [],
      ledger: ledgerOf(
        hosts.flatMap((host) =>
          [0, 1, 2].map((i) => deviceAccounts(host, i, { ...everything, compute: 8 + i, 'idle.unknown': 3.2 - i })),
        ),
        { tensor_core_matmul: 6, [HOSTILE]: 2 },
      ),
      findings: [
        finding({
          id: 'input-bound',
          title: `The GPUs wait for ${long}`,
          severity: 'warning',
          summary: `${HOSTILE} ${long}`,
          evidence: [{ label: long, value: long, unit: 'text', threshold: null, source: HOSTILE }],
          fix: {
            summary: '',
            actions: [HOSTILE],
            snippets: [{ framework: 'custom loop', code: `${HOSTILE}\n${'x'.repeat(300)}` }],
            links: [{ title: 'not a link', url: 'javascript:alert(1)' }],
          },
          where: Array.from({ length: 5 }, (_, i) => ({
            host: hosts[i % 2] ?? '',
            begin_ms: 1000 * i,
            end_ms: 1000 * i + 31,
            label: long,
            device: 'GPU:1',
            stream: 'stream 14 (compute)',
            step: i,
          })),
        }),
        finding({
          id: 'small-kernels',
          saving: {
            ns: 1_000_000,
            ratio: 0.03,
            basis: '',
            bound: false,
            once_ns: 0,
            alone_ns: null,
            kernels: [],
            accounts: { 'idle.launch': 1_000_000 },
          },
          severity: 'info',
        }),
      ],
      errors: [row('tensor-cores-unused', 'The rule failed: division by zero.')],
      stagger: null,
      phases: {
        items: null,
        told_ratio: 0.43,
        reason: 'The names of ops tell the phase of 43 % of the compute time only.',
      },
      memory: {
        devices: [
          {
            ...gpuMemory('GPU:0', 39.6e9),
            host: hosts[0] ?? '',
            alive: [{ op: HOSTILE, size_bytes: 1e9, count: 1 }],
            fragmentation_ratio: null,
            free_block_bytes: null,
            matched: 'order',
          },
        ],
        devices_total: 1,
        batch_growth: null,
      },
    },
    [
      ...kernelTable([kernel(HOSTILE, long, 'other', 8), kernel(EIGEN, '', 'other', 1)]),
      ...opTable([op(HOSTILE, HOSTILE, 'other', 8), op(long, 'MatMul', 'other', 1)]),
    ],
  );
}

/** Eight GPUs of which two run. */
export function idleGpus(): Report {
  const base = staggered();
  return inShort(
    {
      ...base,
      run: 'GPU-multi-worker',
      headline: '6 of 8 GPUs run nothing, and the 2 that do start 647 ms apart.',
      advice: 'One partial step is thin evidence: record ten steps.',
      findings: [
        {
          ...base.findings[0]!,
          id: 'idle-gpus',
          title: 'Idle GPUs: 6 of 8',
          saving: null,
          where: [],
          explains: [],
        },
        ...base.findings,
      ],
      devices: Array.from({ length: 8 }, (_, i) => ({
        host: 'worker-0',
        device: `GPU:${i}`,
        name: 'Tesla V100',
        compute_capability: '7.0',
        busy_ratio: i < 2 ? 0.3 : 0,
        participates: i < 2,
        memory_bytes: null,
      })),
      idle: [],
      ledger: ledgerOf(
        [0, 1].map((i) =>
          deviceAccounts('worker-0', i, { compute: 420, 'idle.stagger': 647 * i, 'idle.launch': 900 - 647 * i }),
        ),
        { other: 420 },
      ),
      steps: {
        ...base.steps,
        count: 1,
        source: 'function_runs',
        items_total: 1,
        items: base.steps.items.slice(0, 1),
        ...columns(1, { compute: 420, 'idle.launch': 900 }),
      },
      key_numbers: {
        ...base.key_numbers,
        compute_16bit_ratio: null,
        compute_tf32_ratio: null,
        ops_on_device_count_ratio: null,
        ops_on_device_ratio: null,
        compute_judged_ratio: null,
        mfu_ratio: null,
        flops_per_s: null,
        mfu_basis: 'No work of a kernel is known from this profile.',
      },
      roofline: null,
      allreduce: null,
    },
    [
      ...kernelTable(KERNELS.map((one) => ({ ...one, ...ofKernel(UNKNOWN) }))),
      ...opTable(OPS.map((one) => ({ ...one, ...UNKNOWN }))),
    ],
  );
}

/** Only the host was recorded. */
export function hostOnly(): Report {
  const base = healthy();
  const nothing = {
    device_time_ratio: null,
    ops_on_device_ratio: null,
    ops_on_device_count_ratio: null,
    compute_16bit_ratio: null,
    compute_tf32_ratio: null,
    gpu_busy_ratio: null,
    compute_judged_ratio: null,
    mfu_ratio: null,
    hfu_ratio: null,
    flops_per_s: null,
    mfu_basis: '',
  };
  return inShort(
    {
      ...base,
      run: 'host-only',
      settled: false,
      headline: 'This profile holds no GPU: only the host was recorded.',
      advice: 'Record it on the machine with the GPUs, with CUPTI installed.',
      devices: [],
      idle: [],
      ledger: null,
      input: staggered().input,
      capture_quality: { level: 'none', reasons: [{ ok: false, text: 'No GPU events were recorded' }] },
      key_numbers: nothing,
      roofline: null,
      phases: null,
      steps: { ...base.steps, count: 0, source: 'none', items: [], items_total: 0, ...columns(0, {}) },
    },
    hostOpTable(HOST_OPS),
  );
}

/** Several GPUs of which no collective was recorded, and a training that recorded nothing. */
export function unreduced(): Report {
  const base = staggered();
  return worded({
    ...base,
    run: 'no-collective',
    findings: [],
    stagger: null,
    collectives: [],
    allreduce: {
      ...quadAllReduce(),
      kinds: [],
      calls_per_step: 0,
      bytes_per_step: null,
      bytes_source: 'not recorded',
      parameters: null,
      parameters_source: 'unknown',
      parameters_basis: '',
      guide_ns: null,
      ring_bound_ns: null,
      achievable_ns: null,
      achievable_source: '',
      measured_ns: null,
      transfer_ns: null,
      wait_ns: null,
      busbw_gbps: null,
      exposed_ns: null,
      hidden_ns: null,
      difference: 'No collective was recorded in this profile.',
      devices: [],
      steps: [],
      sizes: [],
      calls: [],
      calls_total: 0,
    },
    training: [],
    sections: base.sections.map((one) => (one.id === 'training' ? { ...one, blocks: [] } : one)),
  });
}

/** Experts on four GPUs: no AllReduce, and so no estimate. */
export function allToAll(): Report {
  const base = staggered();
  const note =
    'These steps run AllToAll and other collectives, and no AllReduce between several GPUs: ' +
    'parameters × 4 bytes / bandwidth does not apply.';
  const report = {
    ...base,
    run: 'all-to-all',
    allreduce: null,
    collectives: [
      { kind: 'all_to_all', name: 'AllToAll', calls_per_step: 5, ns: 4_300_000, wait_ns: 3_700_000 },
      { kind: 'other', name: 'other collectives', calls_per_step: 1, ns: 20_000, wait_ns: null },
    ],
  };
  const blocks = tablesIn(report, 'communication');
  const sections = base.sections.map((one) => (one.id === 'communication' ? { ...one, note, blocks } : one));
  return worded({ ...report, sections });
}

/** Sixteen hosts of eight GPUs; the sixth host is slow, the others wait for it. */
export function manyHosts(count = 16): Report {
  const base = staggered();
  const names = Array.from({ length: count }, (_, i) => `trainer-worker-${i}.pool-a.internal`);
  const gpus = [0, 1, 2, 3, 4, 5, 6, 7];
  const late = (i: number): number => (i === 5 ? 4.2 : 0.05 * (i % 4));
  const longest = 24.2;
  return inShort({
    ...base,
    run: `pod/${count}-hosts`,
    hosts: names,
    devices: names.flatMap((host) => gpus.map((i) => ({ ...base.devices[0]!, host, device: `GPU:${i}` }))),
    idle: [],
    ledger: {
      ...ledgerOf(
        names.flatMap((host, h) =>
          gpus.map((i) =>
            deviceAccounts(host, i, {
              compute: 18,
              'idle.input': late(h),
              'communication.transfer': 2,
              'communication.wait': longest - 20 - late(h),
            }),
          ),
        ),
        { tensor_core_matmul: 15, elementwise: 3 },
      ),
      ...computeParts({ matrix: [8, 5.5, 0], memory: [1.5, 1.5, 0], small: [0.1, 0.4, 0], other: [0, 0, 1] }, 8.1),
    },
    findings: [finding({ id: 'slow-host', title: `${names[5]} is slow`, where: [], explains: [] })],
    stagger: null,
    allreduce: {
      ...quadAllReduce(),
      participants: count * 8,
      hosts_count: count,
      devices: names.flatMap((host, h) =>
        gpus.map((i) => ({
          host,
          device: `GPU:${i}`,
          transfer_ns: 2_000_000,
          wait_ns: (4.2 - late(h)) * 1e6,
          last_ratio: h === 5 ? 0.12 : 0,
          caused_wait_ns: h === 5 && i === 2 ? 3_900_000 : 0,
        })),
      ),
      calls: quadAllReduce().calls.map((call) => ({
        ...call,
        host: names[0]!,
        hosts_count: count,
        participants: count * 8,
        last: `${names[5]} GPU:2`,
      })),
    },
    by_host: names.map((host, i) => ({
      host,
      gpus_count: 8,
      steps_count: 7,
      step_ns: longest * 1e6,
      own_ns: (20 + late(i)) * 1e6,
      compute_ns: 18_000_000,
      input_ns: late(i) * 1e6,
      wait_ns: Math.round((longest - 20 - late(i)) * 1e6),
      late_ns: late(i) * 1e6,
      clock_offset_ns: i === 0 ? 0 : -1_300_000 * i,
      clock_uncertainty_ns: i === 0 ? 0 : 4_000,
      clock_source: i === 0 ? ('same host' as const) : ('collectives' as const),
      slow: i === 5,
      step_shift: 0,
      steps: [1, 2, 3, 4, 5, 6, 7].map((step) => ({
        step,
        own_ns: (20 + late(i) * (0.9 + 0.03 * step)) * 1e6,
        wait_ns: (4.2 - late(i)) * 1e6,
      })),
    })),
    training: names.map((host, i) => training(host, i === 5 ? 5 : 4)),
  });
}

/** The same, as PyTorch's profiler would have recorded it. */
export function ofPytorch(): Report {
  return { ...staggered(), run: 'pytorch', source: 'PyTorch profiler', viewer: 'Perfetto' };
}

export const REPORTS: readonly Report[] = [
  staggered(),
  healthy(),
  crowded(),
  idleGpus(),
  hostOnly(),
  unreduced(),
  manyHosts(),
];

const FAILURES: Record<string, BackendError> = {
  unreadable: new BackendError('The file worker-0.xplane.pb ends in the middle of an event.', 'unreadable'),
  'not judgeable': new BackendError('The profile holds no events.', 'not_judgeable'),
};

/** As the backend does: a number with a unit, or the name of a link. */
function read(text: string | null, what: string): number | null {
  if (text === null) return null;
  const value = /^nvlink/i.test(text) ? 230 : Number.parseFloat(text.replaceAll(',', '')) * (/m/i.test(text) ? 1e6 : 1);
  if (!(value > 0)) throw new BackendError(`${what} cannot be read from '${text}'.`, 'bad_request');
  return value;
}

/** The estimates of a report for what was typed. */
function withTyped(report: Report, request: ReportRequest): Report {
  const parameters = read(request.parameters, 'The number of parameters');
  const bandwidth = read(request.bandwidth, 'The bandwidth');
  const known = report.allreduce;
  if (!known || (parameters === null && bandwidth === null)) return report;
  const n = parameters ?? known.parameters;
  const gbps = bandwidth ?? known.bandwidth_gbps;
  const guide = n && gbps ? Math.round((n * 4) / gbps) : null;
  return {
    ...report,
    allreduce: numbered({
      ...known,
      parameters: n,
      parameters_source: parameters === null ? known.parameters_source : 'given',
      parameters_basis: parameters === null ? known.parameters_basis : '',
      bandwidth_gbps: gbps,
      bandwidth_source: bandwidth === null ? known.bandwidth_source : 'as given',
      guide_ns: guide,
      ring_bound_ns: guide === null ? null : Math.round((guide * 2 * (known.participants - 1)) / known.participants),
    }),
  };
}

/** As if every threshold were the share of the step that a finding must save. */
function withTrials(report: Report, trials: readonly string[]): Report {
  if (trials.length === 0) return report;
  const tried = trials.map((text) => {
    const [rule = '', threshold = '', value = ''] = text.split(':');
    if (!/^[\d.]+ ?%$/.test(value))
      throw new BackendError(`idle between steps: write a number like 2 % or 0.02, not '${value}'.`, 'bad_request');
    return {
      rule,
      threshold,
      name: 'idle between steps',
      value: Number.parseFloat(value) / 100,
      default: 0.01,
      unit: 'ratio' as const,
    };
  });
  const least = Math.max(...tried.map(({ value }) => value));
  const [findings, less] = [true, false].map((keeps) =>
    report.findings.filter(({ saving }) => !saving || saving.ratio >= least === keeps),
  );
  return {
    ...report,
    tried,
    findings: findings ?? [],
    passed: [
      ...report.passed,
      ...(less ?? [])
        .filter(({ saving }) => saving)
        .map(({ id, title }) => ({ id, title, reason: 'It is below that.', how: '' })),
    ],
  };
}

/** Serves the reports above, failing runs, and one that never ends. */
/** As if savings could be added up, all of them waiting. */
export function predictionOf(report: Report, without: readonly string[]): Prediction {
  const { findings, ledger, budget } = report;
  const chosen = findings.filter(({ id, saving }) => saving && without.includes(id));
  const words = fixed(chosen.length, budget?.claims.length ?? 0);
  const ranks = chosen.map((one) => findings.indexOf(one) + 1);
  const accounts = ledger?.accounts ?? [];
  const step = ledger?.step_ns ?? 0;
  let left = Math.min(
    step,
    chosen.reduce((sum, { saving }) => sum + (saving?.ns ?? 0), 0),
  );
  const saved = left;
  const changed = [...accounts].reverse().map(({ id, ns }) => {
    const gone = id === 'compute' ? 0 : Math.min(ns, left);
    left -= gone;
    return { id, before_ns: ns, after_ns: ns - gone };
  });
  return {
    step_ns: step,
    predicted_ns: step - saved + left,
    saved_ns: saved - left,
    limits: chosen.length ? ['The profile does not say how long the input pipeline needs for a batch.'] : [],
    by_finding: findings.flatMap(({ id, title, saving }) =>
      saving ? [{ id, title, chosen: without.includes(id), saving_ns: saving.ns, alone_ns: saving.ns }] : [],
    ),
    accounts: changed.reverse(),
    error: { low_ratio: -0.034, high_ratio: 0.091, runs: 412, page: 'accuracy' },
    fixed: words,
    said: `Projected ${duration(step - saved + left)} ${words}. Likely.`,
    after: after(report, `After fixes ${ranks.join(' and ')}`, step - saved + left),
  };
}

const BASELINE: Against = { verdict: 'base', change: null, why: '', sentence: '' };

function beside(base: string): Against {
  const compared = COMPARISONS[base]?.();
  if (!compared?.times) return { ...BASELINE, verdict: 'cannot_compare', why: 'other model' };
  const { change } = compared.times;
  return {
    verdict: 'unproven',
    change,
    why: '',
    sentence: `Unproven: a step takes ${duration(compared.times.new_ns)}.`,
  };
}

/** As the backend makes it. */
export function outlineOf(report: Report): Outline {
  const { steps, ledger, findings, gpus, hosts } = report;
  const ns = (id: string): number => ledger?.accounts.find((account) => account.id === id)?.ns ?? 0;
  const [first, ...others] = findings;
  return {
    gpus: gpus.kinds,
    gpus_count: gpus.total,
    hosts_count: hosts.length,
    steps_count: steps.count,
    step_ns: ledger?.step_ns ?? null,
    p50_ns: steps.p50_ns || null,
    p95_ns: steps.p95_ns > 1.15 * steps.p50_ns ? steps.p95_ns : null,
    lengths: steps.columns.slice(0, 60).map(({ step_ns, judged, outlier }) => ({ ns: step_ns, judged, outlier })),
    compute_ratio: ledger && ns('compute') / ledger.step_ns,
    active_ratio: ledger && (ns('compute') + ns('communication.transfer')) / ledger.step_ns,
    exposed_ns: ledger && gpus.total > 1 ? ns('communication.transfer') + ns('communication.wait') : null,
    finding: first ? { id: first.id, title: first.title, severity: first.severity, others: others.length } : null,
    settled: report.settled,
    recoverable_ns: ledger && findings.reduce((sum, { saving }) => sum + (saving?.ns ?? 0), 0),
    evidence: report.capture_quality?.level ?? null,
    lacks: [],
  };
}

export class FakeBackend implements Backend {
  readonly asked: ReportRequest[] = [];
  readonly timelines: TimelineRequest[] = [];
  readonly slices: TraceTarget[] = [];
  /** The names in each question for rows. */
  readonly boards: string[][] = [];
  access: TraceAccess = { state: 'ready', hosts: ['worker-0'] };
  /** What a report waits for after it has told its progress. */
  computing: Promise<void> | null = null;
  private stop: BackendError | null = null;
  private readonly stopped: ((why: Error) => void)[] = [];

  constructor(
    public names: string[] = [...REPORTS.map(({ run }) => run), ...Object.keys(FAILURES), 'analysing'],
    private readonly reports: readonly Report[] = REPORTS,
  ) {}

  async runs(): Promise<Run[]> {
    return this.names.map((name) => ({ name, hosts: ['worker-0'] }));
  }

  async report(request: ReportRequest, onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<Report> {
    this.asked.push(request);
    const { run } = request;
    if (run === 'analysing') {
      if (request.again) this.stop = null;
      if (this.stop) throw this.stop;
      onProgress({
        stage: 'ledger',
        words: 'Dividing each step among its causes',
        share: 0.62,
        hosts_done_count: 16,
        hosts_count: 256,
      });
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        this.stopped.push(reject);
      });
    }
    const report = this.reports.find((r) => r.run === run);
    if (report) {
      const answer = withTrials(withTyped(report, request), request.tried ?? []);
      if (this.computing) {
        onProgress({ stage: 'rules', words: 'Checking the rules', share: 0.9 });
        await this.computing;
        signal.throwIfAborted();
      }
      return answer;
    }
    throw FAILURES[run] ?? new BackendError(`There is no run "${run}" in this log directory.`, 'not_found');
  }

  async cancel(run: string): Promise<void> {
    this.stop = new BackendError(`The analysis of run ${run} was stopped. It can be started again.`, 'cancelled');
    for (const reject of this.stopped.splice(0)) reject(this.stop);
  }

  async timeline(request: TimelineRequest): Promise<StepTimeline> {
    this.timelines.push(request);
    const report = this.reports.find(({ run }) => run === request.run);
    if (!report) throw new BackendError('There is no such step.', 'bad_request');
    return stepTimeline(report, request);
  }

  async slice(target: TraceTarget): Promise<SavedTrace> {
    this.slices.push(target);
    return { content: new Blob(['']), name: 'trace.json.gz', note: 'It ends early.' };
  }

  async glossary(): Promise<Glossary> {
    return GLOSSARY;
  }

  async thresholds(): Promise<Thresholds> {
    const gap = {
      id: 'idle',
      name: 'idle between steps',
      value: 0.01,
      unit: 'ratio',
      source: 'lowest severity',
      fixed: false,
    } as const;
    const rules = Object.fromEntries(
      REPORTS.flatMap(({ findings, passed }) => [...findings, ...passed]).map(({ id }) => [id, [gap]]),
    );
    const severities = (
      [
        ['critical', 0.2],
        ['warning', 0.05],
        ['info', 0.01],
      ] as const
    ).map(([name, value]) => ({ ...gap, id: name, name, value }));
    return {
      rules: {
        ...rules,
        'slow-host': [{ ...gap, id: 'hosts', name: 'hosts compared', value: 3, unit: 'count', fixed: true }],
      },
      severities,
    };
  }

  async compare(
    [base = '', ...bases]: readonly string[],
    [run = '', ...runs]: readonly string[],
    onProgress: (progress: Progress) => void,
    signal: AbortSignal,
  ): Promise<Comparison> {
    if (base === 'analysing') {
      onProgress({ stage: 'ledger', words: 'Dividing each step among its causes', share: 0.62 });
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    }
    const found = bases.length + runs.length > 0 ? launched : COMPARISONS[base];
    if (!found)
      throw FAILURES[base] ?? new BackendError(`There is no run "${base}" in this log directory.`, 'not_found');
    const result = found();
    const side = (of: Side, name: string): Side => ({
      ...of,
      run: name,
      usual_step: this.reports.find((report) => report.run === name)?.steps.columns[0]?.id ?? null,
    });
    return { ...result, base: side(result.base, base), new: side(result.new, run) };
  }

  /** Of 'analysing' it is never done, and 'unreadable' says why. */
  async board(names: readonly string[], base: string | null): Promise<Board> {
    this.boards.push([...names]);
    const rows = names.map((run) => {
      const report = this.reports.find((r) => r.run === run);
      const outline = report ? outlineOf(report) : null;
      const row = { run, recorded: run === 'huge' ? '' : '2026-11-20 14:03:11', outline, against: null, stage: '' };
      const against = outline && base !== null ? (run === base ? BASELINE : beside(base)) : null;
      const share = run === 'analysing' ? 0.62 : null;
      return { ...row, against, share, error: FAILURES[run]?.message ?? '' };
    });
    return { rows, done: !names.includes('analysing') };
  }

  async predict({ run }: ReportRequest, without: readonly string[]): Promise<Prediction> {
    const report = REPORTS.find((r) => r.run === run);
    if (!report) throw new BackendError(`There is no run "${run}" in this log directory.`, 'not_found');
    return predictionOf(report, without);
  }

  async traceAccess(): Promise<TraceAccess> {
    return this.access;
  }
}

export class FakeHost implements Host {
  readonly opened: TraceTarget[] = [];
  /** The addresses that the browser's Back leads to. */
  readonly history: AddressState[] = [];
  readonly kept = new Map<string, Typed>();
  readonly marked = new Map<string, Marks>();
  shown = true;
  show: () => void = () => undefined;

  constructor(public state: AddressState = NOWHERE) {}

  readAddress(): AddressState {
    return readAddress(writeAddress('', this.state));
  }

  writeAddress(state: AddressState): void {
    this.state = state;
  }

  stepOn(): void {
    this.history.push(this.state);
  }

  back(): void {
    this.state = this.history.pop() ?? this.state;
    this.show();
  }

  recall(run: string): Typed {
    return this.kept.get(run) ?? UNTYPED;
  }

  keep(run: string, typed: Typed): void {
    this.kept.set(run, typed);
  }

  isShown(): boolean {
    return this.shown;
  }

  onShown(callback: () => void): void {
    this.show = callback;
  }

  link(state: AddressState): string {
    return `http://tensorboard/${writeAddress('', state)}`;
  }

  marks(run: string): Marks {
    return this.marked.get(run) ?? {};
  }

  keepMarks(run: string, marks: Marks): void {
    this.marked.set(run, marks);
  }

  openProfileTab(target: TraceTarget): boolean {
    this.opened.push(target);
    return true;
  }
}
