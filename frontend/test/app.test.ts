import { beforeEach, describe, expect, it, vi } from 'vitest';
import { recorded, reportOf } from '../src/recorded.js';
import { hostile, patched, withHosts } from '../src/patches.js';
import { NOWHERE } from '../src/address.js';
import { cellWords, tableOf } from '../src/blocks.js';
import { BackendError } from '../src/backend.js';
import { selected } from '../src/controller.js';
import '../src/elements/app.js';
import { saveFile } from '../src/download.js';
import type { ProgressElement } from '../src/elements/progress.js';
import { FakeBackend, FakeHost } from '../src/fakes.js';
import type { AllReduce } from '../src/model.js';
import { duration } from '../src/format.js';
import { UNTYPED } from '../src/typed.js';
import { settled } from './settled.js';
import { plain } from './some.js';

vi.mock('../src/download.js', () => ({ saveFile: vi.fn() }));

const healthy = reportOf('healthy').run;
const staggered = reportOf('staggered').run;

beforeEach(() => document.body.replaceChildren());

/** All elements that match below `root`, through shadow roots. */
function all(root: ParentNode, selector: string): HTMLElement[] {
  const found = [...root.querySelectorAll<HTMLElement>(selector)];
  for (const element of root.querySelectorAll('*')) {
    if (element.shadowRoot) found.push(...all(element.shadowRoot, selector));
  }
  return found;
}

/** All elements below `root` in the order of the page, through shadow roots. */
function walked(root: ParentNode): HTMLElement[] {
  return [...root.children].flatMap((one) => [
    one as HTMLElement,
    ...(one.shadowRoot ? walked(one.shadowRoot) : []),
    ...walked(one),
  ]);
}

/** What is on screen below `root`: neither hidden, nor styles. */
function text(root: Node): string {
  if (root instanceof HTMLElement) {
    if (root.hidden || root.style.display === 'none' || ['STYLE', 'TEMPLATE'].includes(root.tagName)) return '';
  }
  if (root.nodeType === Node.TEXT_NODE) return root.textContent ?? '';
  const children = root instanceof Element && root.shadowRoot ? root.shadowRoot.childNodes : root.childNodes;
  return [...children]
    .map(text)
    .join(' ')
    .replace(/[\s\u00a0]+/g, ' ');
}

/** As a click on a run does. */
function pick(within: (selector: string) => HTMLElement[], run: string): void {
  const detail = { run };
  within('tfperf-bar, tfperf-board')[0]?.dispatchEvent(
    new CustomEvent('run-change', { bubbles: true, composed: true, detail }),
  );
}

async function open(run: string | null, backend = new FakeBackend(), host = new FakeHost()) {
  host.state = { ...host.state, run };
  const app = document.createElement('tfperf-app');
  document.body.append(app);
  void app.start(backend, host);
  await settled();
  const within = (selector: string): HTMLElement[] => all(app.shadowRoot, selector);
  const click = async (element: HTMLElement | undefined): Promise<void> => {
    expect(element).toBeDefined();
    element?.click();
    await settled();
  };
  const unfold = async (): Promise<void> => {
    for (const title of within('.title[aria-expanded=false]')) title.click();
    await settled();
  };
  return { app, backend, host, within, click, unfold, said: () => text(app) };
}

describe('the outline', () => {
  it.each([staggered, reportOf('on-cpu').run])(
    'leaves out no level, and no two controls have one name: %s',
    async (run) => {
      const { app, unfold } = await open(run);
      await unfold();
      const elements = walked(app.shadowRoot).filter((one) => !one.closest('[hidden]'));
      const headings = elements.filter((one) => /^H[1-6]$/.test(one.tagName));
      const levels = headings.map((one) => Number(one.ariaLevel ?? one.getAttribute('aria-level') ?? one.tagName[1]));
      levels.forEach((level, i) => expect(level - (levels[i - 1] ?? 0), headings[i]?.textContent).toBeLessThan(2));
      // What opens a section is all of its heading.
      for (const one of headings.flatMap((heading) => [...heading.querySelectorAll('button')]))
        expect(plain(one.textContent)).toBe(plain(one.parentElement?.textContent));
      const names = elements
        .filter((one) => one.matches('button'))
        .map((one) => plain(one.getAttribute('aria-label') ?? one.textContent));
      for (const part of ['Kernels', 'Ops on the host'])
        expect(names.filter((name) => name === part).length, part).toBeLessThan(2);
      expect(names).toContain(run === staggered ? 'Kernels' : 'Ops on the host');
    },
  );
});

describe('the first paint', () => {
  it('draws the whole report at once', async () => {
    const app = document.createElement('tfperf-app');
    document.body.append(app);
    void app.start(new FakeBackend(), new FakeHost({ ...NOWHERE, run: staggered }));
    const within = (name: string): Element[] => all(app.shadowRoot, name);
    while (within('tfperf-verdict').length === 0) await Promise.resolve();
    await Promise.resolve();
    expect(within('tfperf-budget, tfperf-chosen-finding, tfperf-communication')).toHaveLength(3);
  });

  it('has the processor for itself: a choice of another run draws nothing before the answer', async () => {
    const { app, backend, within } = await open(staggered);
    const draw = vi.spyOn(app as unknown as { template(): unknown }, 'template');
    const report = backend.report.bind(backend);
    let drawn = -1;
    backend.report = async (...asked) => {
      // Longer than all that a choice sets off by itself.
      for (let i = 0; i < 20; i++) await Promise.resolve();
      drawn = draw.mock.calls.length;
      return report(...asked);
    };
    pick(within, healthy);
    await settled();
    expect(drawn).toBe(0);
    expect(draw.mock.calls.length).toBeGreaterThan(0);
  });

  it('does not wait for the list of runs, which is asked for again after it', async () => {
    const { app, backend, within, said } = await open(staggered);
    let list = (): void => undefined;
    backend.runs = () => new Promise((resolve) => (list = () => resolve([{ name: 'new', hosts: ['a'] }])));
    pick(within, healthy);
    await settled();
    expect(said()).toContain('Nothing to fix above 5 % of a step.');
    list();
    await settled();
    expect(app.state.runs.map(({ name }) => name)).toEqual(['new']);
  });

  it('comes without explanations where the backend has none', async () => {
    const backend = new FakeBackend();
    backend.glossary = () => Promise.reject(new Error('no such route'));
    const { said } = await open(staggered, backend);
    expect(said()).toContain('Give each GPU its own launch threads');
  });
});

describe('states', () => {
  it('shows the only run when the address names none, and says so in the address', async () => {
    const { host, said } = await open(null, new FakeBackend([staggered]));
    expect(said()).toContain('Give each GPU its own launch threads');
    expect(host.state.run).toBe(staggered);
  });

  it('tells how to record a profile when there is none, and looks again', async () => {
    const backend = new FakeBackend([]);
    const { said, within, click } = await open(null, backend);
    expect(said()).toContain('No profiles in this log directory yet');
    expect(said()).toContain('tf.keras.callbacks.TensorBoard');
    expect(said()).toContain('tf.profiler.experimental.Trace');
    expect(within('tfperf-bar')).toHaveLength(0);
    backend.names = [healthy];
    await click(within('.accent')[0]);
    expect(said()).toContain('Nothing to fix above 5 % of a step.');
  });

  describe('when another run is chosen', () => {
    /** The tab with its first report; whatever is asked for then is answered on demand. */
    async function opened() {
      const { backend, host, within, said } = await open(staggered);
      const report = backend.report.bind(backend);
      let answer = (): void => undefined;
      backend.report = async (...asked) => {
        await new Promise<void>((resolve) => (answer = resolve));
        return report(...asked);
      };
      const answered = async (): Promise<void> => {
        answer();
        await settled();
      };
      return { host, within, said, pick: (run: string) => pick(within, run), answered };
    }

    it('leaves the last report as it is for a moment, then shows the other', async () => {
      const { host, within, said, pick, answered } = await opened();
      const before = said();
      pick(healthy);
      await settled();
      expect(said()).toBe(before);
      // Shown again meanwhile, the tab does not take its own address for another one.
      host.show();
      await answered();
      expect(said()).toContain('Nothing to fix above 5 % of a step.');
      expect(within('tfperf-progress')).toEqual([]);
      expect(host.state.run).toBe(healthy);
    });

    it('takes the last report off when the other one does not come soon, and the address says which', async () => {
      const { host, within, pick } = await opened();
      vi.useFakeTimers();
      pick(healthy);
      await vi.advanceTimersByTimeAsync(200);
      vi.useRealTimers();
      expect(within('tfperf-verdict')).toEqual([]);
      expect(within('tfperf-progress')).toHaveLength(1);
      expect(host.state.run).toBe(healthy);
    });

    it('stays where it is when the first is chosen again at once', async () => {
      const { host, within, said, pick, answered } = await opened();
      const [last] = within('tfperf-checks');
      const before = said();
      vi.useFakeTimers();
      pick(healthy);
      pick(staggered);
      await vi.advanceTimersByTimeAsync(200);
      vi.useRealTimers();
      await answered();
      expect(within('tfperf-checks')[0]).toBe(last);
      expect(said()).toBe(before);
      expect(host.state.run).toBe(staggered);
    });
  });

  it('shows stage and share while the profile is analysed', async () => {
    const { said, within } = await open('analysing');
    expect(said()).toContain('Dividing each step among its causes');
    expect(said()).toContain('62 % done');
    expect(said()).toContain('Host 17 of 256. 62 % done');
    expect(within('progress')).toHaveLength(1);
  });

  it('says for which analyses it waits', async () => {
    const element = document.createElement('tfperf-progress') as ProgressElement;
    element.progress = {
      stage: 'waiting',
      words: 'Analyzing the profile',
      share: 0,
      waits_for: ['<b>first</b>', 'second'],
    };
    document.body.append(element);
    await settled();
    expect(element.shadowRoot.textContent).toContain('Waiting for the analysis of <b>first</b> and second …');
  });

  it('stops an analysis when asked to, says so, and starts it again', async () => {
    const { said, within, click } = await open('analysing');
    await click(within('button').find((b) => b.textContent.trim() === 'Cancel'));
    expect(said()).toContain('The analysis of run analysing was stopped');
    await click(within('button').find((b) => b.textContent.trim() === 'Analyze'));
    expect(said()).toContain('Dividing each step among its causes');
  });

  it.each([
    ['unreadable', 'ends in the middle of an event', 'Other runs stay usable'],
    ['gone', 'There is no run "gone"', 'choose another one'],
  ])('says what is wrong with the run %s, what to do, and stays usable', async (run, what, advice) => {
    const { said, within } = await open(run);
    expect(said()).toContain(what);
    expect(said()).toContain(advice);
    pick(within, healthy);
    await settled();
    expect(said()).toContain('Nothing to fix above 5 % of a step.');
  });

  it('says why there are no bars in a profile of the host alone', async () => {
    const { said } = await open(reportOf('host-only').run);
    expect(said()).toContain('No GPU events recorded');
    expect(said()).toContain('Input pipeline');
    expect(said()).not.toContain('Nothing to fix');
  });

  it('goes from a full report to any other state and back', async () => {
    const { backend, within, said } = await open(staggered);
    for (const run of backend.names.flatMap((name) => [name, staggered])) {
      pick(within, run);
      await settled();
      expect(said(), run).not.toContain('The analysis failed');
    }
  });

  it('lists the GPUs that ran nothing', async () => {
    const { said } = await open(reportOf('idle-gpus').run);
    expect(said()).toContain('GPU 2, GPU 3, GPU 4, GPU 5, GPU 6, GPU 7: ran no kernel.');
  });
});

describe('findings', () => {
  it('shows the first one: what to do, how that is known, what else it explains', async () => {
    const { said, within } = await open(staggered);
    expect(within('tfperf-chosen-finding')).toHaveLength(1);
    expect((within('.inner')[0] as HTMLDetailsElement).open).toBe(false);
    for (const part of [
      'critical',
      ...reportOf('staggered')
        .words.slice(0, 1)
        .map(({ saving }) => saving),
      'medium confidence',
      'TF_GPU_THREAD_MODE',
      'Also explains',
      'GPU host thread contention',
    ]) {
      expect(said()).toContain(part);
    }
    const starts = await openTable(within('details'), 'Start of each GPU in step 2');
    expect(starts.querySelectorAll('tr')).toHaveLength(5);
    const guide = within('a').find((a) => a.textContent.startsWith('Guide'));
    expect([guide?.getAttribute('target'), guide?.getAttribute('rel')]).toEqual(['_blank', 'noopener']);
  });

  it('keeps the one that was selected last in the address, and shows it from there', async () => {
    const { host, within, click, said } = await open(staggered);
    const { id, summary } = reportOf('staggered').findings[2]!;
    await click(within('.pick')[2]);
    expect(host.state.finding).toBe(id);
    expect(said()).toContain(summary);
    document.body.replaceChildren();
    const again = await open(staggered, new FakeBackend(), new FakeHost(host.state));
    expect(again.said()).toContain(summary);
    const pressed = again.within('.pick').map((pick) => pick.getAttribute('aria-pressed'));
    expect(pressed.flatMap((one, i) => (one === 'true' ? [i] : []))).toEqual([2]);
  });

  it('stays on the one that is marked as done, and begins with the next one', async () => {
    const { app, host, within, click } = await open(staggered);
    const [first, second] = reportOf('staggered').findings.map(({ id }) => id);
    const done = () => within('.actions button').find((b) => b.textContent.includes('Done'));
    await click(done());
    expect(host.marks(staggered)).toEqual({ [first as string]: 'done' });
    expect(selected(app.state)?.id).toBe(first);
    expect(done()?.getAttribute('aria-pressed')).toBe('true');
    expect(text(within('.row.finding')[0] as HTMLElement)).toContain('marked as done');
    await click(done());
    expect(host.marks(staggered)).toEqual({});
    await click(done());
    document.body.replaceChildren();
    host.state = { ...host.state, finding: null };
    expect(selected((await open(staggered, new FakeBackend(), host)).app.state)?.id).toBe(second);
  });

  it('opens the Profile tab without a page load, but leaves a middle click to the browser', async () => {
    const { host, within, click } = await open(staggered);
    const calls = await openTable(within('details'), 'The longest calls');
    await click(calls.querySelector<HTMLElement>('button') ?? undefined);
    const link = within('a[target=_parent]')[0] as HTMLAnchorElement;
    expect(link.getAttribute('href')).toContain('#profile');
    const single = new MouseEvent('click', { bubbles: true, cancelable: true });
    link.dispatchEvent(single);
    expect(single.defaultPrevented).toBe(true);
    expect(host.opened).toMatchObject([{ host: 'worker0' }]);
    const held = new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true });
    link.dispatchEvent(held);
    expect(held.defaultPrevented).toBe(false);
    expect(host.opened).toHaveLength(1);
  });

  it('hides the links, with a note, where the trace viewer is missing', async () => {
    const backend = new FakeBackend();
    backend.access = { state: 'no_plugin' };
    const { within, said } = await open(staggered, backend);
    expect(said()).toContain('profile plugin is missing');
    expect(within('section .button').some((one) => one.localName === 'a')).toBe(false);
    const calls = await openTable(within('details'), 'The longest calls');
    expect(calls.querySelectorAll('button')).toHaveLength(0);
  });

  describe('of a run that the trace viewer of TensorBoard cannot show', () => {
    const shown = async (run = recorded('pytorch')) => {
      const { report } = run;
      const opened = await open(report.run, new FakeBackend([report.run], [run]));
      return { ...opened, save: () => opened.within('a[download].button').find((one) => one.isConnected) };
    };

    it('saves the place as a trace, and says how to open it', async () => {
      const { backend, click, said, save, within } = await shown();
      const [place] = reportOf('pytorch').findings[0]?.where ?? [];
      const { run } = reportOf('pytorch');
      const target = { run, host: place?.host, beginMs: place?.begin_ms, endMs: place?.end_ms };

      expect(said()).toMatch(/Save as trace rank-0 GPU 0 , [\d.–]+ ms/);
      expect(said()).toContain('Open it, or the file itself, at ui.perfetto.dev .');
      expect(said()).not.toContain('trace viewer');
      expect(within('.button').filter((one) => one.textContent.includes('Open in'))).toEqual([]);
      expect(save()?.getAttribute('href')).toMatch(/slice\?run=pytorch%2F.*&host=rank-0&begin_ms=/);
      await click(save());
      expect(backend.slices).toEqual([target]);
      expect(said()).toContain('Saved. It ends early.');
      expect(saveFile).toHaveBeenCalledExactlyOnceWith(expect.any(Blob), 'trace.json.gz');
    });

    it('says why a trace cannot be saved, and leaves a middle click to the browser', async () => {
      const { backend, click, said, save } = await shown();
      backend.slice = () => Promise.reject(new BackendError('The file has changed.', 'unreadable'));
      await click(save());
      expect(said()).toContain('The file has changed.');
      expect(said()).not.toContain('Saving …');
      const held = new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true });
      save()?.dispatchEvent(held);
      expect(held.defaultPrevented).toBe(false);
    });

    it('forgets what was said of another place', async () => {
      const { app, backend, click, said, save } = await shown();
      backend.slice = () => Promise.reject(new BackendError('The file has changed.', 'unreadable'));
      await click(save());
      app.controller.select('attention-unfused');
      await settled();
      expect(said()).not.toContain('The file has changed.');
    });

    it('goes on saving while the page changes around it', async () => {
      const { app, backend, click, said, save } = await shown();
      let done = (): void => undefined;
      backend.slice = () =>
        new Promise((resolve) => (done = () => resolve({ content: new Blob(), name: 'a', note: '' })));
      await click(save());
      expect(said()).toContain('Saving …');
      app.controller.hover('allreduce-exposed');
      await settled();
      done();
      await settled();
      expect(said()).toContain('Saved.');
    });

    it('names the file that Nsight Systems opens', async () => {
      const { said } = await shown(
        patched(recorded('pytorch'), { source: 'Nsight Systems', viewer: 'Nsight Systems' }),
      );
      expect(said()).toContain('at ui.perfetto.dev , or the .nsys-rep file in Nsight Systems.');
    });

    it('saves the range of a collective', async () => {
      const { backend, click, within } = await shown();
      const calls = await openTable(within('details'), 'The longest calls');
      await click(calls.querySelectorAll<HTMLElement>('button')[1]);
      expect(within('iframe')).toHaveLength(0);
      const places = within('tfperf-trace')[0]?.shadowRoot as ShadowRoot;
      const call = reportOf('pytorch').allreduce!.calls[1]!;
      expect(text(places)).toContain(`Step ${call.step}: AllReduce of`);
      await click(all(places, 'a[download]')[0]);
      expect(backend.slices).toEqual([
        { run: reportOf('pytorch').run, host: call.host, beginMs: call.begin_ms, endMs: call.end_ms },
      ]);
    });
  });

  it('shows one snippet at a time', async () => {
    const { within, click } = await open(staggered);
    const [fix] = within('tfperf-fix');
    expect(text(fix as HTMLElement)).toContain('gpu_private python train.py');
    await click(within('.framework')[1]);
    expect(text(fix as HTMLElement)).toContain('os.environ["TF_GPU_THREAD_MODE"]');
    expect(text(fix as HTMLElement)).not.toContain('gpu_private python train.py');
  });

  it('lists what passed and what could not be checked on demand', async () => {
    const { run, missing_data } = reportOf('thin');
    const { within, click, unfold, said } = await open(run);
    await unfold();
    const [row] = missing_data;
    expect(said()).not.toContain(row!.reason);
    const group = within('.group').find((g) => g.textContent.includes('could not be checked'));
    await click(group);
    expect(group?.getAttribute('aria-expanded')).toBe('true');
    expect(said()).toContain(row!.reason);
    expect(said()).toContain(row!.how);
  });

  it('opens a trust note with its fix, and closes it', async () => {
    const { within, click, said } = await open(staggered);
    await click(within('.chip')[0]);
    const { summary } = reportOf('staggered').trust[0]!.fix;
    expect(said()).toContain(summary);
    await click(within('.chip')[0]);
    expect(said()).not.toContain(summary);
  });
});

describe('pages of the rules', () => {
  const pages = (links: HTMLElement[]): string[] =>
    links
      .filter((a) => a.textContent.trim() === 'How this is measured' && !a.hidden)
      .map((a) => {
        expect([a.getAttribute('target'), a.getAttribute('rel')]).toEqual(['_blank', 'noopener']);
        const url = new URL(a.getAttribute('href') ?? '');
        expect(url.pathname.endsWith('/page')).toBe(true);
        return url.searchParams.get('rule') ?? '';
      });

  it('are linked from the finding and those that it explains', async () => {
    const { within } = await open(staggered);
    const found = within('tfperf-chosen-finding').flatMap((one) => all(one.shadowRoot as ShadowRoot, 'a'));
    expect(pages(found)).toEqual(['gpu-stagger', reportOf('staggered').findings[0]?.explains[0]?.id]);
  });

  it('are linked from notes on the recording', async () => {
    const { within, click } = await open(staggered);
    await click(within('.chip')[0]);
    expect(pages(within('tfperf-verdict').flatMap((t) => all(t.shadowRoot as ShadowRoot, 'a')))).toEqual([
      reportOf('staggered').trust[0]?.id,
    ]);
  });

  it.each([
    ['passed', reportOf('thin').passed.map(({ id }) => id)],
    ['could not be checked', reportOf('thin').missing_data.map(({ id }) => id)],
    ['do not apply', reportOf('thin').not_applicable.map(({ id }) => id)],
    ['to check by hand', []],
  ])('are linked from each row that is a rule: %s', async (words, ids) => {
    const { within, click, unfold } = await open(reportOf('thin').run);
    await unfold();
    await click(within('.group').find((g) => g.textContent.includes(words)));
    const links = within('tfperf-checks').flatMap((t) => all(t.shadowRoot as ShadowRoot, 'li a'));
    expect(pages(links)).toEqual(ids);
    expect(new Set(links.map((a) => a.getAttribute('aria-label'))).size).toBe(links.length);
  });
});

describe('names are data', () => {
  it('shows markup in names as text and makes no link of a script', async () => {
    const hurt = hostile(recorded('crowded'));
    const { run } = hurt.report;
    const { within, said } = await open(run, new FakeBackend([run], [hurt]));
    expect(said()).toContain('<img src=x onerror=');
    expect(within('img, script')).toHaveLength(0);
    expect(
      within('a')
        .map((a) => a.getAttribute('href'))
        .filter((href) => href?.startsWith('javascript')),
    ).toEqual([]);
  });
});

describe('typed assumptions', () => {
  type Opened = Awaited<ReturnType<typeof open>>;
  const field = ({ within }: Opened, id: string): HTMLInputElement => within(`#${id}`)[0] as HTMLInputElement;
  const type = async (opened: Opened, id: string, text: string): Promise<void> => {
    const input = field(opened, id);
    input.value = text;
    input.dispatchEvent(new Event('change'));
    await settled();
  };
  const run = staggered;
  const known = '50,331,648, trainable parameters, recorded by the training';

  it('are sent as typed, kept in the address, remembered for the run and left behind with it', async () => {
    const opened = await open(run);
    const { backend, host, within, said } = opened;
    expect([field(opened, 'parameters').value, field(opened, 'parameters').placeholder]).toEqual(['', '50.3\u00a0M']);
    expect(said()).toContain(known);
    await type(opened, 'parameters', ' 30M ');
    await type(opened, 'bandwidth', 'NVLink 3');
    expect(backend.asked.at(-1)).toEqual({ run, ...UNTYPED, parameters: '30M', bandwidth: 'NVLink 3' });
    expect(host.state).toMatchObject({ parameters: '30M', bandwidth: 'NVLink 3' });
    expect(said()).toContain('30M, as typed. Empty the field to go back.');
    pick(within, healthy);
    await settled();
    expect(host.state).toEqual({ ...NOWHERE, run: healthy });
    pick(within, run);
    await settled();
    expect(host.state).toMatchObject({ parameters: '30M', bandwidth: 'NVLink 3' });
    expect(field(opened, 'bandwidth').value).toBe('NVLink 3');
  });

  it('of the address win over what is remembered', async () => {
    const host = new FakeHost({ ...NOWHERE, bandwidth: '600 GB/s' });
    host.keep(run, { ...UNTYPED, parameters: '1M', bandwidth: '1' });
    const { backend } = await open(run, new FakeBackend(), host);
    expect(backend.asked).toEqual([{ run, ...UNTYPED, bandwidth: '600 GB/s' }]);
  });

  it('are forgotten when the field is emptied', async () => {
    const opened = await open(run);
    await type(opened, 'parameters', '30M');
    await type(opened, 'parameters', '');
    expect(opened.said()).toContain(known);
    expect(opened.host.state.parameters).toBeNull();
    expect(opened.host.kept.get(run)).toEqual(UNTYPED);
  });

  it('that cannot be read are refused at their field, with everything else as it was', async () => {
    const opened = await open(run);
    await type(opened, 'bandwidth', '300');
    await type(opened, 'parameters', 'many');
    expect(opened.said()).toContain("The number of parameters cannot be read from 'many'.");
    expect(field(opened, 'parameters').value).toBe('many');
    expect(field(opened, 'parameters').getAttribute('aria-invalid')).toBe('true');
    expect(field(opened, 'bandwidth').getAttribute('aria-invalid')).toBe('false');
    expect(opened.host.state).toMatchObject({ parameters: null, bandwidth: '300' });
    expect(opened.within('tfperf-failure')).toHaveLength(0);
    await type(opened, 'bandwidth', '400');
    expect(field(opened, 'parameters').value).toBe('many');
    expect(opened.said()).toContain("cannot be read from 'many'");
    expect(opened.backend.asked.at(-1)).toMatchObject({ parameters: null, bandwidth: '400' });
    await type(opened, 'parameters', '2M');
    expect(opened.said()).not.toContain('cannot be read');
    expect(opened.host.state).toMatchObject({ parameters: '2M', bandwidth: '400' });
  });

  it.each([
    [{ ...UNTYPED, parameters: '1M', bandwidth: 'fast' }, { ...UNTYPED, parameters: '1M' }, ["from 'fast'"]],
    [{ ...UNTYPED, parameters: 'few', bandwidth: '300' }, { ...UNTYPED, bandwidth: '300' }, ["from 'few'"]],
    [{ ...UNTYPED, parameters: 'few', bandwidth: 'fast' }, UNTYPED, ["from 'few'", "from 'fast'"]],
  ])('of an address that cannot be read are refused one by one: %j', async (typed, used, messages) => {
    const opened = await open(run, new FakeBackend(), new FakeHost({ ...NOWHERE, ...typed }));
    expect(opened.host.state).toMatchObject(used);
    expect(opened.within('.refused').filter((p) => !p.hidden)).toHaveLength(messages.length);
    for (const message of messages) expect(opened.said()).toContain(message);
    expect(field(opened, 'parameters').value).toBe(typed.parameters);
    expect(field(opened, 'bandwidth').value).toBe(typed.bandwidth);
  });

  it('leave the last report in place, quietly, until the next one is there', async () => {
    const opened = await open(run);
    let finish = (): void => undefined;
    opened.backend.computing = new Promise((resolve) => (finish = resolve));
    await type(opened, 'parameters', '30M');
    expect(opened.said()).toContain('Recomputing …');
    expect(opened.said()).toContain(known);
    expect(field(opened, 'parameters').value).toBe('30M');
    field(opened, 'bandwidth').value = '60';
    finish();
    await settled();
    expect(opened.said()).not.toContain('Recomputing …');
    expect(opened.said()).toContain('30M, as typed');
    // What is being typed meanwhile is nobody's to change.
    expect(field(opened, 'bandwidth').value).toBe('60');
  });
});

/** Opens the table of this heading. */
async function openTable(root: HTMLElement[], heading: string): Promise<HTMLElement> {
  const details = root.find((d) => d.querySelector('summary')?.textContent === heading) as HTMLDetailsElement;
  details.open = true;
  details.dispatchEvent(new Event('toggle'));
  await settled();
  return details;
}

describe('AllReduce', () => {
  it('says its numbers beside the estimates, whom the others wait for, and why they differ', async () => {
    const { within } = await open(staggered);
    const words = text(within('tfperf-communication')[0] as HTMLElement);
    const { numbers, difference } = reportOf('staggered').allreduce!;
    for (const { term, value, known } of numbers.filter((one) => one.at === 'card' && one.term !== 'achievable'))
      expect(words).toContain(`${term} ${value} ${known}`);
    const waiting = numbers.find(({ term }) => term === 'measured waiting')!;
    expect(words).toContain(`measured waiting ${waiting.value} , mostly for GPU 3`);
    expect(words).toContain(difference);
    expect(
      within('svg[role=img]').some((svg) => svg.getAttribute('aria-label')?.startsWith('AllReduce of each step (7)')),
    ).toBe(true);
  });

  it('has its numbers in tables, made when they are opened', async () => {
    const { allreduce } = reportOf('staggered');
    const card: AllReduce = {
      ...allreduce!,
      steps: [{ step: 3, transfer_ns: 910_000, wait_ns: 3_950_000, exposed_ns: 4_020_000 }],
      calls: [
        {
          ...allreduce!.calls[0]!,
          step: 6,
          begin_ms: 147.1,
          size_bytes: 101_000_000,
          transfer_ns: 730_000,
          wait_ns: 15_200_000,
          exposed_ns: 5_900_000,
        },
      ],
    };
    const shown = patched(recorded('staggered'), { allreduce: card });
    const { within } = await open(staggered, new FakeBackend([staggered], [shown]));
    expect(within('tfperf-table details table')).toHaveLength(0);
    const {
      columns,
      rows: [size],
    } = tableOf(shown.report, 'sizes')!;
    const transfer = card.numbers.find(({ term }) => term === 'measured transfer')!;
    for (const [heading, row] of [
      ['Each number, and how it is known', `Measured transfer ${transfer.value} ${transfer.known}`],
      ['AllReduce of each step', '3 0.91 ms 4.0 ms 4.9 ms 4.0 ms'],
      ['By size of the call', plain(size!.map((cell, i) => cellWords(cell, columns[i]!)).join(' '))],
      ['The longest calls', 'AllReduce 6 101 MB 4 0.73 ms 15.2 ms 5.9 ms GPU 3 147.1 ms'],
    ] as const) {
      const table = await openTable(within('details'), heading);
      expect(
        [...table.querySelectorAll('tr')].map((tr) => text(tr).trim()),
        heading,
      ).toContain(row);
    }
  });

  it('explains its terms on focus', async () => {
    const { within, said } = await open(staggered);
    const term = within('tfperf-term').find((t) => t.shadowRoot?.querySelector('button')?.textContent === 'ring bound');
    const button = term?.shadowRoot?.querySelector('button');
    expect(said()).not.toContain('The least time in which a ring');
    button?.dispatchEvent(new Event('focus'));
    await settled();
    expect(said()).toContain('The least time in which a ring of n GPUs can reduce so many bytes');
    button?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    await settled();
    expect(said()).not.toContain('The least time in which a ring');
  });

  it('opens the trace at exactly the range of a call, and closes it', async () => {
    const { within, click, host } = await open(staggered);
    const calls = await openTable(within('details'), 'The longest calls');
    const call = reportOf('staggered').allreduce!.calls[1]!;
    const length = call.end_ms - call.begin_ms;
    await click(calls.querySelectorAll<HTMLElement>('button')[1]);
    const [viewer, ...others] = within('iframe') as HTMLIFrameElement[];
    expect(others).toHaveLength(0);
    const query = new URL(viewer?.src ?? '').searchParams;
    expect(Number(query.get('view_start'))).toBeCloseTo(call.begin_ms - length / 10, 5);
    expect(Number(query.get('view_end'))).toBeCloseTo(call.end_ms + length / 10, 5);
    const places = within('tfperf-communication')[0]?.shadowRoot?.querySelector('tfperf-trace');
    places?.shadowRoot?.querySelector<HTMLElement>('a[target=_parent]')?.click();
    expect(host.opened).toMatchObject([{ host: call.host, beginMs: call.begin_ms, endMs: call.end_ms }]);
    await click(places?.shadowRoot?.querySelector<HTMLElement>('.accent') ?? undefined);
    expect(within('iframe')).toHaveLength(0);
  });

  it('says that no collective was recorded, and asks for what the estimates need', async () => {
    const { said } = await open(reportOf('grouped').run);
    expect(said()).toContain('No collective was recorded in this profile.');
    expect(said()).toContain('not known: type it to get the estimates');
    expect(said()).toContain('measured transfer not recorded');
  });
});

describe('hosts', () => {
  it('are shown where there are several, slow ones first and against the median host', async () => {
    const pod = withHosts(recorded('many-hosts'), 16);
    const { run, by_host } = pod.report;
    const slow = by_host.find((one) => one.slow)!;
    const { within, unfold, click } = await open(run, new FakeBackend([run, healthy], [pod, recorded('healthy')]));
    await unfold();
    const panel = within('tfperf-hosts')[0]!;
    const rows = (): string[] => all(panel.shadowRoot!, 'tbody tr').map((row) => text(row).trim());
    expect(rows()).toHaveLength(12);
    const own = plain(duration(slow.own_ns));
    expect(rows()[0]).toMatch(new RegExp(`^worker2 slow ${own} \\+\\d.* ms ${plain(duration(slow.compute_ns))} `));
    await click(all(panel.shadowRoot!, 'button').find((one) => text(one).includes('Show all 16 rows')));
    expect(rows()).toHaveLength(16);
    pick(within, healthy);
    await settled();
    await unfold();
    expect(within('tfperf-hosts')).toHaveLength(0);
  });
});

describe('inside TensorBoard', () => {
  it('reloads at once when shown, and otherwise as soon as it is shown again', async () => {
    const { app, backend, host } = await open(healthy);
    app.reload();
    await settled();
    expect(backend.asked).toHaveLength(2);
    host.shown = false;
    app.reload();
    await settled();
    expect(backend.asked).toHaveLength(2);
    host.shown = true;
    host.show();
    await settled();
    expect(backend.asked).toHaveLength(3);
  });

  it('does not close what is open when the same report comes again', async () => {
    const { app, within, click } = await open(staggered);
    await click(within('.pick')[1]);
    app.reload();
    await settled();
    expect(selected(app.state)?.id).toBe('allreduce-exposed');
  });

  it('keeps the way back when the window changes its size', async () => {
    const { app, host, within, click } = await open(staggered);
    await click(within('.pick')[1]);
    host.show();
    await settled();
    app.controller.back();
    await settled();
    expect(app.state.address.finding).toBeNull();
  });

  it('keeps marks over a reload where there is no storage', async () => {
    const { app, host } = await open(staggered);
    host.keepMarks = () => undefined;
    app.controller.mark('gpu-stagger', 'done');
    app.reload();
    await settled();
    expect(app.state.marks).toEqual({ 'gpu-stagger': 'done' });
  });

  it('writes its part of the address again, and follows one that was typed', async () => {
    const { host, said } = await open(healthy);
    host.state = NOWHERE;
    host.show();
    expect(host.state.run).toBe(healthy);
    host.state = { ...NOWHERE, run: 'unreadable' };
    host.show();
    await settled();
    expect(said()).toContain('This profile cannot be read');
  });
});

describe('memory', () => {
  it('shows the memory of the fullest GPU, and of another', async () => {
    const { within, unfold, said } = await open(staggered);
    await unfold();
    const { devices } = reportOf('staggered').memory!;
    expect(said()).toContain(devices[0]!.said);
    const [choice] = all(within('tfperf-memory')[0]!.shadowRoot as ShadowRoot, 'select') as HTMLSelectElement[];
    choice!.value = '2';
    choice!.dispatchEvent(new Event('change'));
    await settled();
    expect(said()).toContain(devices[2]!.said);
  });

  it('says that there are more GPUs than it lists', async () => {
    const { memory } = reportOf('staggered');
    const panel = Object.assign(document.createElement('tfperf-memory'), { memory: { ...memory, devices_total: 128 } });
    document.body.append(panel);
    await settled();
    expect(text(panel)).toContain('the fullest 4 of 128 GPUs');
  });
});
