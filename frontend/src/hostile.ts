/** What no run should hold and some do: names that are long, foreign, hostile or missing, and far too much of all. */

import { KERNELS, OPS, finding, healthy, inShort, manyHosts, staggered } from './fakes.js';
import { type Kernel, type Op, kernelTable, opTable } from './fakes_tables.js';
import { worded } from './fakes_words.js';
import type { Finding, Report, Row, StepItem } from './model.js';

const MARKUP = '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>';

/** Names as profiles hold them where nobody thought of being read. */
const HOSTILE_NAMES: readonly string[] = [
  'block_with_a_long_name/'.repeat(87), // 2,001 characters that may break at slashes
  'x'.repeat(2000), // … and that may break nowhere
  'מודל/שכבה_3/כפל_מטריצות',
  'نموذج/طبقة/MatMul_7',
  'conv2d\u202egnp.exe\u2066 (1)\u200f', // overrides the direction of what follows
  MARKUP,
  '🧠🔥 model/𝒍𝒂𝒚𝒆𝒓 👩‍👩‍👧‍👦/MatMul',
  '',
  ' \t\n ',
  '[[report.run]] {{constructor}} ${1} %s %n',
];

const named = (i: number): string => HOSTILE_NAMES[i % HOSTILE_NAMES.length] ?? '';

function rows(count: number, about: string): Row[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `${about}-${i}`,
    title: named(i) || 'Untitled',
    reason: `${named(i + 1)} 0.1 ms`,
    how: named(i + 2),
  }));
}

/** Every name of a report replaced by one that hurts. */
export function hostile(): Report {
  const base = staggered();
  const host = `${named(2)} ${named(5)}`;
  const hurt = (one: Finding, i: number): Finding => ({
    ...one,
    title: `${named(i)} takes 3.2 ms`,
    summary: `The GPUs wait 3.2 ms for ${named(i)} in every step.`,
    evidence: HOSTILE_NAMES.map((name, k) => ({
      label: name,
      value: k % 2 ? name : 3_200_000,
      unit: k % 2 ? 'text' : 'ns',
      threshold: k % 2 ? null : 1e6,
      source: named(k + 1),
    })),
    where: HOSTILE_NAMES.map((label, step) => ({
      host,
      begin_ms: step,
      end_ms: step + 1,
      label,
      device: 'GPU:1',
      stream: named(step + 3),
      step,
    })),
    fix: {
      summary: named(i),
      actions: [...HOSTILE_NAMES],
      snippets: [{ framework: 'custom loop', code: HOSTILE_NAMES.join('\n') }],
      links: [{ title: named(i), url: 'https://www.tensorflow.org/' }],
    },
  });
  const devices = base.devices.map((device, i) => ({ ...device, host, name: named(0), participates: i % 2 === 1 }));
  return inShort(
    {
      ...base,
      run: `hostile/${named(4)}/${named(5)}/${named(2)}`,
      headline: `A step takes 22.0 ms. ${named(4)} waits 3.0 ms of it.`,
      advice: `Change first ${named(1)}, which costs up to 7.1 ms per step (32 %).`,
      hosts: [host, named(0)],
      devices,
      steps: { ...base.steps, items: base.steps.items.map((item) => ({ ...item, host, note: named(item.number) })) },
      ledger: {
        ...base.ledger!,
        accounts: [
          ...base.ledger!.accounts,
          { id: named(5), ns: 300_000, ratio: 0.014 },
          { id: named(1), ns: 300_000, ratio: 0.014 },
        ],
        devices: base.ledger!.devices.map((device, i) => ({
          ...device,
          host: i % 2 ? host : named(0),
          accounts: [
            ...device.accounts,
            { id: named(5), ns: 300_000, ratio: 0.014 },
            { id: named(1), ns: 300_000, ratio: 0.014 },
          ],
        })),
      },
      trust: HOSTILE_NAMES.map((name, i) => ({ ...hurt(base.trust[0]!, i), title: name || 'Untitled' })),
      findings: [
        hurt(finding(), 5),
        ...HOSTILE_NAMES.map((_, i) => ({
          ...hurt(finding(), i),
          id: `hostile-${i}`,
          explains: [hurt(finding(), i + 1)],
        })),
      ],
      passed: rows(20, 'passed'),
      missing_data: rows(10, 'missing'),
      manual: rows(4, 'manual'),
      errors: rows(2, 'error'),
      idle: HOSTILE_NAMES.map((sentence) => ({ ...base.idle[0]!, sentence })),
      stagger: {
        ...base.stagger!,
        host,
        items: base.stagger!.items.map((item) => ({ ...item, host, thread: named(0) })),
      },
      input: base.input && {
        ...base.input,
        sentence: `Steps wait for ${named(4)}.`,
        iterators: base.input.iterators.map((one, i) => ({
          ...one,
          host,
          name: named(i),
          written: named(i),
          kind: named(i),
          stage: named(i + 1),
        })),
      },
      memory: base.memory && {
        ...base.memory,
        devices: base.memory.devices.map((device) => ({
          ...device,
          host,
          alive: HOSTILE_NAMES.map((op) => ({ op, size_bytes: 1e9, count: 2 })),
        })),
      },
      training: base.training.map((record) => ({ ...record, host })),
      anomalies: HOSTILE_NAMES.map((name) => ({ name, count: 3, severity: 'info', sentence: `${name} was clipped.` })),
    },
    [...kernelTable(kernels(HOSTILE_NAMES.length)), ...opTable(ops(HOSTILE_NAMES.length))],
  );
}

/** So much of the work that it takes `ns` at the same rate. */
function shorter<T extends Op | Kernel>(base: T, ns: number): T {
  const share = (value: number | null): number | null => value && Math.round((value * ns) / base.ns);
  const { flops, bytes, floor_ns, peak_ns, judged_ns } = base;
  return {
    ...base,
    ns,
    flops: share(flops),
    bytes: share(bytes),
    floor_ns: share(floor_ns),
    peak_ns: share(peak_ns),
    judged_ns: share(judged_ns),
  };
}

function ops(count: number): Op[] {
  const [base] = OPS;
  return Array.from({ length: count }, (_, i) => ({
    ...shorter(base!, 1e6 + 1e4 * (count - i)),
    name: named(i),
    type: named(i + 3),
  }));
}

function kernels(count: number): Kernel[] {
  const [base] = KERNELS;
  return Array.from({ length: count }, (_, i) => ({
    ...shorter(base!, 1e6 + 1e4 * (count - i)),
    name: named(i),
    op: named(i + 1),
  }));
}

/** 64 hosts of 8 GPUs, 200 steps, 500 findings, 200 ops and as many kernels. */
export function huge(): Report {
  const base = manyHosts(64);
  const [step] = staggered().steps.items;
  const items: StepItem[] = Array.from({ length: 200 }, (_, i) => ({
    ...step!,
    number: i,
    begin_ms: 24 * i,
    end_ms: 24 * i + (i % 40 === 17 ? 61 : 24),
    judged: i > 0,
  }));
  return worded({
    ...base,
    run: 'pod/all-at-once',
    steps: { ...base.steps, count: 199, items, items_total: 2000, items_cap: 200 },
    findings: Array.from({ length: 500 }, (_, i) =>
      finding({
        id: i === 0 ? 'slow-host' : `finding-${i}`,
        title: `Finding ${i + 1} of many`,
        explains: [],
        severity: i < 20 ? 'critical' : i < 120 ? 'warning' : 'info',
        saving: {
          ns: 4e6 / (i + 1),
          ratio: 0.16 / (i + 1),
          basis: '',
          bound: true,
          once_ns: 0,
          alone_ns: null,
          kernels: [],
          accounts: {},
        },
      }),
    ),
    passed: [...base.passed, ...healthy().passed],
    sections: base.sections.map((one) =>
      one.id === 'kernels' ? { ...one, blocks: [...kernelTable(kernels(200), 9000), ...opTable(ops(200), 3000)] } : one,
    ),
  });
}
