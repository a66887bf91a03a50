/** Comparisons of every kind, by the run that is compared with. All numbers are made up. */

import type { AccountChange, Comparison, FindingChange, LaunchLevel, Side } from './model.js';

const HOSTILE = '<img src=x onerror="document.title=\'broken\'">';

const LAUNCHES = 'by which launches of one training are taken to differ';
const LARGER = `The difference is larger than the 3 % ${LAUNCHES}.`;

function side(step_ns: number | null, change: Partial<Side> = {}): Side {
  return {
    run: '',
    headline: '',
    step_ns,
    p50_ns: step_ns,
    steps_count: 8,
    error_ns: 60_000,
    gpus_count: 4,
    hosts_count: 1,
    devices: ['A100'],
    usual_step: null,
    ...change,
  };
}

/** id → [before, now] in ms. */
function accounts(ms: Record<string, [number, number]>): AccountChange[] {
  return Object.entries(ms).map(([id, [before, now]]) => ({
    id,
    base_ns: before * 1e6,
    new_ns: now * 1e6,
    delta_ns: Math.round((now - before) * 1e6),
  }));
}

function finding(
  status: FindingChange['status'],
  title: string,
  before: number | null,
  now: number | null,
  note = '',
): FindingChange {
  const ns = (ms: number | null): number | null => (ms === null ? null : ms * 1e6);
  return {
    id: title.toLowerCase().replaceAll(' ', '-'),
    title,
    status,
    note,
    base_ns: ns(before),
    new_ns: ns(now),
    base_severity: status === 'appeared' ? null : 'critical',
    new_severity: status === 'vanished' || status === 'unchecked' ? null : 'warning',
  };
}

export function better(): Comparison {
  return {
    comparison_version: 2,
    tool_version: '0.1.0',
    verdict: 'better',
    sentence: 'Better: a step takes 22.0 ms instead of 29.8 ms (−26 %).',
    reasons: [LARGER, 'The training recorded a batch of 1,024 examples in both.'],
    caveats: ['The model is not quite the same: 53 Conv2D before, 52 now.'],
    drift_ratio: 0.03,
    drift_stated: true,
    basis: 'step',
    base: side(29_800_000),
    new: side(22_000_000),
    times: {
      base_ns: 29_800_000,
      new_ns: 22_000_000,
      delta_ns: -7_800_000,
      change: -0.26,
      noise_ns: 298_000,
      drift_ns: 894_000,
      examples: 1,
    },
    accounts: accounts({
      compute: [13.4, 13.2],
      'communication.transfer': [0.9, 0.9],
      'communication.wait': [3.9, 3.85],
      'idle.input': [7.7, 0],
      'idle.stagger': [3.7, 3.85],
      'idle.unknown': [0.2, 0.2],
    }),
    findings: [
      finding('appeared', 'Room for a larger batch', null, null),
      finding('vanished', 'Input-bound', 7.7, null, 'The GPUs wait 0.1 ms per step for input (0 %).'),
      finding('unchecked', 'Bias before a batch normalisation', 0.3, null, 'No op names of the graph were recorded.'),
      finding('changed', 'Launch skew across GPUs', 5.1, 7.1),
      finding('same', 'AllReduce is not hidden', 0.9, 0.9),
    ],
    numbers: [
      { label: 'GPU active', unit: 'ratio', base: 0.61, new: 0.82 },
      { label: 'AllReduce, transfer', unit: 'ns', base: 900_000, new: 910_000 },
      { label: 'memory of the fullest GPU at its peak', unit: 'bytes', base: null, new: 21e9 },
    ],
    settings: [{ label: 'TF_GPU_THREAD_MODE', base: 'not recorded', new: 'gpu_private' }],
    prediction: {
      findings: ['input-bound'],
      promised_ns: 7_700_000,
      bound: true,
      measured_ns: 7_800_000,
      other_ns: 100_000,
      sentence:
        'The finding that is gone promised up to 7.7 ms per step; the step became 7.8 ms shorter. That is ' +
        'what was promised, within the noise.',
    },
    scaling: null,
    launches: null,
  };
}

function worse(): Comparison {
  return {
    ...better(),
    verdict: 'worse',
    sentence: 'Worse: a step takes 22.0 ms instead of 18.4 ms (+20 %).',
    caveats: [],
    base: side(18_400_000),
    prediction: null,
    settings: [],
    times: {
      base_ns: 18_400_000,
      new_ns: 22_000_000,
      delta_ns: 3_600_000,
      change: 0.2,
      noise_ns: 184_000,
      drift_ns: 552_000,
      examples: 1,
    },
    accounts: accounts({
      compute: [17.9, 13.2],
      'communication.wait': [0, 4.8],
      'idle.stagger': [0, 3.9],
      'idle.launch': [0.5, 0.1],
    }),
    findings: [finding('appeared', 'Launch skew across GPUs', null, 7.1, 'At most one GPU is visible.')],
  };
}

function same(): Comparison {
  return {
    ...better(),
    verdict: 'same',
    sentence: 'Neither better nor worse: a step takes 22.0 ms, before 22.1 ms.',
    reasons: [
      `Differences up to 0.66 ms (3.0 %) are no difference here: they are within the 3 % ${LAUNCHES}. To ` +
        'show a smaller difference, profile several launches a side.',
    ],
    caveats: ['The batch size is not recorded; it is taken to be the same.'],
    prediction: null,
    settings: [],
    findings: [],
    base: side(22_100_000),
    times: {
      base_ns: 22_100_000,
      new_ns: 22_000_000,
      delta_ns: -100_000,
      change: -0.0045,
      noise_ns: 310_000,
      drift_ns: 663_000,
      examples: 1,
    },
    accounts: accounts({ compute: [13.3, 13.2], 'communication.wait': [8.8, 8.8] }),
  };
}

/** One launch a side without a stated drift. */
function unproven(): Comparison {
  return {
    ...better(),
    verdict: 'unproven',
    sentence: 'Unproven: a step takes 22.0 ms instead of 29.8 ms (−26 %).',
    reasons: [
      'One launch a side does not show by how much launches of this training differ without a change. Record six ' +
        'launches a side in random order, or state that difference: tfperf compare --drift 3%.',
    ],
    drift_stated: false,
    prediction: null,
  };
}

/** Six launches a side in random order, with these steps in ms. */
export function launched(): Comparison {
  const order = 'ABBABAABABBA';
  const steps = [30.4, 22.9, 21.6, 29.1, 22.4, 31.2, 28.8, 21.9, 29.6, 22.1, 23.3, 29.9];
  const items = steps.map((ms, i): LaunchLevel => {
    const side = order[i] === 'A' ? 'base' : 'new';
    const recorded = `2026-11-20 14:${String(3 * i + 3).padStart(2, '0')}:00`;
    const run = `${side === 'base' ? 'before' : 'after'}/${recorded.replaceAll(/[-: ]/g, '_')}`;
    return { run, side, recorded, level_ns: ms * 1e6, steps_count: 20 };
  });
  const now = 22_360_000;
  return {
    ...better(),
    sentence: 'Better: a step takes 22.4 ms instead of 29.8 ms (−25 %, −28 % to −22 %; 6 launches a side).',
    reasons: [
      'Only 0.9 % of the orders in which these launches could have run would give a difference as large by chance.',
      'A launch counts by the 10th percentile of its steps, which other work on the machine changes least.',
    ],
    caveats: ['Accounts, key numbers and settings are those of the launch in the middle of each side.'],
    drift_stated: false,
    times: { ...better().times!, new_ns: now, delta_ns: now - 29_800_000, change: -0.25, drift_ns: 0 },
    findings: [
      finding('vanished', 'Input-bound', 7.7, null, 'In 5 of 6 before, 0 of 6 now.'),
      finding('same', 'AllReduce is not hidden', 0.9, 0.9, 'In 6 of 6 before, 6 of 6 now.'),
    ],
    launches: {
      items,
      statistic: 'p10',
      method: 'rounds',
      change: -0.25,
      sd: 0.029,
      needed: 6,
      p: 2 / 216,
      low: -0.28,
      high: -0.22,
      limit: null,
    },
  };
}

function cannot(): Comparison {
  return {
    ...better(),
    verdict: 'cannot_compare',
    sentence: 'These runs cannot be compared.',
    basis: 'nothing',
    reasons: [
      'Other GPUs: Tesla V100 before, A100 now.',
      `Another model: layers differ (12 ${HOSTILE} before, 0 now).`,
    ],
    caveats: [],
    base: side(null, { gpus_count: 0, devices: [HOSTILE], steps_count: 0 }),
    times: null,
    accounts: [],
    findings: [],
    prediction: null,
    settings: [],
  };
}

function scaling(): Comparison {
  const parts = accounts({
    compute: [13.1, 13.2],
    'communication.transfer': [0, 0.9],
    'communication.wait': [0, 3.9],
    'idle.stagger': [0, 3.8],
    'idle.launch': [0.3, 0.2],
  });
  return {
    ...better(),
    verdict: 'better',
    sentence: 'Better: 4 GPUs train 2.44 times as fast as 1, 61 % of the ideal.',
    basis: 'examples',
    reasons: [LARGER],
    caveats: [
      'Each GPU computes as long in a step, to 1 %, so each is taken to keep its batch; the batch size is ' +
        'not recorded.',
    ],
    base: side(13_400_000, { gpus_count: 1 }),
    prediction: null,
    settings: [],
    findings: worse().findings,
    scaling: {
      kind: 'weak',
      basis: '',
      fewer: 'base',
      fewer_gpus: 1,
      more_gpus: 4,
      ideal_ns: 13_400_000,
      step_ns: 22_000_000,
      lost_ns: 8_600_000,
      efficiency: 0.61,
      speedup: 2.44,
      accounts: parts,
      sentence:
        'With more GPUs a step takes 22.0 ms where 13.4 ms would be ideal. More time goes to Straggler ' +
        'wait (3.9 ms), Launch skew (3.8 ms).',
    },
  };
}

export const COMPARISONS: Record<string, () => Comparison> = {
  healthy: worse,
  'train/2026_11_20_14_03_11': better,
  'no-collective': same,
  'all-to-all': unproven,
  'host-only': cannot,
  'GPU-multi-worker': scaling,
};
