import { flush } from '@polymer/polymer/lib/utils/flush.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { NOWHERE } from '../src/address.js';
import '../src/elements/app.js';
import type { LedgerElement } from '../src/elements/ledger.js';
import { FakeBackend, FakeHost, REPORTS, crowded, hostOnly, idleGpus, staggered } from '../src/fakes.js';

beforeEach(() => document.body.replaceChildren());

/** All elements that match below `root`, through shadow roots. */
function all(root: ParentNode, selector: string): HTMLElement[] {
  const found = [...root.querySelectorAll<HTMLElement>(selector)];
  for (const element of root.querySelectorAll('*')) {
    if (element.shadowRoot) found.push(...all(element.shadowRoot, selector));
  }
  return found;
}

/** What is on screen below `root`: neither hidden, nor styles. */
function text(root: Node): string {
  if (root instanceof HTMLElement) {
    if (root.hidden || root.style.display === 'none' || ['STYLE', 'TEMPLATE'].includes(root.tagName)) return '';
  }
  if (root.nodeType === Node.TEXT_NODE) return root.textContent ?? '';
  const children = root instanceof Element && root.shadowRoot ? root.shadowRoot.childNodes : root.childNodes;
  return [...children].map(text).join(' ').replace(/[\s\u00a0]+/g, ' ');
}

async function settled(): Promise<void> {
  for (let i = 0; i < 8; i++) {
    await Promise.resolve();
    flush();
  }
}

async function open(run: string | null, backend = new FakeBackend(), host = new FakeHost()) {
  host.state = { ...host.state, run };
  const app = document.createElement('tfperf-app');
  document.body.append(app);
  void app.start(backend, host);
  await settled();
  const within = (selector: string): HTMLElement[] => all(app.shadowRoot as ShadowRoot, selector);
  const click = async (element: HTMLElement | undefined): Promise<void> => {
    expect(element).toBeDefined();
    element?.click();
    await settled();
  };
  return { app, backend, host, within, click, said: () => text(app) };
}

describe('states', () => {
  it('shows the newest run when the address names none, and says so in the address', async () => {
    const { host, said } = await open(null);
    expect(said()).toContain('Change first how the GPUs are launched');
    expect(host.state.run).toBe(REPORTS[0]?.run);
  });

  it('tells how to record a profile when there is none, and looks again', async () => {
    const backend = new FakeBackend([]);
    const { said, within, click } = await open(null, backend);
    expect(said()).toContain('No profiles in this log directory yet');
    expect(said()).toContain('tf.keras.callbacks.TensorBoard');
    expect(said()).toContain('tf.profiler.experimental.Trace');
    expect(within('tfperf-bar')).toHaveLength(0);
    backend.names = ['healthy'];
    await click(within('.accent')[0]);
    expect(said()).toContain('Nothing to fix above 5 % of a step.');
  });

  it('shows stage and share while the profile is analysed', async () => {
    const { said, within } = await open('analysing');
    expect(said()).toContain('Dividing each step among its causes');
    expect(said()).toContain('62 % done');
    expect(within('progress')).toHaveLength(1);
  });

  it.each([
    ['unreadable', 'ends in the middle of an event', 'Other runs stay usable'],
    ['gone', 'There is no run "gone"', 'Choose another run above'],
  ])('says what is wrong with the run %s, what to do, and stays usable', async (run, what, advice) => {
    const { said, within } = await open(run);
    expect(said()).toContain(what);
    expect(said()).toContain(advice);
    const picker = within('select')[0] as HTMLSelectElement;
    picker.value = 'healthy';
    picker.dispatchEvent(new Event('change'));
    await settled();
    expect(said()).toContain('Nothing to fix above 5 % of a step.');
  });

  it('says why there are no bars in a profile of the host alone', async () => {
    const { said } = await open(hostOnly().run);
    expect(said()).toContain('No GPU was recorded in this profile');
    expect(said()).not.toContain('not recorded');
    expect(said()).toContain('The checks that this profile allows found nothing that costs time.');
    expect(said()).not.toContain('Nothing to fix');
  });

  it('goes from a full report to any other state and back', async () => {
    const { backend, within, said } = await open(null);
    const picker = within('select')[0] as HTMLSelectElement;
    for (const run of backend.names.flatMap((name) => [name, staggered().run])) {
      picker.value = run;
      picker.dispatchEvent(new Event('change'));
      await settled();
      expect(said(), run).not.toContain('The analysis failed');
    }
  });

  it('lists the GPUs that ran nothing', async () => {
    const { said } = await open(idleGpus().run);
    expect(said()).toContain('GPU 2, GPU 3, GPU 4, GPU 5, GPU 6, GPU 7: ran no kernel.');
  });
});

describe('findings', () => {
  it('shows the first one open: what, how much, evidence, place, what to do', async () => {
    const { said, within } = await open(staggered().run);
    expect(within('tfperf-finding .head').map((h) => h.getAttribute('aria-expanded'))).toEqual(['true', 'false', 'false', 'false']);
    for (const part of ['critical', 'up to 7.1 ms', '32 %', 'high confidence', 'TF_GPU_THREAD_MODE', 'This also explains', 'Guide: GPU host thread contention']) {
      expect(said()).toContain(part);
    }
    expect(within('tfperf-stagger')).toHaveLength(1);
    const guide = within('a').find((a) => a.textContent?.startsWith('Guide'));
    expect([guide?.getAttribute('target'), guide?.getAttribute('rel')]).toEqual(['_blank', 'noopener']);
  });

  it('shows the second one open, too, if only that has a place to show', async () => {
    const { within } = await open(idleGpus().run);
    const heads = within('tfperf-finding:not([nested])').map((f) => f.shadowRoot?.querySelector('.head'));
    expect(heads.map((h) => h?.getAttribute('aria-expanded'))).toEqual(['true', 'true', 'false', 'false']);
  });

  it('keeps the one that was opened last in the address, and opens it from there', async () => {
    const { host, within, click } = await open(staggered().run);
    await click(within('tfperf-finding:not([nested])')[2]?.shadowRoot?.querySelector<HTMLElement>('.head') ?? undefined);
    expect(host.state.finding).toBe('memory-headroom');
    document.body.replaceChildren();
    const again = await open(staggered().run, new FakeBackend(), new FakeHost(host.state));
    expect(again.within('.head').map((h) => h.getAttribute('aria-expanded'))).toEqual(['false', 'false', 'true']);
  });

  it('shows the trace viewer on the chosen place inside the tab, once', async () => {
    const { within, click } = await open(staggered().run);
    await click(within('.place')[1]);
    await click(within('.accent')[0]);
    const [viewer, ...others] = within('iframe') as HTMLIFrameElement[];
    expect(others).toHaveLength(0);
    const query = new URL(viewer?.getAttribute('src') ?? '').searchParams;
    expect(Number(query.get('view_start'))).toBeCloseTo(118.3 - 2.19, 5);
    expect(viewer?.title).toContain('worker-0');
    await click(within('.accent')[0]);
    expect(within('iframe')).toHaveLength(0);
  });

  it('opens the Profile tab without a page load, but leaves a middle click to the browser', async () => {
    const { host, within } = await open(staggered().run);
    const link = within('a[target=_parent]')[0] as HTMLAnchorElement;
    expect(link.getAttribute('href')).toContain('#profile');
    const plain = new MouseEvent('click', { bubbles: true, cancelable: true });
    link.dispatchEvent(plain);
    expect(plain.defaultPrevented).toBe(true);
    expect(host.opened).toMatchObject([{ host: 'worker-0', beginMs: 96.2, endMs: 118.1 }]);
    const held = new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true });
    link.dispatchEvent(held);
    expect(held.defaultPrevented).toBe(false);
    expect(host.opened).toHaveLength(1);
  });

  it('hides the links, with a note, where the trace viewer is missing', async () => {
    const backend = new FakeBackend();
    backend.access = { state: 'no_plugin' };
    const { within, said } = await open(staggered().run, backend);
    expect(said()).toContain('profile plugin is missing');
    expect(within('.ways')).toHaveLength(0);
  });

  it('shows one snippet at a time', async () => {
    const { within, click, said } = await open(staggered().run);
    expect(said()).toContain('gpu_private python train.py');
    await click(within('.framework')[1]);
    expect(said()).toContain('os.environ["TF_GPU_THREAD_MODE"]');
    expect(said()).not.toContain('gpu_private python train.py');
  });

  it('lists what passed and what could not be checked on demand', async () => {
    const { within, click, said } = await open(staggered().run);
    expect(said()).not.toContain('No op names of the graph');
    const group = within('.group').find((g) => g.textContent?.includes('could not be checked'));
    await click(group);
    expect(group?.getAttribute('aria-expanded')).toBe('true');
    expect(said()).toContain('No op names of the graph');
    expect(said()).toContain('host_tracer_level=3');
  });

  it('opens a trust note with its fix, and closes it', async () => {
    const { within, click, said } = await open(staggered().run);
    await click(within('.chip')[0]);
    expect(said()).toContain('Start the profiler after the first steps.');
    await click(within('.chip')[0]);
    expect(said()).not.toContain('Start the profiler after the first steps.');
  });
});

describe('names are data', () => {
  it('shows markup in names as text and makes no link of a script', async () => {
    const { within, said } = await open(crowded().run);
    expect(said()).toContain('<img src=x onerror=');
    expect(within('img')).toHaveLength(0);
    expect(within('a').map((a) => a.getAttribute('href')).filter((href) => href?.startsWith('javascript'))).toEqual([]);
  });
});

describe('typed assumptions', () => {
  it('are sent, kept in the address and forgotten with the run', async () => {
    const { backend, host, within } = await open(staggered().run);
    const input = within('#parameters')[0] as HTMLInputElement;
    expect(input.value).toBe('25600000');
    input.value = '30000000';
    input.dispatchEvent(new Event('change'));
    await settled();
    expect(backend.asked.at(-1)).toMatchObject({ parameters: 30_000_000, bandwidth: null });
    expect(host.state.parameters).toBe(30_000_000);
    const picker = within('select')[0] as HTMLSelectElement;
    picker.value = 'healthy';
    picker.dispatchEvent(new Event('change'));
    await settled();
    expect(host.state).toEqual({ ...NOWHERE, run: 'healthy' });
  });

  it('that make no sense are left out when trying again', async () => {
    const host = new FakeHost({ ...NOWHERE, parameters: 1e99 });
    const { backend, within, click, said } = await open('bad request', new FakeBackend(), host);
    expect(said()).toContain('This cannot be asked');
    await click(within('.button')[0]);
    expect(backend.asked.at(-1)).toMatchObject({ run: 'bad request', parameters: null });
    expect(host.state.parameters).toBeNull();
  });
});

describe('inside TensorBoard', () => {
  it('reloads at once when shown, and otherwise as soon as it is shown again', async () => {
    const { app, backend, host } = await open('healthy');
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
    const { app, within, click } = await open(staggered().run);
    await click(within('.head').at(-1));
    const before = within('.head').map((h) => h.getAttribute('aria-expanded'));
    app.reload();
    await settled();
    expect(within('.head').map((h) => h.getAttribute('aria-expanded'))).toEqual(before);
    expect(before.filter((e) => e === 'true')).toHaveLength(2);
  });

  it('writes its part of the address again, and follows one that was typed', async () => {
    const { host, said } = await open('healthy');
    host.state = NOWHERE;
    host.show();
    expect(host.state.run).toBe('healthy');
    host.state = { ...NOWHERE, run: 'unreadable' };
    host.show();
    await settled();
    expect(said()).toContain('This profile cannot be read');
  });
});

describe('numbers as a table', () => {
  it('holds the account sums, the split of compute and the step', async () => {
    const { within } = await open(staggered().run);
    const details = within('tfperf-ledger')[0]?.shadowRoot?.querySelector('details');
    expect(details).toBeTruthy();
    if (details) {
      details.open = true;
      details.dispatchEvent(new Event('toggle'));
    }
    await settled();
    const ledger = within('tfperf-ledger')[0] as unknown as LedgerElement;
    const rows = ledger.table?.map((row) => [row.inner, row.words, row.cells[0]]);
    expect(ledger.columns).toEqual(['average', 'share', 'GPU 0', 'GPU 1', 'GPU 2', 'GPU 3']);
    expect(rows).toContainEqual(['inner', 'tensor core matmul', '9.4\u00a0ms']);
    expect(rows?.at(-1)).toEqual(['sum', 'step', '22.0\u00a0ms']);
    expect(within('.row svg')[0]?.getAttribute('aria-label')).toContain('compute, 13.2 ms, 60 % of the step'.replaceAll(' ms', '\u00a0ms').replaceAll(' %', '\u00a0%'));
  });
});
