/** The tables on demand of the Communication section. */

import { type Column, number } from '../../elements/table.js';
import { bytes, count, counted, duration, kept, timelineMs } from '../../format.js';
import type { CollectiveCall, Quantity } from '../../model.js';
import type { Step } from './chart.js';
import { type Chart, lastWords } from './logic.js';

const size = (value: number | null): string => (value === null ? 'not recorded' : bytes(value));

const capital = (words: string): string => `${words[0]?.toUpperCase()}${words.slice(1)}`;

export const LINES: Column<Quantity>[] = [
  { head: 'What', cell: ({ term }) => capital(term) },
  number('Value', ({ value }) => kept(value)),
  { head: 'How it is known', cell: ({ known }) => kept(known), kind: 'note name' },
];

export function stepColumns({ transfer, wait, steps }: Chart): Column<Step>[] {
  return [
    { head: 'Step', cell: ({ step }) => step, kind: 'name' },
    number(capital(transfer), ({ transfer_ns }) => duration(transfer_ns)),
    number(capital(wait), ({ wait_ns }) => duration(wait_ns)),
    number('Both', ({ transfer_ns, wait_ns }) => duration(transfer_ns + wait_ns)),
    ...(steps.some(({ exposed_ns }) => exposed_ns !== null)
      ? [number<Step>('Exposed', ({ exposed_ns }) => duration(exposed_ns ?? 0))]
      : []),
  ];
}

/**
 * @param name what a kind of call is called
 * @param open shows a call in the trace; null where the trace viewer does not have its host
 */
export function callColumns(
  name: (kind: string) => string,
  open: (call: CollectiveCall) => (() => void) | null,
): Column<CollectiveCall>[] {
  return [
    { head: 'Call', cell: ({ kind }) => name(kind) },
    number('Step', ({ step }) => String(step)),
    number('Size', ({ size_bytes }) => size(size_bytes)),
    number(
      'GPUs',
      ({ participants, hosts_count }) =>
        `${count(participants)}${hosts_count > 1 ? ` on ${counted(hosts_count, 'host')}` : ''}`,
    ),
    number('Transfer', ({ transfer_ns }) => duration(transfer_ns)),
    number('Waiting of all', ({ wait_ns }) => duration(wait_ns)),
    number('Exposed', ({ exposed_ns }) => duration(exposed_ns)),
    { head: 'Came last', cell: lastWords, kind: 'name' },
    {
      head: 'In the trace at',
      kind: 'number',
      cell: (call) => {
        const begin = timelineMs(call.begin_ms);
        const onClick = open(call);
        if (!onClick) return begin;
        const button = document.createElement('button');
        button.className = 'bare open';
        button.textContent = begin;
        button.setAttribute('aria-label', `Show ${name(call.kind)} of step ${call.step} at ${begin} in the trace`);
        button.addEventListener('click', onClick);
        return button;
      },
    },
  ];
}
