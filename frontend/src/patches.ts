/** Recorded runs, changed to what no run should hold and some do: names that hurt, and far too much of all. */

import type { Cell } from './blocks.js';
import type { Finding, Pace, Report, Table } from './model.js';
import type { Recorded } from './recorded.js';

/** The run with another report. */
export function patched(run: Recorded, change: Partial<Report>): Recorded {
  return { ...run, report: { ...run.report, ...change } };
}

/** The run of a training whose steps take longer than the recorded ones, by its scalars. */
export function withSlowTraining(run: Recorded): Recorded {
  const pace: Pace = {
    counts: 'steps',
    tag: 'batch_loss',
    ns: 153_000_000,
    low_ns: 151_000_000,
    high_ns: 156_000_000,
    number: 29_600,
    steps_per_epoch: null,
    verdict: 'differs',
    sentence:
      'A recorded step takes 22.5 ms, the training 153 ms a step: this recording does not show what costs time.',
    more: 'Epoch 1 of 50 was recorded.',
  };
  const whole = { sentence: `${pace.sentence} ${pace.more}`, running_ratio: null, lost_ratio: 0.853 };
  return patched(run, { run: 'slow-training', pace, whole, settled: false });
}

/** The report with each table changed. */
export function withTables(report: Report, change: (table: Table) => Table): Report {
  const sections = report.sections.map((section) => ({
    ...section,
    blocks: section.blocks.map((block) => (block.kind === 'table' ? change(block) : block)),
  }));
  return { ...report, sections };
}

const MARKUP = '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>';

/** Names as profiles hold them where nobody thought of being read. */
const HOSTILE: readonly string[] = [
  // The first ones are for the run and its hosts, whose names are names of files.
  'conv2d\u202egnp.exe\u2066 (1)\u200f', // overrides the direction of what follows
  'מודל/שכבה_3/כפל_מטריצות',
  'نموذج/طبقة/MatMul_7',
  'block_with_a_long_name/'.repeat(87), // 2,001 characters that may break at slashes
  'x'.repeat(2000), // … and that may break nowhere
  MARKUP,
  '🧠🔥 model/𝒍𝒂𝒚𝒆𝒓 👩‍👩‍👧‍👦/MatMul',
  '',
  ' \t\n ',
  '[[report.run]] {{constructor}} ${1} %s %n',
];

/** Long but harmless, and one with markup. */
export const LONG: readonly string[] = [
  'trainer-worker.pool-a.example.internal',
  `while_body/model_with_a_long_name/${'encoder_block_with_attention/'.repeat(6)}MatMul`,
  `void Eigen::internal::EigenMetaKernel<${'Eigen::TensorEvaluator<'.repeat(6)}float, 1>(int)`,
  '<img src=x onerror="document.title=\'broken\'">',
];

/** Keys of the names that a profile may choose. */
const NAMES = new Set(['host', 'hosts', 'name', 'names', 'op', 'type', 'written', 'thread', 'stream', 'run']);
/** Keys of sentences, which quote such names. */
const PROSE = new Set([
  'headline',
  'advice',
  'title',
  'summary',
  'action',
  'cause',
  'reason',
  'how',
  'sentence',
  'answer',
]);
/** Whose names are words of ours. */
const OURS = new Set(['divisions', 'rare', 'collectives', 'rows of a step']);

type Change = (text: string, key: string, owner: string) => string;

/**
 * The value with each text in it changed; `owner` is the key of the object, or of its list, that holds the text. A
 * cell's key is that of its column, and 'name' where the column holds names.
 */
function withTexts<T>(value: T, change: Change): T {
  const walk = (part: unknown, key: string, owner: string): unknown => {
    if (Array.isArray(part)) return part.map((one) => walk(one, key, owner));
    if (typeof part === 'string') return change(part, key, owner);
    if (typeof part !== 'object' || part === null) return part;
    if (isTable(part)) {
      const keys = part.columns.map(({ id, unit }) => (unit === 'name' ? 'name' : id));
      return { ...part, rows: part.rows.map((row) => row.map((cell, i) => walk(cell, keys[i] ?? '', 'rows'))) };
    }
    const inside = 'is_gpu' in part ? 'rows of a step' : key;
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, walk(one, name, inside)]));
  };
  return walk(value, '', '') as T;
}

function isTable(part: object): part is Table {
  return 'kind' in part && part.kind === 'table';
}

/** The run with every name of the profile replaced by one of `names`, the same by the same. */
export function renamed(run: Recorded, names: readonly string[]): Recorded {
  const chosen = new Map<string, string>();
  return withTexts(run, (text, key, owner) => {
    if (!NAMES.has(key) || (key === 'name' && OURS.has(owner))) return text;
    if (!chosen.has(text)) chosen.set(text, names[chosen.size % names.length] ?? '');
    return chosen.get(text) ?? '';
  });
}

/** The run whose sentences each quote one of `names`, and whose links lead to a script. */
function quoting(run: Recorded, names: readonly string[]): Recorded {
  let next = 0;
  return withTexts(run, (text, key) => {
    if (key === 'url') return 'javascript:alert(1)';
    return PROSE.has(key) ? `${text} ${names[next++ % names.length]}` : text;
  });
}

/** The run full of names that hurt. */
export function hostile(run: Recorded): Recorded {
  return quoting(renamed(run, HOSTILE), HOSTILE);
}

/** The run as if it had `count` hosts; those that are added do as the ones that are not slow. */
export function withHosts(run: Recorded, count: number): Recorded {
  const { report } = run;
  const usual = report.hosts.filter((host) => !report.by_host.some((one) => one.slow && one.host === host));
  const names = Array.from({ length: count }, (_, i) => `worker${i}`);
  const like = (i: number): string => report.hosts[i] ?? usual[i % usual.length]!;
  const all = <T extends { host: string }>(rows: readonly T[]): T[] =>
    names.flatMap((host, i) => rows.filter((row) => row.host === like(i)).map((row) => ({ ...row, host })));
  /** The first cell of a row names its host, or a GPU of it. */
  const spread = (table: Table): Table => {
    if (table.id !== 'hosts' && table.id !== 'gpus') return table;
    const rows = table.rows.flatMap(([first = null, ...cells]): Cell[][] => {
      const [host = ''] = String(first).split(' ');
      return names.filter((_, i) => like(i) === host).map((name) => [String(first).replace(host, name), ...cells]);
    });
    return { ...table, rows, total: rows.length };
  };
  const devices = all(report.devices);
  const { gpus, ledger, allreduce } = report;
  return patched(run, {
    run: `pod/${count}-hosts`,
    hosts: names,
    devices,
    by_host: all(report.by_host),
    stragglers: all(report.stragglers).sort((a, b) => b.behind_ns - a.behind_ns),
    gpus: { ...gpus, total: devices.length, kinds: gpus.kinds.map((kind) => ({ ...kind, count: devices.length })) },
    ledger: ledger && { ...ledger, devices: all(ledger.devices), devices_total: devices.length },
    sections: withTables(report, spread).sections,
    allreduce: allreduce && {
      ...allreduce,
      hosts_count: count,
      participants: devices.length,
      devices: all(allreduce.devices),
    },
  });
}

/** `count` rows like these, each with what `change` makes of it. */
function longer<T>(rows: readonly T[], count: number, change: (row: T, i: number) => T = (row) => row): T[] {
  return Array.from({ length: count }, (_, i) => change(rows[i % rows.length]!, i));
}

/** Of huge tables. */
const TOTALS: Readonly<Record<string, number>> = { kernels: 9000, ops: 3000 };

/** 500 findings, 200 steps, 200 ops and 200 kernels. */
export function huge(run: Recorded): Recorded {
  const { report } = run;
  const { steps } = report;
  const more = longer<Finding>(report.findings.slice(0, 1), 500 - report.findings.length, (finding, i) => ({
    ...finding,
    id: `finding-${i}`,
    title: `Finding ${i + 1} of many more`,
    severity: i < 20 ? 'critical' : i < 120 ? 'warning' : 'info',
    saving: null,
    explains: [],
  }));
  return patched(run, {
    run: 'pod/all-at-once',
    steps: {
      ...steps,
      columns: longer(steps.columns, 200, (column, i) => ({ ...column, id: String(i), number: i })),
      columns_total: 2000,
    },
    findings: [...report.findings, ...more],
    sections: withTables(report, (table) => {
      const total = TOTALS[table.id];
      return total === undefined ? table : { ...table, rows: longer(table.rows, 200), total };
    }).sections,
  });
}
