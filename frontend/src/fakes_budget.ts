/** Reports for the states of the step budget. */

import { finding, healthy, hostOnly, staggered } from './fakes.js';
import { worded } from './fakes_words.js';
import type { Account, Finding, Report, StepGroup } from './model.js';

const part = (id: string, ms: number, step: number): Account => ({ id, ns: ms * 1e6, ratio: ms / step });

function claiming(id: string, title: string, accounts: Record<string, number>, change: Partial<Finding>): Finding {
  const ns = Object.values(accounts).reduce((sum, one) => sum + one, 0);
  const saving = {
    ns,
    ratio: ns / 13.2e6,
    basis: '',
    bound: true,
    once_ns: 0,
    late_kernel: '',
    frees_input: false,
    accounts,
    kernels: [],
  };
  const after = { ns: 13.2e6 - ns, low_ns: 13e6 - ns, high_ns: 13.2e6 - ns };
  return finding({ id, title, where: [], saving, after, severity: 'warning', action: '', command: '', ...change });
}

const TEN_STEPS = 'tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))';

/** Part of one step of one GPU, with three findings and much idle time that none claims. */
export function thin(): Report {
  const report = healthy();
  const times = [
    part('compute', 0.89, 13.2),
    part('idle.between_steps', 2.1, 13.2),
    part('idle.unknown', 4.5, 13.2),
    part('idle.input', 0.45, 13.2),
    part('copy.h2d', 0.03, 13.2),
    part('copy.d2h', 0.03, 13.2),
    part('idle.launch', 5.2, 13.2),
  ];
  const launch = claiming(
    'kernel-launch-bound',
    'Kernel-launch-bound',
    { 'idle.launch': 5_200_000 },
    { action: 'Compile the step with XLA', cause: '148 kernels of 6 µs: launches cannot keep up' },
  );
  const input = claiming('input-bound', 'Input-bound', { 'idle.input': 450_000 }, { severity: 'info' });
  const matrix = claiming('mixed-precision-off', 'FP32 matrix work', { compute: 420_000 }, { severity: 'info' });
  return worded({
    ...report,
    run: 'thin',
    settled: false,
    trust: [
      finding({
        id: 'too-few-steps',
        title: 'One step recorded, not the time after it',
        severity: 'warning',
        where: [],
        saving: null,
        fix: {
          summary: 'Record about ten steps, after the first few.',
          actions: [],
          snippets: [
            { framework: 'Keras', code: `tensorboard = ${TEN_STEPS}\nmodel.fit(ds, callbacks=[tensorboard])` },
          ],
          links: [],
        },
      }),
    ],
    steps: { ...report.steps, count: 1, mean_ns: 13_200_000, p50_ns: 13_200_000 },
    findings: [launch, input, matrix],
    ledger: report.ledger && {
      ...report.ledger,
      step_ns: 13_200_000,
      accounts: times,
      compute_parts: [],
      compute_floor_ns: null,
      devices: [{ host: '', device: 'GPU:0', step_ns: 13_200_000, accounts: times }],
    },
    capture_quality: { level: 'thin', reasons: [{ ok: false, text: 'Part of one step' }] },
  });
}

/** Three hosts and one that is much slower: no step is like the mean. */
export function grouped(): Report {
  const report = staggered();
  const group = (name: string, hosts: string[], compute: number, wait: number): StepGroup => ({
    name,
    hosts,
    count: 7 * hosts.length,
    p50_ns: (compute + wait) * 1e6,
    step_ns: (compute + wait) * 1e6,
    accounts: [part('compute', compute, compute + wait), part('communication.wait', wait, compute + wait)],
  });
  const groups = [group('3 hosts', ['a', 'b', 'c'], 13.2, 1.2), group('worker-3', ['worker-3'], 26, 0.5)];
  return worded({ ...report, run: 'grouped', steps: { ...report.steps, groups } });
}

/** Every fifth step takes three times as long, and the averages leave it out. */
export function rarelyLong(): Report {
  const report = staggered();
  const [first, ...others] = report.findings;
  const rare: StepGroup = {
    name: 'rare long steps',
    hosts: report.hosts,
    count: 4,
    p50_ns: 66e6,
    step_ns: 66e6,
    accounts: [part('compute', 12, 66), part('idle.between_steps', 54, 66)],
  };
  const outliers: Finding = {
    ...first!,
    id: 'step-outliers',
    title: 'Step-time outliers',
    action: 'Save checkpoints less often, or in the background',
    cause: 'Every 5th step takes 66.0 ms instead of the usual 22.0 ms; meanwhile the host runs SaveV2.',
    saving: { ...first!.saving!, ns: 8.8e6, ratio: 0.4, accounts: {} },
    after: null,
    explains: [],
  };
  return worded({
    ...report,
    run: 'rarely-long',
    findings: [outliers, first!, ...others],
    steps: { ...report.steps, rare },
  });
}

/** GPUs that were recorded, but no step. */
export function noSteps(): Report {
  const report = staggered();
  return worded({
    ...hostOnly(),
    run: 'no-steps',
    headline: 'This profile does not tell where a training step begins.',
    advice: 'Step times cannot be judged.',
    devices: report.devices,
    gpus: report.gpus,
    capture_quality: { level: 'thin', reasons: [{ ok: false, text: 'No steps were told apart' }] },
    findings: [finding({ saving: null, after: null, where: [] })],
    trust: [
      finding({
        id: 'no-step-markers',
        title: 'Step boundaries unknown',
        severity: 'warning',
        where: [],
        saving: null,
        fix: {
          summary: 'Mark each step and record about ten of them, after the first few.',
          actions: [],
          snippets: [],
          links: [],
        },
      }),
    ],
    steps: { ...report.steps, count: 0, items: [], columns: [] },
  });
}
