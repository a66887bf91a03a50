import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recorded, reportOf } from '../src/recorded.js';
import { patched } from '../src/patches.js';
import { NOWHERE } from '../src/address.js';
import '../src/elements/app.js';
import type { FindingTimelineElement } from '../src/panels/finding_timeline/element.js';
import type { TimelinePlotElement } from '../src/panels/finding_timeline/plot.js';
import { FakeBackend, FakeHost, stepTimeline } from '../src/fakes.js';
import { firstStep, stepOf } from '../src/steps.js';
import {
  around,
  arrowsIn,
  inView,
  launchWords,
  marks,
  panned,
  placeOf,
  spanAfter,
  spanAt,
  spanWords,
  zoomed,
} from '../src/panels/finding_timeline/timeline.js';
import { ranges } from '../src/panels/finding_timeline/logic.js';
import type { Place, Report, StepTimeline } from '../src/model.js';
import { settled } from './settled.js';
import { finding } from './some.js';

// A page that stays would go on after its test, and fire into the next one.
afterEach(() => document.body.replaceChildren());

const row = (change: object = {}): StepTimeline['rows'][number] => ({
  host: 'a',
  name: 'GPU:0',
  is_gpu: true,
  origin_ms: 100,
  length_ns: 1000,
  sums_ns: {},
  pieces_count: 3,
  begin_ns: [0, 100, 600],
  end_ns: [100, 500, 1000],
  code: [0, 1, 0],
  pieces: [1, 1, 7],
  kernels: false,
  behind_ns: null,
  thread: [],
  launched_ns: [],
  ...change,
});
const data = (...rows: StepTimeline['rows']): StepTimeline => ({
  step: '3',
  length_ns: 1000,
  begin_ns: 0,
  end_ns: 1000,
  merged_below_ns: 0,
  hosts: [...new Set(rows.map(({ host }) => host))],
  hosts_cap: 8,
  left_out: [],
  codes: ['compute', 'idle.input', 'host.launch'],
  names: [],
  claims: [],
  arrows: [],
  others: null,
  waits: [],
  rows,
});
const place = (change: Partial<Place> = {}): Place => ({ ...finding().where[0]!, host: 'a', device: null, ...change });

describe('launches of kernels', () => {
  const kernels = row({
    kernels: true,
    code: [0, 1, 0],
    pieces: [1, 1, 1],
    thread: [2, -1, 2],
    launched_ns: [40, -1, 610],
    begin_ns: [50, 100, 600],
  });
  const whole = (...rows: StepTimeline['rows']) => ({
    ...data(...rows),
    names: ['gemm', 'add', '<b>thread</b> 7'],
    arrows: [{ from_row: 0, at_ns: 1, to_row: 1, kernel_ns: 2 }],
  });
  const host = row({ is_gpu: false, name: 'launches' });
  const all = { begin: 0, end: 1000 };

  it('have arrows from the launches of their host, if the kernel is long enough or chosen', () => {
    const drawn = whole(host, row(), kernels);
    const long = { from_row: 0, at_ns: 610, to_row: 2, kernel_ns: 600 };
    const short = { from_row: 0, at_ns: 40, to_row: 2, kernel_ns: 50 };
    expect(arrowsIn(drawn, all, 100, null)).toEqual([...drawn.arrows, long]);
    expect(arrowsIn(drawn, all, 100, { row: 2, begin: 50, end: 100 })).toEqual([...drawn.arrows, short, long]);
    expect(arrowsIn(drawn, all, 100, { row: 1, begin: 50, end: 100 })).toEqual([...drawn.arrows, long]);
    expect(arrowsIn(drawn, { begin: 0, end: 300 }, 10, null)).toEqual([...drawn.arrows, short]);
    expect(arrowsIn(whole({ ...host, host: 'b' }, kernels), all, 10, null)).toHaveLength(1);
  });

  it('are told with the thread and how long before', () => {
    const drawn = whole(host, row(), kernels);
    const said = (begin: number, at = 2): string =>
      launchWords(drawn, { row: at, begin, end: begin + 1 }).replaceAll('\u00a0', ' ');
    expect(said(50)).toBe('<b>thread</b> 7, 10 ns before it began');
    // Clocks differ: the kernel seems to have begun before.
    expect(said(600)).toBe('<b>thread</b> 7');
    expect(said(100)).toBe('');
    expect(said(50, 1)).toBe('');
  });
});

describe('a view', () => {
  it('is zoomed around a point that stays, and never leaves the step', () => {
    expect(zoomed({ begin: 0, end: 100_000 }, 2, 50_000, 100_000)).toEqual({ begin: 25_000, end: 75_000 });
    expect(zoomed({ begin: 0, end: 100_000 }, 4, 0, 100_000)).toEqual({ begin: 0, end: 25_000 });
    expect(zoomed({ begin: 50_000, end: 100_000 }, 0.1, 60_000, 100_000)).toEqual({ begin: 0, end: 100_000 });
    const least = zoomed({ begin: 0, end: 100_000 }, 1e9, 5_000, 100_000);
    expect(least.end - least.begin).toBe(200);
  });

  it('is moved no further than the step goes', () => {
    expect(panned({ begin: 10, end: 20 }, -50, 100)).toEqual({ begin: 0, end: 10 });
    expect(panned({ begin: 10, end: 20 }, 500, 100)).toEqual({ begin: 90, end: 100 });
  });

  it('leaves room around a place', () => {
    expect(around({ begin: 4_000, end: 8_000 }, 100_000)).toEqual({ begin: 3_000, end: 9_000 });
  });
});

describe('spans', () => {
  it('are found by time; where nothing was recorded there is none', () => {
    expect([-5, 0, 99, 100, 499, 500, 599, 600, 999, 1000].map((at) => spanAt(row(), at))).toEqual([
      -1, 0, 0, 1, 1, -1, -1, 2, 2, -1,
    ]);
    expect([0, 100, 500, 1000].map((at) => spanAfter(row(), at))).toEqual([0, 1, 2, 3]);
  });

  it('say what they are, and of how many pieces they were made', () => {
    const all = data(row(), row({ name: 'launches', is_gpu: false, code: [2, 2, 2] }));
    expect(spanWords(all, { row: 0, span: 1 }).replaceAll('\u00a0', ' ')).toBe(
      'GPU 0: Input wait, 400 ns, 100 ns into the step',
    );
    expect(spanWords(all, { row: 0, span: 2 })).toContain('7 short pieces, mostly Compute');
    expect(spanWords(all, { row: 1, span: 0 })).toContain('Host: launches: launches kernels');
  });

  it('in view are listed by row and time, the longest up to a cap, and counted', () => {
    const all = data(row(), row({ name: 'GPU:1' }));
    expect(inView(all, { begin: 100, end: 600 }, 9)).toMatchObject({
      total: 2,
      lines: [{ row: 'GPU 0', begin: 100, length: 400 }, { row: 'GPU 1' }],
    });
    expect(inView(all, { begin: 0, end: 1000 }, 4).lines.map(({ length }) => length)).toEqual([400, 400, 400, 400]);
    expect(inView(all, { begin: 0, end: 1000 }, 4).total).toBe(6);
  });

  it('lead to their place on the timeline of the host', () => {
    expect(placeOf(data(row()), { row: 0, begin: 100, end: 500 }, 'x')).toMatchObject({
      host: 'a',
      begin_ms: 100.0001,
      end_ms: 100.0005,
      device: 'GPU:0',
      step: 3,
    });
  });
});

describe('marks', () => {
  const all = data(row(), row({ name: 'GPU:1' }), row({ host: 'b' }), row({ name: 'step', is_gpu: false }));

  it('lie on the rows that a place is about', () => {
    expect(
      marks(all, [place({ device: 'GPU:1', begin_ms: 100.0002, end_ms: 100.0004 })]).map(({ row: at }) => at),
    ).toEqual([1]);
    expect(marks(all, [place({ begin_ms: 100.0002, end_ms: 100.0004 })]).map(({ row: at }) => at)).toEqual([0, 1, 3]);
  });

  it('are cut at the step, and places of other steps leave none', () => {
    expect(marks(all, [place({ device: 'GPU:0', begin_ms: 99, end_ms: 101 })])).toEqual([
      { row: 0, begin: 0, end: 1000 },
    ]);
    expect(marks(all, [place({ begin_ms: 90, end_ms: 99 }), place({ begin_ms: 101, end_ms: 102 })])).toEqual([]);
  });
});

describe('the step of a place', () => {
  const report = reportOf('staggered');
  const [column] = report.steps.columns;
  const recurring = {
    ...report,
    steps: {
      ...report.steps,
      columns: [
        { ...column!, id: '0', number: 0, begin_ms: 0 },
        { ...column!, id: '0~2', number: 0, begin_ms: 500 },
      ],
    },
  };

  it('is told by its number, as the first host counts', () => {
    expect(stepOf(place({ step: 6 }), report)).toBe('6');
    const by_host = [{ ...reportOf('many-hosts').by_host[0]!, host: 'a', step_shift: 2 }];
    const late = { ...report, by_host };
    expect(stepOf(place({ step: 4 }), late)).toBe('6');
    expect(stepOf(place({ step: null }), report)).toBeNull();
  });

  it('is told by time where a number recurs', () => {
    expect(stepOf(place({ host: 'worker0', step: 0, begin_ms: 510 }), recurring)).toBe('0~2');
    expect(stepOf(place({ host: 'worker0', step: 0, begin_ms: 10 }), recurring)).toBe('0');
  });

  it('is shown first, unless the address names another that is there', () => {
    expect(firstStep(null, [place({ step: 6 })], report)).toBe('6');
    expect(firstStep('2', [place({ step: 6 })], report)).toBe('2');
    const { columns, p50_ns } = report.steps;
    const off = (step: number): number => Math.abs(step - p50_ns);
    const usual = columns.filter(({ judged }) => judged).sort((a, b) => off(a.step_ns) - off(b.step_ns))[0];
    expect(firstStep('77', [], report)).toBe(usual?.id);
    expect(firstStep(null, [], { ...report, steps: { ...report.steps, columns: [] } })).toBeNull();
  });
});

function all<T extends HTMLElement>(root: ParentNode, selector: string): T[] {
  const found = [...root.querySelectorAll<T>(selector)];
  for (const element of root.querySelectorAll('*'))
    if (element.shadowRoot) found.push(...all<T>(element.shadowRoot, selector));
  return found;
}

beforeEach(() => document.body.replaceChildren());

/** The step that is recorded, and how long it is. */
const { step: STEP, length_ns: LENGTH } = recorded('staggered').timeline!;

async function open(state = {}, shown = recorded('staggered')) {
  const { run } = shown.report;
  const [backend, host] = [new FakeBackend([run], [shown]), new FakeHost({ ...NOWHERE, run, ...state })];
  const app = document.createElement('tfperf-app');
  document.body.append(app);
  void app.start(backend, host);
  await settled();
  const one = <T extends HTMLElement>(selector: string): T => all<T>(app.shadowRoot, selector)[0] as T;
  const timeline = one<FindingTimelineElement>('tfperf-finding-timeline');
  timeline.near = true;
  await settled();
  const steps = (): Element[] => all(app.shadowRoot, 'tfperf-step-strip [role=option]');
  const plot = one<TimelinePlotElement>('tfperf-timeline-plot');
  return { app, backend, host, one, timeline, steps, plot };
}

const key = (target: Element | undefined | null, name: string): boolean | undefined =>
  target?.dispatchEvent(new KeyboardEvent('keydown', { key: name, cancelable: true, bubbles: true, composed: true }));
const selected = (steps: Element[]): string[] =>
  steps.filter((o) => o.getAttribute('aria-selected') === 'true').map((o) => o.id);
const rest = (plot: TimelinePlotElement): boolean =>
  plot.dispatchEvent(new CustomEvent('view-rest', { bubbles: true, composed: true }));
const text = (element: Node | null): string => element?.textContent?.replace(/\s+/g, ' ').trim() ?? '';

describe('finding and timeline', () => {
  it('asks for nothing before it is near, then for the step of the first finding', async () => {
    const host = new FakeHost({ ...NOWHERE, run: reportOf('staggered').run });
    const backend = new FakeBackend();
    const app = document.createElement('tfperf-app');
    document.body.append(app);
    void app.start(backend, host);
    await settled();
    expect(backend.timelines).toEqual([]);
    const shown = await open();
    expect(shown.backend.timelines).toMatchObject([
      { run: reportOf('staggered').run, step: STEP, host: null, begin_ns: 0, end_ns: null, kernels: false },
    ]);
    expect(shown.backend.timelines[0]?.keep).toEqual({ host: 'worker0', device: 'GPU:3' });
  });

  it('says of each step what it is', async () => {
    const { steps: found } = reportOf('staggered');
    const columns = found.columns.map((column, i) => {
      if (i === 0) return { ...column, judged: false, note: 'left out: it traces or compiles' };
      return i === 5 ? { ...column, outlier: true, step_ns: 65_700_000 } : column;
    });
    const { steps } = await open({}, patched(recorded('staggered'), { steps: { ...found, columns } }));
    const words = steps().map((option) => option.getAttribute('aria-label')?.replaceAll('\u00a0', ' '));
    expect(words[0]).toContain('left out: it traces or compiles');
    expect(words[5]).toContain('Step 7: 65.7 ms · outlier: much longer than the others');
    expect(text(steps()[5] ?? null)).toBe('◆7');
    expect(text(steps()[4] ?? null)).toBe('6');
  });

  it('chooses a step by click and keys, keeps it in the address, and comes back from there', async () => {
    const { steps, host, backend } = await open();
    expect(selected(steps())).toEqual(['step-0']);
    (steps()[7] as HTMLElement).click();
    await settled();
    expect(host.state.step).toBe('9');
    expect(selected(steps())).toEqual(['step-7']);
    expect(backend.timelines.at(-1)?.step).toBe('9');
    key(document.body, '[');
    await settled();
    expect(host.state.step).toBe('8');
    expect((await open({ step: '3' })).backend.timelines.map(({ step }) => step)).toEqual(['3']);
  });

  it('draws what the finding under the hand claims, and else what the selected one does', async () => {
    const { app, timeline, plot } = await open();
    const [first, second] = timeline.report.findings;
    const claims = timeline.whole?.claims.filter(({ finding }) => finding === first?.id) ?? [];
    expect(claims.length).toBeGreaterThan(1);
    expect(plot.marks).toEqual(claims.map(({ row, begin_ns, end_ns }) => ({ row, begin: begin_ns, end: end_ns })));
    app.controller.hover(second?.id ?? null);
    await settled();
    expect(second).toBeDefined();
    expect(plot.marks).toHaveLength(ranges(timeline.whole as StepTimeline, second).length);
    app.controller.hover(null);
    await settled();
    expect(plot.marks).toHaveLength(claims.length);
  });

  it('locks a finding with its place, and Back restores step, zoom and focus', async () => {
    const { app, host, plot, timeline, steps } = await open({ step: '4' });
    plot.move({ begin: 1_000_000, end: 9_000_000 });
    rest(plot);
    await settled();
    expect(host.state.zoom).toBe('1000000-9000000');
    const strip = steps()[2] as HTMLElement;
    strip.focus();
    timeline.dispatchEvent(
      new CustomEvent('finding-select', {
        bubbles: true,
        composed: true,
        detail: { id: reportOf('staggered').findings[0]?.id },
      }),
    );
    await settled();
    expect(host.state).toMatchObject({ finding: reportOf('staggered').findings[0]?.id, step: STEP, zoom: null });
    expect(timeline.whole?.step).toBe(STEP);
    expect(plot.view.begin).toBe(0);
    expect(plot.view.end).toBeLessThan(LENGTH);
    (document.activeElement as HTMLElement).blur();
    key(document.body, 'Escape');
    await settled();
    expect(host.state).toMatchObject({ finding: null, step: '4', zoom: '1000000-9000000' });
    expect(timeline.whole?.step).toBe('4');
    expect(plot.view).toEqual({ begin: 1_000_000, end: 9_000_000 });
    expect(timeline.shadowRoot.querySelector('tfperf-step-strip')?.shadowRoot?.activeElement?.id).toBe('step-2');
    expect(app.state.view).toBe('report');
  });

  it('says of a span whose it is and what the host did, and lets go of it', async () => {
    const { app, plot, timeline } = await open();
    const owners: (string | null)[] = [];
    app.addEventListener('owner', (event) => owners.push((event as CustomEvent<{ id: string | null }>).detail.id));
    const canvas = plot.shadowRoot.querySelector('canvas');
    canvas?.dispatchEvent(new Event('focus'));
    key(canvas, 'ArrowDown');
    key(canvas, 'Enter');
    await settled();
    const said = text(timeline.shadowRoot.querySelector('.selected'));
    // The second row begins with what is claimed by another finding.
    const owner = plot.spans?.claims.find(({ row, begin_ns }) => row === 1 && begin_ns === 0)?.finding;
    const { findings } = reportOf('staggered');
    const rank = 1 + findings.findIndex(({ id }) => id === owner);
    expect(said).toContain('GPU 1 · 0');
    expect(said).toContain(`claimed by ${rank} ${findings[rank - 1]?.title}`);
    expect(said).toContain('Host launches kernels');
    key(canvas, 'Escape');
    await settled();
    expect(text(timeline.shadowRoot.querySelector('.selected'))).toContain('Click a span');
    expect(owners).toEqual([owner, null]);
  });

  it('zooms by keys and buttons, and says what is in view', async () => {
    const { timeline, plot, one } = await open();
    key(plot.shadowRoot.querySelector('canvas'), '+');
    expect(plot.view.end - plot.view.begin).toBeCloseTo(LENGTH / 1.6);
    one('[aria-label="Zoom out"]').click();
    expect(plot.view).toEqual({ begin: 0, end: LENGTH });
    key(document.body, '+');
    rest(plot);
    await settled();
    const edge = (share: number): string => ((share * LENGTH) / 1e6).toFixed(1);
    const middle = `${edge(0.5 - 0.5 / 1.6)}–${edge(0.5 + 0.5 / 1.6)}`;
    expect(timeline.seen.replaceAll('\u00a0', ' ')).toBe(`${middle} ms of ${edge(1)} ms.`);
    key(document.body, '0');
    expect(plot.view).toEqual({ begin: 0, end: LENGTH });
  });

  it('goes through the places of the finding', async () => {
    const { host, timeline } = await open();
    const pressed = (): string[] =>
      [...timeline.shadowRoot.querySelectorAll('.places [aria-pressed=true]')].map((button) => text(button));
    expect(pressed()).toEqual(['Step 2 · GPU 3']);
    key(document.body, 'n');
    await settled();
    expect(pressed()).toEqual(['Step 5 · GPU 3']);
    expect(host.state.step).toBe('5');
  });

  it('asks for finer spans of what is in view where neighbours were merged', async () => {
    const { backend, timeline, plot } = await open();
    const asked: object[] = [];
    const run = recorded('staggered');
    backend.timeline = async (ask) => {
      asked.push(ask);
      const full = stepTimeline(run, ask);
      return { ...full, merged_below_ns: ask.end_ns === null ? 900_000 : 0 };
    };
    timeline.kernels = true;
    await settled();
    plot.move({ begin: 4_000_000, end: 6_000_000 });
    rest(plot);
    await settled();
    expect(asked).toMatchObject([
      { end_ns: null, kernels: true },
      { begin_ns: 2_000_000, end_ns: 8_000_000 },
    ]);
    expect(plot.spans).toBe(plot.fine);
    plot.move({ begin: 0, end: LENGTH });
    expect(plot.spans).toBe(timeline.whole);
  });

  it('offers hosts one by one where there are several', async () => {
    const { hosts } = reportOf('many-hosts');
    const { timeline, backend } = await open({}, recorded('many-hosts'));
    const select = timeline.shadowRoot.querySelector('select') as HTMLSelectElement;
    expect(select.options).toHaveLength(hosts.length + 1);
    select.value = hosts[2] ?? '';
    select.dispatchEvent(new Event('change'));
    await settled();
    expect(backend.timelines.at(-1)?.host).toBe(hosts[2]);
    expect(new Set(timeline.whole?.rows.map(({ host }) => host))).toEqual(new Set([hosts[2]]));
  });

  it('says in a sentence why there is no timeline', async () => {
    const { backend, timeline, steps } = await open();
    backend.timeline = () => Promise.reject(new Error('There is no step 7.'));
    (steps()[5] as HTMLElement).click();
    await settled();
    expect(timeline.problem).toBe('There is no step 7.');
  });

  it('says what is not kept of a large run', async () => {
    const { app, timeline } = await open();
    const sentence = 'Timelines are kept of 1 of 2 hosts only.';
    const report: Report = { ...timeline.report, omitted: [{ what: 'timeline', hosts: ['b'], sentence }] };
    app.controller.state = { ...app.state, report };
    app.controller.hover(null);
    await settled();
    expect(text(timeline.shadowRoot)).toContain(sentence);
  });
});
