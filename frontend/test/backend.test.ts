import { describe, expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';
import { BackendError, HttpBackend, type Progress, canOpen, readable, whyNot } from '../src/backend.js';
import { UNTYPED } from '../src/typed.js';

const BASE = 'http://localhost/pre/data/plugin/diagnostics/';
const REQUEST = { run: 'a b', ...UNTYPED };

type Answer = [status: number, body: unknown];

/** A backend whose server gives the answers in turn; records what was asked and how long it waited. */
function scripted(...answers: Answer[]) {
  const asked: string[] = [];
  const pauses: number[] = [];
  const backend = new HttpBackend(
    BASE,
    async (url) => {
      asked.push(url);
      const [status, body] = answers[asked.length - 1] ?? [500, null];
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
    },
    async (ms) => {
      pauses.push(ms);
    },
  );
  return { backend, asked, pauses };
}

const live = (): AbortSignal => new AbortController().signal;

describe('reports', () => {
  it('lists runs', async () => {
    const runs = [{ name: 'a', hosts: ['h'] }];
    const { backend, asked } = scripted([200, { runs }]);
    expect(await backend.runs()).toEqual(runs);
    expect(asked).toEqual([`${BASE}runs`]);
  });

  it('asks again, ever more slowly, until the report is there', async () => {
    const running = Array.from({ length: 6 }, (_, i): Answer => [
      202,
      { state: 'running', stage: 'trace', words: 'Sorting', share: i / 6 },
    ]);
    const { backend, pauses } = scripted(...running, [200, reportOf('healthy')]);
    const seen: Progress[] = [];
    const report = await backend.report(REQUEST, (progress) => seen.push(progress), live());
    expect(report.run).toBe(reportOf('healthy').run);
    expect(seen.map(({ share }) => share)).toEqual([0, 1, 2, 3, 4, 5].map((i) => i / 6));
    expect(pauses[0]).toBe(250);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(Math.max(...pauses)).toBe(1000);
  });

  it('waits for a range that is saved, and reads its name and what it lacks', async () => {
    const headers = { 'Content-Disposition': 'attachment; filename="a-1.json.gz"', 'X-Tfperf-Note': 'It ends early.' };
    const answers = [
      new Response(JSON.stringify({ stage: 'read', words: 'Reading', share: 0 }), { status: 202 }),
      new Response('file', { headers }),
      new Response('file'),
      new Response(JSON.stringify({ error: 'Nothing is there.', kind: 'bad_request' }), { status: 400 }),
    ];
    const fetched = async () => answers.shift() ?? new Response(null, { status: 500 });
    const backend = new HttpBackend(BASE, fetched, async () => undefined);
    const target = { run: 'a', host: 'b', beginMs: 1, endMs: 2 };
    const { content, ...rest } = await backend.slice(target, live());
    expect(await content.text()).toBe('file');
    expect(rest).toEqual({ name: 'a-1.json.gz', note: 'It ends early.' });
    expect(await backend.slice(target, live())).toMatchObject({ name: 'trace.json.gz', note: '' });
    await expect(backend.slice(target, live())).rejects.toThrow('Nothing is there.');
    await expect(backend.slice(target, live())).rejects.toThrow('status 500');
  });

  it('sends what was typed, and nothing that was not', async () => {
    const { backend, asked } = scripted([200, reportOf('healthy')], [200, reportOf('healthy')]);
    await backend.report(REQUEST, () => undefined, live());
    await backend.report(
      { run: 'a&b', ...UNTYPED, parameters: '25.6M', bandwidth: '600 GB/s' },
      () => undefined,
      live(),
    );
    expect(asked).toEqual([`${BASE}report?run=a+b`, `${BASE}report?run=a%26b&parameters=25.6M&bandwidth=600+GB%2Fs`]);
  });

  it('waits for a report that is being made', async () => {
    const { backend, asked } = scripted(
      [202, { stage: 'trace', words: 'Sorting', share: 0 }],
      [200, reportOf('healthy')],
    );
    expect((await backend.report(REQUEST, () => undefined, live())).run).toBe(reportOf('healthy').run);
    expect(asked).toEqual(Array(2).fill(`${BASE}report?run=a+b`));
  });

  it('starts again what was stopped, once, and cancels with a header that other pages cannot send', async () => {
    const { backend, asked } = scripted(
      [202, { stage: 'read', words: 'Reading', share: 0 }],
      [200, reportOf('healthy')],
      [200, { cancelled_count: 1 }],
    );
    await backend.report({ ...REQUEST, again: true }, () => undefined, live());
    await backend.cancel('a b');
    expect(asked).toEqual([`${BASE}report?run=a+b&again=1`, `${BASE}report?run=a+b`, `${BASE}cancel?run=a+b`]);

    const seen: RequestInit[] = [];
    const other = new HttpBackend(BASE, async (_, init) => (seen.push(init ?? {}), new Response('{}')));
    await other.cancel('a');
    expect(seen).toEqual([{ method: 'POST', headers: { 'X-Tfperf': '1' } }]);
  });

  it('stops asking when nobody waits any more', async () => {
    const { backend, asked } = scripted(
      [202, { stage: 'trace', words: 'Sorting', share: 0 }],
      [200, reportOf('healthy')],
    );
    const controller = new AbortController();
    const report = backend.report(REQUEST, () => controller.abort(), controller.signal);
    await expect(report).rejects.toHaveProperty('name', 'AbortError');
    expect(asked).toHaveLength(1);
  });
});

describe('thresholds', () => {
  it('to try out go into the request, each for itself', async () => {
    const { backend, asked } = scripted([200, { run: 'r' }]);
    await backend.report({ ...REQUEST, tried: ['a:b:2 %', 'severity:info:0.5 %'] }, () => undefined, live());
    expect(new URL(asked[0] ?? '').searchParams.getAll('threshold')).toEqual(['a:b:2 %', 'severity:info:0.5 %']);
  });

  it('are listed by rule', async () => {
    const limit = { id: 'b', name: 'b', value: 1, unit: 'count', source: '', fixed: false };
    const { backend } = scripted([200, { rules: [{ id: 'a', thresholds: [limit] }], severities: [limit] }]);
    expect(await backend.thresholds()).toEqual({ rules: { a: [limit] }, severities: [limit] });
  });
});

describe('errors', () => {
  it.each<[Answer, string, string]>([
    [[404, { error: 'No such run.', kind: 'not_found' }], 'No such run.', 'not_found'],
    [[422, { error: 'Truncated.', kind: 'unreadable' }], 'Truncated.', 'unreadable'],
    [[503, { error: 'Many.', kind: 'busy' }], 'Many.', 'busy'],
    [[500, { error: 'Oh.', kind: 'something new' }], 'Oh.', 'internal'],
    [[502, '<html>Bad gateway</html>'], 'TensorBoard answered with status 502.', 'internal'],
    [[200, 'no json'], 'TensorBoard answered with status 200.', 'internal'],
  ])('%j is said in one sentence', async (answer, message, kind) => {
    const { backend } = scripted(answer);
    const problem: unknown = await backend.report(REQUEST, () => undefined, live()).catch((e: unknown) => e);
    expect(problem).toBeInstanceOf(BackendError);
    expect(problem).toMatchObject({ message, kind });
  });

  it('says so when there is no answer', async () => {
    const backend = new HttpBackend(BASE, () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(backend.runs()).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

describe('access to the trace viewer', () => {
  it('is there for the hosts that the profile plugin lists', async () => {
    const { backend, asked } = scripted(
      [200, { profile: { enabled: true } }],
      [200, ['r', 's']],
      [200, [{ hostname: 'h' }]],
    );
    expect(await backend.traceAccess('r')).toEqual({ state: 'ready', hosts: ['h'] });
    expect(asked).toEqual([
      'http://localhost/pre/data/plugins_listing',
      'http://localhost/pre/data/plugin/profile/runs',
      'http://localhost/pre/data/plugin/profile/hosts?run=r&tag=trace_viewer%40',
    ]);
  });

  it.each<[string, Answer[], string]>([
    ['no plugin', [[200, { scalars: {} }]], 'no_plugin'],
    [
      'an unknown run',
      [
        [200, { profile: {} }],
        [200, ['s']],
      ],
      'no_run',
    ],
    [
      'a failing plugin',
      [
        [200, { profile: {} }],
        [500, 'oh'],
      ],
      'no_plugin',
    ],
  ])('is denied with %s', async (_, answers, state) => {
    expect(await scripted(...answers).backend.traceAccess('r')).toEqual({ state });
  });

  it('is told for each host, with the reason where there is none', () => {
    const ready = { state: 'ready', hosts: ['a'] } as const;
    expect([canOpen(ready, 'a'), whyNot(ready, 'a')]).toEqual([true, '']);
    expect([canOpen(ready, 'b'), whyNot(ready, 'b')]).toEqual([false, 'The trace viewer does not list this host.']);
    expect([canOpen(null, 'a'), whyNot(null, 'a')]).toEqual([false, '']);
    expect(whyNot({ state: 'no_plugin' }, 'a')).toContain('pip install xprof');
  });
});

describe('names that would spoil a sentence', () => {
  const RLO = '\u202e';
  const json = (report: unknown): string => JSON.stringify(report).replaceAll(RLO, '\\u202E');

  it('cannot turn it around', () => {
    const report = { run: `a${RLO}b`, findings: [{ summary: `op${RLO} takes 3 ms` }], kernels: [{ name: `k${RLO}` }] };
    for (const text of [JSON.stringify(report), json(report)]) {
      expect(readable(text)).toEqual({
        run: `a${RLO}b`,
        findings: [{ summary: 'op� takes 3 ms' }],
        kernels: [{ name: 'k�' }],
      });
    }
  });

  it('cannot fill it for lines, and stay whole where names stand by themselves', () => {
    const name = `first/${'x'.repeat(2000)}/last`;
    const { title, op } = readable(JSON.stringify({ title: `${name} takes 3 ms`, op: name })) as Record<string, string>;
    expect(op).toBe(name);
    expect(title).toMatch(/^first\/x+…x+\/last takes 3 ms$/);
    expect(title!.length).toBeLessThan(130);
  });

  it.each([
    ['x'.repeat(199), false],
    ['x'.repeat(200), true],
    [`${'x'.repeat(199)} ${'x'.repeat(199)},${'x'.repeat(199)}`, false],
    [`a b ${'x'.repeat(200)}`, true],
    [`${'x'.repeat(150)} ${'y'.repeat(320)} z`, true],
    [`${'x'.repeat(198)} ${'y'.repeat(199)} ${'z'.repeat(199)}`, false],
  ])('is too long from 200 characters on, wherever it stands: %#', (title, long) => {
    for (const before of ['', 'a', 'ab'.repeat(99), 'c '.repeat(70)]) {
      const read = readable(JSON.stringify({ op: before, title })) as Record<string, string>;
      expect(read['title']!.includes('…')).toBe(long);
    }
  });

  it('are left alone where they do no harm', () => {
    const report = { title: 'מודל/שכבה waits', run: 'r' };
    expect(readable(JSON.stringify(report))).toEqual(report);
  });
});
