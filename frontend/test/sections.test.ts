import { beforeEach, describe, expect, it } from 'vitest';
import { recorded, reportOf } from '../src/recorded.js';
import { withHosts } from '../src/patches.js';
import type { Finding, Report } from '../src/model.js';
import '../src/panels/bar/element.js';
import { about, inView, links } from '../src/panels/bar/logic.js';
import '../src/panels/sections/element.js';
import type { SectionsElement } from '../src/panels/sections/element.js';
import { openAtFirst, titleOf, touched } from '../src/panels/sections/logic.js';
import { plain } from './some.js';
import { settled } from './settled.js';

const ids = (report: Report): string[] => report.sections.map(({ id }) => id);

function claims(accounts: Record<string, number>, group: Finding['group'] = 'one_gpu') {
  const [one] = reportOf('staggered').findings;
  const ns = Object.values(accounts).reduce((sum, part) => sum + part, 0);
  return { ...one!, id: 'any', group, saving: { ...one!.saving!, ns, accounts } };
}

describe('which sections are open', () => {
  it('follows from the accounts that a finding claims', () => {
    expect(touched(claims({ compute: 90, 'idle.input': 5 }))).toEqual(['kernels']);
    expect(touched(claims({ 'communication.wait': 50, 'idle.stagger': 50 }))).toEqual(['communication']);
    expect(touched(claims({ 'idle.launch': 50 }))).toEqual([]);
  });

  it('follows from what a finding is about', () => {
    expect(touched({ ...claims({}), saving: null, id: 'memory-pressure' })).toEqual(['memory']);
    expect(touched({ ...claims({}), saving: null, id: 'slow-host' })).toEqual(['hosts']);
    expect(touched({ ...claims({}), saving: null, group: 'input' })).toEqual(['input']);
    expect(touched({ ...claims({}), saving: null, group: 'precision' })).toEqual(['kernels']);
    expect(touched({ ...claims({}), saving: null, group: 'machine' })).toEqual(['machine']);
  });

  it('has communication unless nothing is to be fixed, and nothing that the run lacks', () => {
    const report = { ...reportOf('staggered'), findings: [] };
    expect([...openAtFirst(report, null)]).toEqual(['communication']);
    const healthy = { ...report, settled: true };
    expect([...openAtFirst(healthy, null)]).toEqual([]);
    expect([...openAtFirst(healthy, claims({ 'communication.wait': 1 }))]).toEqual(['communication']);
    const alone = { ...report, sections: report.sections.filter(({ id }) => id === 'checks') };
    expect([...openAtFirst(alone, claims({ compute: 1 }))]).toEqual([]);
    expect([...openAtFirst(report, claims({ compute: 1 }))]).toEqual(['communication', 'kernels']);
    expect([...openAtFirst({ ...report, ledger: null }, null)]).toEqual(['communication', 'input']);
  });
});

describe('sections', () => {
  let sections: SectionsElement;
  const head = (id: string): HTMLButtonElement => sections.shadowRoot.querySelector(`#${id} button`)!;
  const inside = (id: string): Element | null => sections.shadowRoot.querySelector(`#${id} .body`)!.firstElementChild;
  const show = async (report: Report): Promise<void> => {
    Object.assign(sections, { report, run: report.run });
    if (!sections.isConnected) document.body.append(sections);
    await settled();
  };

  beforeEach(() => {
    document.body.replaceChildren();
    sections = document.createElement('tfperf-sections');
  });

  it('say name, answer and number, and draw only what is open', async () => {
    const report = reportOf('staggered');
    await show(report);
    const shown = [...sections.shadowRoot.querySelectorAll('section')];
    expect(shown.map(({ id }) => id)).toEqual(ids(report));
    const communication = shown[0]!;
    expect(communication.querySelector('h2')!.textContent.trim()).toBe('Communication');
    expect(communication.querySelector('.answer')!.textContent.replaceAll('\u00a0', ' ')).toBe(
      report.sections[0]!.answer,
    );
    expect(communication.querySelector('.chip')!.textContent).toBe(report.sections[0]!.chip);
    expect(head('communication').getAttribute('aria-expanded')).toBe('true');
    expect(inside('communication')!.localName).toBe('tfperf-communication');
    expect(head('memory').getAttribute('aria-expanded')).toBe('false');
    expect(inside('memory')).toBeNull();
  });

  it('keep what the user opened and closed while the run is shown', async () => {
    const report = reportOf('staggered');
    await show(report);
    head('memory').click();
    head('communication').click();
    await show({ ...report, headline: 'Computed again.' });
    expect(inside('memory')!.localName).toBe('tfperf-memory');
    expect(inside('communication')).toBeNull();
    await show({ ...report, run: 'another' });
    expect(inside('memory')).toBeNull();
    expect(inside('communication')).not.toBeNull();
  });

  it('open for a link, with the focus on the heading', async () => {
    await show(reportOf('staggered'));
    sections.show('checks');
    expect(inside('checks')!.localName).toBe('tfperf-checks');
    expect(sections.shadowRoot.activeElement).toBe(head('checks'));
  });

  it('call ops of a host so where no kernel is known', () => {
    expect(titleOf('kernels', reportOf('staggered'))).toBe('Kernels');
    expect(titleOf('kernels', reportOf('host-only'))).toBe('Ops on the host');
  });
});

describe('the bar', () => {
  it('links to what the run has', () => {
    const words = (report: Report): string[] => links(report).map((link) => link.words);
    expect(words(reportOf('staggered')).slice(0, 3)).toEqual(['Step budget', 'Finding', 'Communication']);
    expect(words(withHosts(recorded('many-hosts'), 16).report)).toContain('Hosts');
    expect(words(reportOf('on-cpu')).slice(0, 2)).toEqual(['Time on the CPU', 'Finding']);
    expect(words({ ...reportOf('on-cpu'), host_time: null }).slice(0, 2)).toEqual(['All findings', 'Selected finding']);
    // What is not there has no link.
    expect(words(reportOf('host-only'))[0]).toBe('Ops on the host');
    expect(words(reportOf('host-only'))).not.toContain('Communication');
    expect(words({ ...reportOf('healthy'), findings: [] })).not.toContain('Finding');
  });

  it('says which part is in view', () => {
    const tops = [
      ['budget', -500],
      ['finding', 20],
      ['kernels', 300],
    ] as const;
    expect(inView(tops, 100)).toBe('finding');
    expect(inView(tops, -900)).toBe('budget');
    expect(inView([], 0)).toBeNull();
  });

  it('says what was analyzed', () => {
    expect(plain(about(reportOf('staggered')).join(' · '))).toMatch(
      /^4 × NVIDIA A100-SXM4-40GB · host worker0 · 7 steps · analyzed in /,
    );
  });

  it('names what recorded a run unless the trace viewer of TensorBoard shows it', () => {
    const report = reportOf('staggered');
    expect(about(report)).not.toContain(report.source);
    expect(about({ ...report, source: 'PyTorch profiler', viewer: 'Perfetto' })).toContain('PyTorch profiler');
  });

  it('opens a section and moves the focus there', async () => {
    const report = reportOf('staggered');
    const sections = Object.assign(document.createElement('tfperf-sections'), { report, run: report.run });
    const bar = Object.assign(document.createElement('tfperf-bar'), { report, run: report.run });
    const around = document.createElement('div').attachShadow({ mode: 'open' });
    document.body.replaceChildren(around.host);
    around.append(bar, sections);
    await settled();
    bar.shadowRoot!.querySelector<HTMLButtonElement>('[data-part=memory]')!.click();
    await settled();
    expect(sections.shadowRoot.activeElement!.id).toBe('memory-title');
    expect(sections.shadowRoot.querySelector('tfperf-memory')).not.toBeNull();
  });
});
