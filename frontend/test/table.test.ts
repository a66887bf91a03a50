import { describe, expect, it } from 'vitest';
import { BackendError } from '../src/backend.js';
import '../src/elements/failure.js';
import '../src/elements/table.js';
import type { Column } from '../src/elements/table.js';
import { learn } from '../src/glossary.js';
import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';

learn({ terms: GLOSSARY.terms, heads: { some: { Own: 'Without the others.' } } });

interface Row {
  launches: number;
  own: number;
}

const COLUMNS: Column<Row>[] = [
  { head: 'Launches', cell: ({ launches }) => String(launches), kind: 'number', value: ({ launches }) => launches },
  { head: 'Own', cell: ({ own }) => String(own), kind: 'number', value: ({ own }) => own },
  { head: 'Note', cell: () => '', value: () => '' },
];

function heads(): { table: HTMLElement; ths: () => HTMLElement[] } {
  const items = [
    { launches: 1, own: 2 },
    { launches: 3, own: 1 },
  ];
  const table = Object.assign(document.createElement('tfperf-table'), {
    heading: 'All',
    panel: 'some',
    columns: COLUMNS,
    items,
    open: true,
  });
  document.body.append(table);
  return { table, ths: () => [...table.shadowRoot!.querySelectorAll<HTMLElement>('thead th')] };
}

describe('heads that sort', () => {
  it('say what they mean on hover and focus, and hide it again', () => {
    const { ths } = heads();
    const tips = [/^The CPU tells the GPU to run a kernel/, /^Without the others\.$/];
    for (const [i, meaning] of tips.entries()) {
      const [button, tip] = ths()[i]!.children as unknown as [HTMLElement, HTMLElement];
      expect(button.getAttribute('aria-description')).toMatch(meaning);
      for (const [shows, hides] of [
        ['pointerenter', 'pointerleave'],
        ['focus', 'blur'],
      ] as const) {
        button.dispatchEvent(new Event(shows));
        expect(tip.hidden).toBe(false);
        expect(tip.textContent).toMatch(meaning);
        button.dispatchEvent(new Event(hides));
        expect([tip.hidden, tip.textContent]).toEqual([true, '']);
      }
      button.dispatchEvent(new Event('focus'));
      button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
      expect(tip.hidden).toBe(true);
    }
  });

  it('still sort, and keep the focus with the meaning on it', () => {
    const { table, ths } = heads();
    (ths()[0]!.firstElementChild as HTMLElement).click();
    expect(ths()[0]!.getAttribute('aria-sort')).toBe('descending');
    expect(ths()[0]!.firstElementChild).toBe(table.shadowRoot!.activeElement);
    expect(
      [...table.shadowRoot!.querySelectorAll('tbody tr')].map((row) => row.firstElementChild!.textContent),
    ).toEqual(['3', '1']);
  });

  it('that are plain words have none', () => {
    expect(heads().ths()[2]!.querySelector('[role=tooltip], [aria-description]')).toBeNull();
  });
});

describe('too many analyses at once', () => {
  it('are said, with what to do next', () => {
    const failure = Object.assign(document.createElement('tfperf-failure'), {
      error: new BackendError('64 reports are being made.', 'busy'),
    });
    document.body.append(failure);
    const words = failure.shadowRoot!.textContent;
    expect(words).toContain('Too many analyses at once');
    expect(words).toContain('64 reports are being made.');
    expect(words).toContain('then try again');
  });
});
