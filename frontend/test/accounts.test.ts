import { describe, expect, it } from 'vitest';
import { accountLook, drawn } from '../src/accounts.js';
import { TOKENS } from '../src/theme.js';

const IDS = [
  'compute',
  'communication.transfer',
  'communication.wait',
  'copy.h2d',
  'copy.d2h',
  'copy.d2d',
  'idle.input',
  'idle.launch',
  'idle.compile',
  'idle.startup',
  'idle.host_op',
  'idle.sync',
  'idle.between_steps',
  'idle.stagger',
  'idle.unknown',
];

const [light = '', dark = ''] = TOKENS.split("[data-theme='dark']");

function tokens(css: string): Map<string, string> {
  return new Map([...css.matchAll(/(--[\w-]+): (#[0-9a-f]{3,6})/g)].map((m) => [m[1] ?? '', m[2] ?? '']));
}

/** WCAG contrast of two colours like #1967d2 or #fff. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string): number => {
    const full = hex.length === 4 ? hex.replace(/[0-9a-f]/g, '$&$&') : hex;
    const [r = 0, g = 0, blue = 0] = [1, 3, 5].map((at) => {
      const c = parseInt(full.slice(at, at + 2), 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

describe('accounts', () => {
  it('gives every account words, and a look of its own by colour and pattern', () => {
    const looks = IDS.map(accountLook);
    expect(new Set(looks.map(({ words }) => words)).size).toBe(IDS.length);
    expect(new Set(looks.map(({ colour, pattern }) => colour + pattern)).size).toBe(IDS.length);
  });

  it('has a colour for every account in both themes', () => {
    for (const id of IDS) {
      expect(tokens(light).has(accountLook(id).colour), id).toBe(true);
      expect(tokens(dark).has(accountLook(id).colour), id).toBe(true);
    }
  });

  it('shows an account it does not know', () => {
    expect(accountLook('idle.new_kind').words).toBe('new kind');
    expect(accountLook('tensor_core_matmul').words).toBe('tensor core matmul');
  });

  it('draws in one order, unknown ids last, and leaves out what holds no time', () => {
    const ids = ['idle.new_kind', 'idle.unknown', 'communication.wait', 'compute', 'idle.stagger'];
    const accounts = [...ids.map((id) => ({ id, ns: 1 })), { id: 'idle.input', ns: 0 }];
    expect(drawn(accounts).map(({ id }) => id)).toEqual([...ids].reverse());
  });
});

describe('theme', () => {
  const pairs = [
    ['--ink', '--page'],
    ['--ink-2', '--page'],
    ['--ink-2', '--ground'],
    ['--ink-2', '--panel'],
    ['--accent', '--panel'],
    ['--on-accent', '--accent'],
    ['--critical', '--critical-ground'],
    ['--warning', '--warning-ground'],
    ['--info', '--info-ground'],
    ['--page', '--ink'],
  ] as const;

  it.each([
    ['light', light],
    ['dark', dark],
  ])('%s text can be read', (_, css) => {
    const own = tokens(css);
    for (const [text, ground] of pairs) {
      expect(contrast(own.get(text) ?? '', own.get(ground) ?? ''), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('has the same tokens in both themes', () => {
    expect([...tokens(dark).keys()].sort()).toEqual([...tokens(light).keys()].sort());
  });
});
