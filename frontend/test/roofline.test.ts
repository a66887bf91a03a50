import { beforeEach, describe, expect, it } from 'vitest';
import { recorded, reportOf } from '../src/recorded.js';
import { hostile, withTables } from '../src/patches.js';
import { rooflineChart } from '../src/panels/kernels/chart.js';
import { logPlace, logTicks } from '../src/charts/scale.js';
import '../src/panels/kernels/roofline_element.js';
import { flopsPerS, intensity } from '../src/format.js';
import type { Report, Table } from '../src/model.js';
import {
  type Op,
  domain,
  dotWords,
  dotsOf as dotsIn,
  hasRoofline,
  limitsSentence,
  neighbor,
  opsOf,
  peaksOf,
  ridge,
  shownSentence,
  whyNone,
} from '../src/panels/kernels/roofline.js';
import { settled } from './settled.js';
import { plain } from './some.js';

beforeEach(() => document.body.replaceChildren());

const value = (element: Element | null | undefined, name: string): number =>
  parseFloat(element?.getAttribute(name) ?? '');

const A100 = reportOf('healthy').roofline!;

/** 100 GFLOP and 1 GB in 2 ms, of which good libraries need 1 ms: 50 TFLOP/s at 100 FLOP/byte. */
const OP: Op = {
  name: 'dense/MatMul',
  type: 'MatMul',
  ns: 2_000_000,
  ratio: 0.25,
  flops: 100_000_000_000,
  bytes: 1_000_000_000,
  flops_per_s: 50e12,
  bound_ratio: 0.4,
  bound_by: 'memory',
  format: 'fp16',
};

/** The recorded table with these rows. */
function opTable(ops: readonly Op[], total = ops.length): Table {
  const table = opsOf(reportOf('healthy'))!;
  const cells = (op: Op) => new Map<string, string | number | null | undefined>(Object.entries(op));
  return { ...table, rows: ops.map((op) => table.columns.map(({ id }) => cells(op).get(id) ?? null)), total };
}

const dotsOf = (ops: Op[]) => dotsIn(opTable(ops));

describe('numbers of an op', () => {
  it('are read as the field writes them', () => {
    expect([48.9e12, 2.5e15, 7e9, 12].map(flopsPerS).map(plain)).toEqual([
      '48.9 TFLOP/s',
      '2,500 TFLOP/s',
      '7.0 GFLOP/s',
      '12.0 FLOP/s',
    ]);
    expect(plain(intensity(153.4))).toBe('153 FLOP/byte');
  });
});

describe('dots', () => {
  it('are ops whose operations and bytes are known, the longest first', () => {
    const long = { ...OP, ns: 4_000_000 };
    const dots = dotsOf([
      OP,
      { ...OP, flops: null },
      { ...OP, bytes: null },
      { ...OP, flops: 0 },
      { ...OP, flops_per_s: null, bound_ratio: null },
      long,
    ]);
    expect(dots.map(({ op }) => op.ns)).toEqual([long.ns, OP.ns]);
    expect(dots[1]).toMatchObject({ intensity: 100, rate: 50e12 });
    expect(plain(dotWords(dots[1]!))).toBe(
      'dense/MatMul; 50.0 TFLOP/s at 100 FLOP/byte; 40 % of its bound, bound by memory; 2.0 ms, 25 % of kernel time',
    );
    expect(dotWords(dotsOf([{ ...OP, bound_ratio: null }])[0]!)).toContain('FLOP/byte; bound by memory; ');
  });

  it('say how much of the time they are', () => {
    expect(plain(shownSentence(dotsOf([OP, OP]), 0, opTable([OP, OP], 340)))).toContain(
      'Shown: 2 ops of 340, 50 % of the kernel time.',
    );
  });

  it('stand below the peaks of the formats that they compute in', () => {
    const formats = (ops: Op[]): string[] => peaksOf(dotsOf(ops), A100).map(({ format }) => format);
    expect(formats([OP, { ...OP, format: 'fp32' }, { ...OP, format: '' }])).toEqual(['fp16', 'fp32']);
    expect(formats([{ ...OP, format: '' }])).toHaveLength(A100.rates.length);
    expect(plain(limitsSentence(peaksOf(dotsOf([OP]), A100), A100))).toBe(
      'Ridge points of NVIDIA A100-SXM4-40GB: fp16 201 FLOP/byte.',
    );
  });

  it('have neighbors by intensity and by rate', () => {
    const at = (flops: number, bytes: number): Op => ({ ...OP, flops, bytes, flops_per_s: flops / 2e-3 });
    // Intensity 1, 100, 10; rates fall.
    const dots = dotsOf([at(3e9, 3e9), at(2e9, 2e7), at(1e9, 1e8)]);
    expect(
      ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'x'].map((key) => neighbor(dots, 0, key)),
    ).toEqual([2, 0, 1, 0, 0, 2, null]);
  });
});

describe('logarithmic axes', () => {
  it('have round numbers, never many', () => {
    expect(logTicks(0.5, 2000)).toEqual([1, 10, 100, 1000]);
    expect(logTicks(15, 150)).toEqual([20, 50, 100]);
    expect(logTicks(1e-12, 1e18).length).toBeLessThanOrEqual(10);
    expect(logPlace(10, 1, 100)).toBe(0.5);
  });
});

describe('the picture', () => {
  const dots = dotsOf([OP, { ...OP, ns: 500_000, flops_per_s: 200e12, bytes: 10_000_000_000 }]);
  const { drawing, groups } = rooflineChart(dots, A100, 'words');
  const circles = groups.map((group) => group.querySelector('circle'));

  it('has a dot an op, whose area is its time', () => {
    const [first, second] = circles.map((circle) => value(circle, 'r'));
    expect(first! ** 2 / second! ** 2).toBeCloseTo(4, 2);
    expect(value(circles[1], 'cx')).toBeLessThan(value(circles[0], 'cx'));
    expect(value(circles[1], 'cy')).toBeLessThan(value(circles[0], 'cy'));
    expect(drawing.getAttribute('aria-label')).toBe('words');
  });

  it('has the slope of the memory up to the ridge, and the peak from there on', () => {
    const [slope, peak] = drawing.querySelectorAll('.limit:not(.reached)');
    const mark = drawing.querySelector('.ridge');
    const fp16 = A100.rates.find(({ format }) => format === 'fp16')!;
    expect(ridge(fp16, A100)).toBe(fp16.flops_per_s / A100.bytes_per_s);
    expect(value(slope, 'x2')).toBeCloseTo(value(mark, 'x'), 3);
    expect(value(slope, 'y2')).toBeCloseTo(value(peak, 'y1'), 1);
    expect(value(peak, 'x1')).toBeCloseTo(value(mark, 'x'), 3);
    expect(value(peak, 'x2')).toBe(100);
    expect(value(peak, 'y1')).toBe(value(peak, 'y2'));
    expect([...drawing.querySelectorAll('.mark')].map(({ textContent }) => plain(textContent))).toEqual([
      'dense/MatMul',
      'fp16 312 TFLOP/s',
      'memory 1,555 GB/s',
    ]);
  });

  it('is not stretched by ops that take next to nothing', async () => {
    const small: Op = { ...OP, name: 'step', flops: 1, bytes: 1e7, flops_per_s: 500, ns: 2000, ratio: 0.0002 };
    const beside: Op = { ...OP, name: 'bias', ns: 2000, ratio: 0.0002 };
    const report = withOps([OP, small, beside]);
    const all = dotsIn(opsOf(report));
    const { x } = domain(all, peaksOf(all, A100), A100);
    expect(x[0]).toBe(50);
    const root = await shown('tfperf-roofline', report);
    const labels = [...root.querySelectorAll('.dot')].map((dot) => dot.getAttribute('aria-label')?.split(';')[0]);
    expect(labels).toEqual(['dense/MatMul', 'bias']);
    expect(root.textContent).toContain('1 small op would stretch the axes: see the table.');
    // The longest sets them, however short it is.
    expect(dotsOf([small]).length).toBe(rooflineChart(dotsOf([small]), A100, '').groups.length);
  });

  it('holds all dots and ridges, however far apart', () => {
    const wide = dotsOf([
      OP,
      { ...OP, flops: 1, bytes: 1e15, flops_per_s: 500 },
      { ...OP, flops: 1e18, bytes: 1, flops_per_s: 5e20 },
    ]);
    const { x, y } = domain(wide, peaksOf(wide, A100), A100);
    expect(x[0]).toBeLessThan(1e-15);
    expect(x[1]).toBeGreaterThan(1e18);
    expect(y[1]).toBeGreaterThan(312e12);
    const drawn = rooflineChart(wide, A100, '');
    for (const group of drawn.groups) {
      expect(value(group.querySelector('circle'), 'cx')).toBeGreaterThan(0);
      expect(value(group.querySelector('circle'), 'cx')).toBeLessThan(100);
    }
    expect(drawn.drawing.outerHTML).not.toContain('NaN');
  });
});

function withOps(rows: Op[]): Report {
  return withTables(reportOf('healthy'), (table) => (table.id === 'ops' ? opTable(rows) : table));
}

/** No limits of the GPU are known. */
const UNKNOWN: Report = {
  ...reportOf('idle-gpus'),
  roofline: null,
  key_numbers: {
    ...reportOf('idle-gpus').key_numbers,
    mfu_ratio: null,
    compute_judged_ratio: null,
    mfu_basis: 'No work of a kernel is known.',
  },
};

async function shown(name: string, report: Report): Promise<ShadowRoot> {
  const panel = Object.assign(document.createElement(name), { report });
  document.body.append(panel);
  await settled();
  return panel.shadowRoot!;
}

describe('the panel', () => {
  it('lets arrow keys go from op to op, one of which Tab reaches', async () => {
    const root = await shown('tfperf-roofline', reportOf('healthy'));
    const dots = [...root.querySelectorAll<SVGGElement>('.dot')];
    const reached = (): number[] => dots.flatMap((dot, i) => (dot.getAttribute('tabindex') === '0' ? [i] : []));
    const ops = dotsIn(opsOf(reportOf('healthy')));
    expect(dots).toHaveLength(ops.length);
    expect(ops.length).toBeGreaterThan(3);
    expect(reached()).toEqual([0]);
    expect(plain(dots[0]!.getAttribute('aria-label'))).toBe(plain(dotWords(ops[0]!)));
    dots[0]!.focus();
    dots[0]!.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
    const next = neighbor(ops, 0, 'End')!;
    expect(next).not.toBe(0);
    expect(reached()).toEqual([next]);
    expect(plain(root.querySelector('.tip')?.textContent)).toBe(plain(dotWords(ops[next]!)));
    dots[next]!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    expect(root.querySelector<HTMLElement>('.tip')?.hidden).toBe(true);
  });

  it('has a table as its twin', async () => {
    const root = await shown('tfperf-roofline', withOps([OP, { ...OP, ns: 1 }]));
    const table = root.querySelector('tfperf-table')!.shadowRoot!;
    const details = table.querySelector('details')!;
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
    await settled();
    const [first] = table.querySelectorAll('tbody tr');
    expect([...first!.children].map(({ textContent }) => plain(textContent))).toEqual([
      '2.0 ms',
      '25 %',
      '100 FLOP/byte',
      '50.0 TFLOP/s',
      '40 %',
      'memory',
      'fp16',
      'dense/MatMul',
    ]);
    expect(table.querySelectorAll('tbody tr')).toHaveLength(2);
  });

  it('says why there is no picture, where that is not clear', async () => {
    expect(plain((await shown('tfperf-roofline', UNKNOWN)).textContent)).toContain(
      'Compute is not held against the GPU’s limits. No work of a kernel is known.',
    );
    expect(whyNone(reportOf('host-only'))).toBe('');
    expect([reportOf('healthy'), UNKNOWN, reportOf('host-only')].map(hasRoofline)).toEqual([true, true, false]);
    const root = await shown('tfperf-roofline', withOps([{ ...OP, flops: null }]));
    expect(root.querySelector('.dot')).toBeNull();
    expect(root.textContent).toContain('Of no op the profile tells');
  });

  it('shows names, never markup', async () => {
    const { report } = hostile(recorded('staggered'));
    const root = await shown('tfperf-roofline', report);
    expect(root.querySelectorAll('.dot').length).toBe(dotsIn(opsOf(report)).length);
    expect(root.querySelector('.dot')).not.toBeNull();
    expect(root.querySelector('img, script')).toBeNull();
  });
});
