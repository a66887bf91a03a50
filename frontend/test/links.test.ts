import { exportHref } from '../src/links.js';
import { describe, expect, it } from 'vitest';
import * as links from '../src/links.js';
import { UNTYPED } from '../src/typed.js';

const BASE = 'http://localhost:6006/pre/fix/data/plugin/diagnostics/';
const TARGET = { run: 'train/2026 & more', host: 'worker-0', beginMs: 100, endMs: 200 };

describe('viewRange', () => {
  it('pads by a tenth on both sides', () => {
    expect(links.viewRange(100, 200)).toEqual({ begin: 90, end: 210 });
  });

  it('orders a reversed range, clamps at zero and is never empty', () => {
    expect(links.viewRange(200, 100)).toEqual({ begin: 90, end: 210 });
    expect(links.viewRange(1, 101).begin).toBe(0);
    const { begin, end } = links.viewRange(0, 0);
    expect(begin).toBe(0);
    expect(end).toBeGreaterThan(begin);
    const { begin: from, end: to } = links.viewRange(-50, -20);
    expect(from).toBe(0);
    expect(to).toBeGreaterThan(0);
  });
});

describe('addresses keep the path prefix', () => {
  it('of a range to save', () => {
    const url = new URL(links.sliceHref(BASE, TARGET));
    expect(url.pathname).toBe('/pre/fix/data/plugin/diagnostics/slice');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      run: TARGET.run,
      host: 'worker-0',
      begin_ms: '90.000000',
      end_ms: '210.000000',
    });
  });

  it('A: the Profile tab by a page load', () => {
    const url = new URL(links.profileTabHref(BASE, TARGET));
    expect(url.pathname).toBe('/pre/fix/');
    expect(url.hash).toBe('#profile');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tool: 'trace_viewer@',
      run: TARGET.run,
      host: 'worker-0',
      hosts: 'worker-0',
    });
  });

  it('B and C: the viewer alone, with an absolute data address and the exact range', () => {
    const url = new URL(links.viewerHref(BASE, TARGET));
    expect(url.pathname).toBe('/pre/fix/data/plugin/profile/trace_viewer_index.html');
    expect(url.searchParams.get('is_oss')).toBe('true');
    expect(url.searchParams.get('is_streaming')).toBe('true');
    expect(url.searchParams.get('source_code_service')).toBe('false');
    expect(Number(url.searchParams.get('view_start'))).toBe(90);
    expect(Number(url.searchParams.get('view_end'))).toBe(210);
    const data = new URL(url.searchParams.get('trace_data_url') ?? '', url);
    expect(data.pathname).toBe('/pre/fix/data/plugin/profile/data');
    expect(data.searchParams.get('run')).toBe(TARGET.run);
    expect(data.searchParams.get('tag')).toBe('trace_viewer@');
    expect(data.searchParams.get('host')).toBe('worker-0');
    expect(data.searchParams.get('hosts')).toBe('worker-0');
  });

  it('D: the frame of the Profile tab and the query beside it', () => {
    const url = new URL(links.profileFrameHref(BASE, TARGET, 'n1'));
    expect(url.pathname).toBe('/pre/fix/data/plugin/profile/index.html');
    expect(url.searchParams.get('nonce')).toBe('n1');
    expect(Number(url.searchParams.get('view_end'))).toBe(210);
    const query = new URLSearchParams(links.profileTabQuery(TARGET));
    expect([...query.keys()]).toEqual(['tool', 'run', 'hosts']);
    expect(query.get('run')).toBe(TARGET.run);
    const zoomed = new URL(links.withRange('http://localhost/viewer?run=a%26b&view_start=1', TARGET));
    expect(zoomed.searchParams.get('run')).toBe('a&b');
    expect(zoomed.searchParams.getAll('view_start')).toEqual(['90.000000']);
  });
});

describe('pageHref', () => {
  it('keeps the path prefix, and an id stays an argument', () => {
    expect(links.pageHref(BASE, 'input-bound')).toBe(`${BASE}page?rule=input-bound`);
    const url = new URL(links.pageHref(BASE, '../a&b=c#d'));
    expect(url.pathname).toBe('/pre/fix/data/plugin/diagnostics/page');
    expect([...url.searchParams]).toEqual([['rule', '../a&b=c#d']]);
  });
});

describe('webAddress', () => {
  it('lets only web addresses become links', () => {
    expect(links.webAddress('https://example.org/a b')).toBe('https://example.org/a%20b');
    expect(links.webAddress('javascript:alert(1)')).toBeUndefined();
    expect(links.webAddress('data:text/html,x')).toBeUndefined();
    expect(links.webAddress('/relative')).toBeUndefined();
  });
});

describe('numbers in addresses', () => {
  it('have no separators of thousands, whatever the language, and no exponents', () => {
    const far = { ...TARGET, beginMs: 1_234_567.125, endMs: 1_234_568.5 };
    for (const href of [links.viewerHref(BASE, far), links.profileTabHref(BASE, far)]) {
      const numbers = [...new URL(href).searchParams].filter(([key]) => key.startsWith('view_'));
      for (const [, value] of numbers) expect(value).toMatch(/^\d+(\.\d+)?$/);
    }
    const range = new URL(links.viewerHref(BASE, far)).searchParams;
    expect(Number(range.get('view_start'))).toBeCloseTo(1_234_566.9875, 3);
  });
});

it('an export is of the run and of what was typed for it', () => {
  const href = exportHref(
    'https://host/pre/data/plugin/diagnostics/',
    'a/<b>&c',
    { ...UNTYPED, parameters: '25.6 M' },
    'html',
  );
  expect(href).toBe(
    'https://host/pre/data/plugin/diagnostics/export?run=a%2F%3Cb%3E%26c&format=html&parameters=25.6+M',
  );
});
