import { beforeEach, describe, expect, it } from 'vitest';
import type { MachineHost, MachineLane } from '../src/model.js';
import { lanePlot } from '../src/panels/machine/chart.js';
import '../src/panels/machine/element.js';
import type { MachineElement } from '../src/panels/machine/element.js';
import {
  moment,
  moved,
  nameOf,
  nextMark,
  readout,
  shareOf,
  stretchAt,
  timeTicks,
  topOf,
  valueAt,
  wordsAt,
} from '../src/panels/machine/logic.js';
import { reportOf } from '../src/recorded.js';
import { settled } from './settled.js';
import { plain } from './some.js';

const S = 1e9;
const LANE: MachineLane = {
  id: 'gpu.power',
  label: 'Power',
  of: 'GPU 0',
  unit: 'W',
  limit: 400,
  limit_of: 'allowed',
  usual: 300,
  most: 320,
  mean: [60, 300, 310, 60],
  low: [60, 290, 300, 60],
  high: [60, 310, 320, 60],
};
const HOST: MachineHost = {
  host: 'worker0',
  begin_ns: 1.7e18,
  watched_ns: 100 * S,
  end_ns: [10 * S, 40 * S, 80 * S, 100 * S],
  lanes: [LANE],
  steps_begin_ns: 50 * S,
  steps_end_ns: 51 * S,
  marks: [{ begin_ns: 0, end_ns: 10 * S, label: 'Late first step: 10.0 s', finding: 'late-start' }],
  said: 'worker0 was watched for 100 s.',
  missing: [],
  problems: [],
};

describe('time', () => {
  it.each([
    [0, '0 s'],
    [12.5, '12.5 s'],
    [59.9, '59.9 s'],
    [60, '1 min'],
    [750, '12 min 30 s'],
    [3599.8, '1 h'],
    [3900, '1 h 5 min'],
    [86_400, '1 d'],
    [97_200, '1 d 3 h'],
  ])('%d s is %s', (seconds, words) => {
    expect(plain(moment(seconds * S))).toBe(words);
  });

  it('has three to six ticks at round times', () => {
    const words = (seconds: number): string[] => timeTicks(seconds * S).map((tick) => plain(tick.words));
    expect(words(3600)).toEqual(['0 s', '15 min', '30 min', '45 min', '1 h']);
    expect(words(10 * 86_400)).toEqual(['0 s', '2 d', '4 d', '6 d', '8 d', '10 d']);
    for (const seconds of [3, 8, 45, 61, 700, 5000, 20_000, 90_000, 500_000]) {
      expect(words(seconds).length, `${seconds} s`).toBeGreaterThanOrEqual(3);
      expect(words(seconds).length, `${seconds} s`).toBeLessThanOrEqual(6);
    }
    expect(timeTicks(200 * S)[1]).toEqual({ words: moment(60 * S), share: 0.3 });
  });
});

describe('a moment', () => {
  it('lies in a stretch', () => {
    expect([0, 10, 39, 80, 100, 200].map((seconds) => stretchAt(HOST, seconds * S))).toEqual([0, 1, 1, 3, 3, 3]);
    expect(shareOf(HOST, 1)).toBe(0.25);
  });

  it('is said with what is marked there and with all values', () => {
    expect(plain(readout(HOST, 0))).toBe('0 s to 10 s · Late first step: 10.0 s');
    expect(plain(readout(HOST, 1))).toBe('10 s to 40 s');
    expect(plain(wordsAt(HOST, 2))).toBe('40 s to 1 min 20 s · profiled steps, Power · GPU 0 310 W');
    expect(plain(valueAt(LANE, 2).range)).toBe('300 W to 320 W');
    expect(valueAt(LANE, 3).range).toBe('');
  });

  it('is reached by keys, to the ends and from mark to mark', () => {
    expect([null, 0, 3].map((at) => moved(HOST, at, 'ArrowRight'))).toEqual([0, 1, 3]);
    expect([null, 0, 3].map((at) => moved(HOST, at, 'ArrowLeft'))).toEqual([3, 0, 2]);
    expect(moved(HOST, 1, 'Home')).toBe(0);
    expect(moved(HOST, 1, 'End')).toBe(3);
    expect([null, 0, 2].map((at) => moved(HOST, at, 'PageDown'))).toEqual([0, 2, 2]);
    expect([null, 2, 1].map((at) => moved(HOST, at, 'PageUp'))).toEqual([2, 0, 0]);
    expect(moved(HOST, 1, 'a')).toBeNull();
    expect(nextMark({ ...HOST, marks: [] }, 3, 1)).toBe(3);
  });
});

describe('a lane', () => {
  it('reaches to its limit, to its highest value if that is far lower or higher, and all of a share', () => {
    expect(topOf(LANE)).toBe(400);
    expect(topOf({ ...LANE, limit: 4000 })).toBe(320);
    expect(topOf({ ...LANE, limit: 310 })).toBe(320);
    expect(topOf({ ...LANE, limit: null })).toBe(320);
    expect(topOf({ ...LANE, limit: null, unit: 'ratio', most: 0.1 })).toBe(1);
    expect(topOf({ ...LANE, limit: null, most: 0 })).toBe(1);
  });

  it('is named with what it is of', () => {
    expect(plain(nameOf(LANE))).toBe('Power · GPU 0');
    expect(nameOf({ ...LANE, of: '' })).toBe('Power');
  });

  it('is drawn from 0 to its top, over the whole time, and its limit only below the top', () => {
    const path = (lane: MachineLane, name: string) => lanePlot(HOST, lane).querySelector(`.${name}`)?.getAttribute('d');
    const half = { ...LANE, limit: 100, most: 100, mean: [0, 50, 100, 0], low: [0, 50, 50, 0], high: [0, 50, 100, 0] };
    expect(path(half, 'mean')).toBe('M0 44.00V44.00H100.00V22.00H400.00V0.00H800.00V44.00H1000.00');
    expect(path(half, 'band')).toBe(
      'M0 44V44.00H100.00V22.00H400.00V0.00H800.00V44.00H1000.00V44.00H800.00V22.00H400.00V22.00H100.00V44.00H0.00Z',
    );
    expect(path(half, 'marked')).toBe('M0.00 0H100.00V44H0.00Z');
    expect(path(half, 'limit')).toBeUndefined();
    expect(path({ ...half, limit: 50 }, 'limit')).toBe('M0 22.00H1000');
  });
});

describe('the panel', () => {
  let panel: MachineElement;
  const all = (selector: string): string[] =>
    [...panel.shadowRoot.querySelectorAll(selector)].map(({ textContent }) => plain(textContent));
  const time = (): HTMLElement => panel.shadowRoot.getElementById('time')!;
  const press = async (key: string): Promise<void> => {
    time().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    await settled();
  };
  const show = async (...hosts: MachineHost[]): Promise<void> => {
    panel.machine = { hosts, hosts_total: hosts.length, running_ratio: 0.9, said: '' };
    document.body.replaceChildren(panel);
    await settled();
  };

  beforeEach(() => {
    panel = document.createElement('tfperf-machine') as MachineElement;
  });

  it('says means until a moment is chosen by keys, and again after Escape', async () => {
    await show(HOST);
    expect(all('.value')).toEqual(['300 W']);
    await press('PageDown');
    expect(all('#readout')).toEqual(['0 s to 10 s · Late first step: 10.0 s']);
    expect(all('.value')).toEqual(['60.0 W']);
    await press('PageDown');
    expect(all('.value')).toEqual(['310 W 300 W to 320 W']);
    expect(plain(time().getAttribute('aria-valuetext'))).toContain('profiled steps, Power · GPU 0 310 W');
    expect(time().getAttribute('aria-valuenow')).toBe('2');
    await press('Escape');
    expect(all('#readout')).toEqual(['Means while steps ran']);
    expect(panel.shadowRoot.querySelector('.cursor')).toBeNull();
  });

  it('lets one of several hosts be chosen, and says what is missing', async () => {
    await show(HOST, { ...HOST, host: 'other', lanes: [], marks: [], said: 'Other.', missing: ['No driver.'] });
    const choice = panel.shadowRoot.querySelector('select')!;
    expect([...choice.options].map(({ text }) => text)).toEqual(['worker0', 'other']);
    choice.selectedIndex = 1;
    choice.dispatchEvent(new Event('change'));
    await settled();
    expect(all('p')).toEqual(['Other.', 'No driver.']);
    expect(panel.shadowRoot.getElementById('lanes')).toBeNull();
  });

  it('shows what was recorded', async () => {
    const { machine } = reportOf('pausing');
    await show(...machine!.hosts);
    expect(all('.plot')).toHaveLength(machine!.hosts[0]!.lanes.length);
    expect(panel.shadowRoot.querySelectorAll('#time .mark')).toHaveLength(14);
  });
});
