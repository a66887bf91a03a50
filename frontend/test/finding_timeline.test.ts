import { describe, expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';
import type { Finding, HostTimes, Place, Report, StepTimeline, Straggler, TimelineRow, Wait } from '../src/model.js';
import { nameOf } from '../src/panels/finding_timeline/below.js';
import {
  doing,
  furthestApart,
  hostDots,
  kernelWords,
  meanwhile,
  othersWords,
  ownerOf,
  ownerWords,
  parseZoom,
  rangeWords,
  ranges,
  tagOf,
  waitIn,
  waitWords,
  zoomText,
} from '../src/panels/finding_timeline/logic.js';
import { arrowOf } from '../src/panels/finding_timeline/timeline.js';
import '../src/panels/finding_timeline/element.js';
import '../src/panels/finding_timeline/strip.js';
import { settled } from './settled.js';
import { finding, plain } from './some.js';

const row = (change: Partial<TimelineRow> = {}): TimelineRow => ({
  host: 'a',
  name: 'GPU:0',
  is_gpu: true,
  origin_ms: 100,
  length_ns: 1000,
  sums_ns: {},
  pieces_count: 1,
  begin_ns: [0],
  end_ns: [1000],
  code: [0],
  pieces: [1],
  kernels: false,
  behind_ns: null,
  thread: [],
  launched_ns: [],
  ...change,
});
const claims: StepTimeline['claims'] = [
  { finding: 'x', row: 0, begin_ns: 0, end_ns: 400 },
  { finding: 'y', row: 0, begin_ns: 400, end_ns: 600 },
  { finding: 'x', row: 0, begin_ns: 900, end_ns: 1000 },
];
const data = { claims, rows: [row(), row({ kernels: true }), row({ name: 'GPU:1' })] } as unknown as StepTimeline;
const late = (device: string, behind_ns: number, last_ratio: number): Straggler => ({
  host: 'a',
  device,
  behind_ns,
  last_ratio,
  caused_wait_ns: null,
  cause: 'Its host launches late.',
});
describe('who owns a stretch', () => {
  it('is who claims at least half of it', () => {
    expect(ownerOf(data, { row: 0, begin: 100, end: 300 })).toBe('x');
    expect(ownerOf(data, { row: 0, begin: 300, end: 600 })).toBe('y');
    expect(ownerOf(data, { row: 0, begin: 500, end: 701 })).toBeNull();
    expect(ownerOf(data, { row: 2, begin: 100, end: 300 })).toBeNull();
  });

  it('is the same for a kernel below its GPU', () => {
    expect(ownerOf(data, { row: 1, begin: 100, end: 300 })).toBe('x');
  });

  it('is named with its rank, or nobody is', () => {
    const findings = [{ ...finding(), id: 'y', title: 'Yes' }] as Finding[];
    expect(ownerWords('y', findings)).toBe('claimed by 1 Yes');
    expect(ownerWords(null, findings)).toBe('no finding claims it');
    expect(ownerWords('folded', findings)).toBe('no finding claims it');
  });

  it('is not denied where a finding claims a part of the account without saying which', () => {
    const saving = { ...finding().saving!, accounts: { compute: 2_000_000 } };
    const findings = [{ ...finding(), saving }];
    expect(plain(ownerWords(null, findings, 'compute'))).toBe(
      'no finding points here; 1 claims 2.0 ms of Compute per step',
    );
    expect(ownerWords(null, findings, 'idle.input')).toBe('no finding claims it');
  });
});

describe('what is drawn of a finding', () => {
  it('is all that it claims', () => {
    expect(ranges(data, { ...finding(), id: 'x' })).toEqual([
      { row: 0, begin: 0, end: 400 },
      { row: 0, begin: 900, end: 1000 },
    ]);
    expect(ranges(data, undefined)).toEqual([]);
  });

  it('is where it points to if it claims nothing here, once a GPU', () => {
    const place = { ...finding().where[0]!, host: 'a', device: 'GPU:0', begin_ms: 100.0002, end_ms: 100.0005 };
    const found = ranges({ ...data, rows: [row(), row({ kernels: true })] }, { ...finding(), id: 'z', where: [place] });
    expect(found).toEqual([{ row: 0, begin: 200, end: 500 }]);
  });
});

describe('tags of rows', () => {
  const step = (...behind: number[]) => ({
    rows: behind.map((behind_ns, i) => row({ name: `GPU:${i}`, behind_ns })),
    length_ns: 30_000_000,
  });
  const words = (data: ReturnType<typeof step>) => data.rows.map((one) => plain(tagOf(one, data, [])?.words));

  it('name the latest of the step in view, delays and the first, whoever is late in the run', () => {
    const run = [late('GPU:0', 9_000_000, 1), late('GPU:1', 0, 0)];
    const data = step(0, 2_700_000, 8_000_000);
    const tags = data.rows.map((one) => tagOf(one, data, run));
    expect(tags.map((tag) => plain(tag?.words))).toEqual(['first', '+2.7 ms', 'late +8.0 ms']);
    expect(tags.map((tag) => tag?.late)).toEqual([false, false, true]);
    expect(plain(tags[0]?.meaning)).toBe(
      'Behind the first GPU, in this step. Of all steps, 9.0 ms in the median. Its host launches late.',
    );
    expect(words(step(4_000_000, 0))).toEqual(['late +4.0 ms', 'first']);
  });

  it('call nobody late by less than 1 %', () => {
    expect(words(step(0, 290_000))).toEqual(['', '']);
    expect(words({ ...step(0), rows: [row()] })).toEqual(['']);
  });
});

describe('a range', () => {
  it('is said on average over its GPUs, with their kernels and the host', () => {
    const kernels = (name: string) =>
      row({ name, kernels: true, code: [0, 1], begin_ns: [0, 500], end_ns: [500, 900] });
    const rows = [
      row({ sums_ns: { compute: 900, 'idle.launch': 100 } }),
      kernels('GPU:0'),
      row({ name: 'GPU:1', sums_ns: { compute: 500 } }),
      kernels('GPU:1'),
      row({ name: 'step', is_gpu: false, sums_ns: { 'host.sync': 300 } }),
    ];
    const words = rangeWords({ ...data, rows, names: ['scatter', 'Adam'], begin_ns: 100, end_ns: 800 });
    expect(Object.values(words).map(plain)).toEqual([
      'Compute 700 ns · Launch wait 50 ns',
      'scatter 400 ns · Adam 300 ns',
      'waits for a GPU 300 ns',
    ]);
  });
});

describe('a wait', () => {
  const wait: Wait = {
    ...{ row: 1, begin_ns: 100, end_ns: 900, call: 'AllReduce', host: 'a', device: 'GPU:0', arrives_ns: 905 },
  };
  const whole = { ...data, waits: [wait, { ...wait, begin_ns: 900, end_ns: 1000, device: 'GPU:3' }] };

  it('is the one that takes most of what is chosen', () => {
    expect(waitIn(whole, { row: 1, begin: 200, end: 950 })?.device).toBe('GPU:0');
    expect(waitIn(whole, { row: 1, begin: 890, end: 1000 })?.device).toBe('GPU:3');
    expect(waitIn(whole, { row: 0, begin: 200, end: 950 })).toBeNull();
    expect(waitIn(whole, { row: 1, begin: 10, end: 50 })).toBeNull();
  });

  it('says for whom it is, and what that one is in', () => {
    const kernels = row({ kernels: true, code: [0, 1, 0], begin_ns: [0, 500, 600], end_ns: [500, 600, 900] });
    const rows = [row({ sums_ns: { compute: 900, 'idle.launch': 100 } }), kernels];
    const meanwhile = { ...data, rows, names: ['input_scatter_fusion', 'Adam'], begin_ns: 0, end_ns: 1000 };
    expect(plain(waitWords(wait, false, doing(meanwhile, wait)))).toBe(
      '800 ns in AllReduce for GPU 0, which is in input_scatter_fusion',
    );
    expect(doing({ ...meanwhile, rows: [row({ sums_ns: { 'idle.input': 9 } })] }, wait)).toBe('has Input wait');
    expect(plain(waitWords(wait, true, ''))).toBe('800 ns in AllReduce for a GPU 0');
    expect(plain(kernelWords(meanwhile, row()))).toBe('input_scatter_fusion 800 ns · Adam 100 ns');
    // Of a kernel counts what lies in the window.
    expect(plain(kernelWords({ ...meanwhile, end_ns: 700 }, row()))).toBe('input_scatter_fusion 600 ns · Adam 100 ns');
  });

  it('has an arrow to the GPU that it is for, if that has a row', () => {
    expect(arrowOf(whole, wait)).toEqual({ from_row: 1, at_ns: 900, to_row: 0, kernel_ns: 905 });
    expect(arrowOf(whole, { ...wait, device: 'GPU:9' })).toBeNull();
  });
});

describe('places of a finding', () => {
  const place: Place = { ...finding().where[0]!, step: 0, device: 'GPU:1', begin_ms: 10, end_ms: 12 };

  it('have names that differ', () => {
    const all = [place, { ...place, begin_ms: 20, end_ms: 21 }, { ...place, step: 1 }];
    expect(all.map((one, i) => plain(nameOf(one, i, all, false)))).toEqual([
      'Step 0 · GPU 1 · 10.0–12.0 ms',
      'Step 0 · GPU 1 · 20.0–21.0 ms',
      'Step 1 · GPU 1',
    ]);
  });
});

describe('sentences', () => {
  it('say how late the other GPUs are', () => {
    const others = (count: number, low_ns: number, high_ns: number): string | undefined =>
      plain(othersWords({ ...data, others: { count, low_ns, high_ns } }));
    expect(others(3, 100_000, 1_200_000)).toBe('3 more GPUs, 0.10–1.2 ms behind');
    expect(others(1, 100_000, 100_000)).toBe('1 more GPU, 0.10 ms behind');
    expect(othersWords({ ...data, others: null })).toBe('');
  });

  it('say what the host did, longest first', () => {
    const step = row({ is_gpu: false, sums_ns: { 'host.step': 3_000_000, 'host.sync': 1_000_000 } });
    const launches = row({ is_gpu: false, sums_ns: { 'host.launch': 2_000_000, 'host.sync': 1_000_000 } });
    expect(plain(meanwhile([step, launches, row({ sums_ns: { compute: 5 } })]))).toBe(
      'launches kernels 2.0 ms · waits for a GPU 1.0 ms',
    );
    expect(meanwhile([row()])).toBe('');
  });
});

describe('a zoom in the address', () => {
  it('comes back as it went', () => {
    expect(parseZoom(zoomText({ begin: 12.4, end: 3400 }))).toEqual({ begin: 12, end: 3400 });
  });

  it('is nothing if it makes no sense', () => {
    for (const text of [null, '', '5-5', '9-3', '1-x', '-1-5']) expect(parseZoom(text)).toBeNull();
  });
});

describe('the timeline', () => {
  const shown = async (report: Report): Promise<HTMLElement> => {
    const element = Object.assign(document.createElement('tfperf-finding-timeline'), { report });
    document.body.replaceChildren(element);
    await settled();
    return element;
  };
  const strip = (element: HTMLElement): Element | null | undefined =>
    element.shadowRoot?.querySelector('tfperf-step-strip');

  it('has a strip of steps if there are several', async () => {
    const report = reportOf('staggered');
    expect(strip(await shown(report))).not.toBeNull();
    const columns = report.steps.columns.slice(0, 1);
    expect(strip(await shown({ ...report, steps: { ...report.steps, columns } }))).toBeNull();
  });

  it('keeps less room for what is selected where no GPU was recorded', async () => {
    expect((await shown(reportOf('staggered'))).hasAttribute('hosts-only')).toBe(false);
    expect((await shown(reportOf('host-only'))).hasAttribute('hosts-only')).toBe(true);
  });
});

describe('the strip of steps', () => {
  const noteOf = async (change: object): Promise<string> => {
    const { steps } = reportOf('healthy');
    const columns = steps.columns.map((column) => ({ ...column, ...change }));
    const strip = Object.assign(document.createElement('tfperf-step-strip'), { steps: { ...steps, columns } });
    document.body.append(strip);
    await settled();
    return strip.shadowRoot?.querySelector('p')?.textContent ?? '';
  };

  it('says what its colour means where no GPU was recorded', async () => {
    expect(await noteOf({ accounts: {} })).toBe(
      'Height: step time. Gray: no GPU was recorded, so a step has no accounts.',
    );
    expect(await noteOf({})).toBe('');
  });
});

describe('a finding', () => {
  it('says how it is known in view, with a heading that holds no button', async () => {
    const report = reportOf('staggered');
    const one = finding({ cause: 'Because.', summary: 'It alone runs 1 op.' });
    const element = Object.assign(document.createElement('tfperf-chosen-finding'), { report, finding: one });
    document.body.append(element);
    await settled();
    const known = element.shadowRoot?.querySelector('.known');
    expect(known?.closest('details')).toBeNull();
    expect(known?.hasAttribute('hidden')).toBe(false);
    expect(plain(known?.textContent)).toBe('It alone runs 1 op.');
    expect(element.shadowRoot?.querySelector('tfperf-fix')?.shadowRoot?.querySelector('h4 *')).toBeNull();
  });
});

describe('a step that is far longer', () => {
  it('does not flatten the others: its column is cut', async () => {
    const { steps } = reportOf('healthy');
    const columns = steps.columns.map((column, i) =>
      i === 0 ? { ...column, step_ns: 2.67e9, judged: false } : column,
    );
    const strip = Object.assign(document.createElement('tfperf-step-strip'), { steps: { ...steps, columns } });
    document.body.append(strip);
    await settled();
    const bars = [...(strip.shadowRoot?.querySelectorAll('i') ?? [])];
    expect(bars.map((bar) => bar.classList.contains('cut'))).toEqual(columns.map((_, i) => i === 0));
    const usual = bars.filter((_, i) => i > 0 && columns[i]?.judged);
    for (const bar of usual) expect(parseFloat(bar.style.height)).toBeGreaterThan(12);
  });
});

describe('starts of GPUs', () => {
  it('are those of the step in which they lie furthest apart', () => {
    const items = reportOf('staggered').stagger?.items ?? [];
    const ofLast = items
      .filter(({ device }) => device === 'GPU:3')
      .sort((a, b) => b.first_kernel_ns - a.first_kernel_ns);
    const [worst, other] = [ofLast[0]!.step, ofLast[1]!.step];
    expect(furthestApart(items).map(({ step }) => step)).toEqual(Array(4).fill(worst));
    const later = items.map((item) =>
      item.step === other && item.device === 'GPU:3' ? { ...item, first_kernel_ns: 90e6 } : item,
    );
    expect(furthestApart(later).map(({ step }) => step)).toEqual(Array(4).fill(other));
    expect(furthestApart([])).toEqual([]);
  });
});

describe('dots of hosts', () => {
  /** The slow one is worker5. */
  const like = reportOf('many-hosts').by_host[0]!;
  const some = (count: number): HostTimes[] =>
    Array.from({ length: count }, (_, i) => {
      const own_ns = i === 5 ? 24.2e6 : 20e6 + 5e4 * (i % 4);
      return { ...like, host: `worker${i}`, own_ns, slow: i === 5 };
    });
  const hosts = some(64);

  it('are one a host, in the order of their own time, the slow one at the right', () => {
    const { dots, height } = hostDots(hosts);
    expect(new Set(dots.map(({ host }) => host)).size).toBe(64);
    const own = dots.map(({ own_ns }) => own_ns);
    expect(own).toEqual([...own].sort((a, b) => a - b));
    expect(dots.at(-1)).toMatchObject({ slow: true, level: 0 });
    expect(plain(dots.at(-1)?.words)).toBe('worker5: 24.2 ms, slow');
    expect(dots.at(-1)?.share).toBeGreaterThan(0.9);
    expect(height).toBe(47);
    for (const { share } of dots) expect(share >= 0 && share <= 1).toBe(true);
  });

  it('never lie on one another', () => {
    for (const many of [hosts, some(256), hosts.map((host) => ({ ...host, own_ns: 7 }))]) {
      const { dots, pitch } = hostDots(many);
      const places = dots.map(({ left, level }) => {
        const [, share, px] = /calc\((.*)% \+ (.*)px\)/.exec(left) ?? [];
        return { x: (Number(share) / 100) * 560 + Number(px), y: level };
      });
      for (const { x } of places) expect(x >= -0.1 && x <= 560 - pitch + 0.1).toBe(true);
      for (const [i, a] of places.entries())
        for (const b of places.slice(i + 1)) expect(a.y !== b.y || Math.abs(a.x - b.x) >= pitch - 0.1).toBe(true);
    }
  });

  it('have an axis in round numbers, and do not make much of a small spread', () => {
    const { ticks } = hostDots(hosts);
    expect(ticks.map(({ words }) => words)).toEqual(['20 ms', '21', '22', '23', '24']);
    const [low, high] = hostDots(hosts.slice(0, 2).map((host, i) => ({ ...host, own_ns: 1e7 + i * 1e3 }))).dots;
    expect((high?.share ?? 1) - (low?.share ?? 0)).toBeLessThan(0.1);
    expect(hostDots([]).dots).toEqual([]);
  });
});
