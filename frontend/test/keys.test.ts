import { afterEach, describe, expect, it } from 'vitest';
import { isSingleKey, letSingleKeysAct, singleKeysAct } from '../src/keys.js';
import '../src/panels/keys/element.js';
import type { KeysElement } from '../src/panels/keys/element.js';
import { KEYS } from '../src/panels/keys/logic.js';
import { settled } from './settled.js';

/** What `isSingleKey` says of a key that is pressed in `target`. */
function acts(target: HTMLElement, init: KeyboardEventInit): boolean | undefined {
  let said: boolean | undefined;
  const hear = (event: KeyboardEvent): void => void (said = isSingleKey(event));
  document.addEventListener('keydown', hear);
  target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, composed: true, ...init }));
  document.removeEventListener('keydown', hear);
  return said;
}

function put<T extends HTMLElement>(tag: string, change: Partial<T> = {}): T {
  const made = Object.assign(document.createElement(tag), change) as T;
  document.body.append(made);
  return made;
}

afterEach(() => {
  letSingleKeysAct(true);
  document.body.replaceChildren();
});

describe('single keys', () => {
  it('act outside fields and dialogs, without a modifier', () => {
    expect(acts(document.body, { key: 'j' })).toBe(true);
    expect(acts(put('button'), { key: 'j' })).toBe(true);
    expect(acts(put<HTMLInputElement>('input', { type: 'checkbox' }), { key: 'x' })).toBe(true);
    for (const tag of ['input', 'select', 'textarea', 'dialog']) expect(acts(put(tag), { key: 'j' })).toBe(false);
    expect(acts(document.body, { key: 'j', ctrlKey: true })).toBe(false);
  });

  it('can be switched off, which this browser remembers; keys with a name act on', () => {
    letSingleKeysAct(false);
    expect(singleKeysAct()).toBe(false);
    expect(acts(document.body, { key: '?' })).toBe(false);
    expect(acts(document.body, { key: 'Escape' })).toBe(true);
    letSingleKeysAct(true);
    expect(acts(document.body, { key: '?' })).toBe(true);
  });

  it('act where nothing can be stored', () => {
    const none = (): Storage => {
      throw new Error('no storage');
    };
    letSingleKeysAct(false, none);
    expect(singleKeysAct(none)).toBe(true);
  });
});

describe('the list of keys', () => {
  it('opens by "?" and by its button, names each key, and switches single keys off', async () => {
    const element = put<KeysElement>('tfperf-keys');
    await settled();
    const root = element.shadowRoot;
    const dialog = root.querySelector('dialog')!;
    const named = [...root.querySelectorAll('kbd')].map(({ textContent }) => textContent);
    expect(named).toEqual(KEYS.flatMap(({ keys }) => keys.flatMap(([names]) => names.split(' '))));
    expect(named).toEqual(
      expect.arrayContaining([...'j k x n [ ] + − 0 c r / p ?'.split(' '), 'Enter', 'Esc', '←', '→', '↑', '↓']),
    );

    acts(document.body, { key: '?' });
    expect(dialog.open).toBe(true);
    root.querySelector<HTMLElement>('header button')!.click();
    expect(dialog.open).toBe(false);

    const box = root.querySelector<HTMLInputElement>('input')!;
    expect(box.checked).toBe(true);
    box.click();
    expect(singleKeysAct()).toBe(false);
    acts(document.body, { key: '?' });
    expect(dialog.open).toBe(false);
    root.querySelector('button')!.click();
    expect(dialog.open).toBe(true);
  });
});
