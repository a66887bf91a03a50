/** What the user knows about a training: typed beside what it explains, remembered per run. */

import { type Storing, browserStorage, keep, recall } from './stored.js';

export interface Typed {
  /** Number of parameters of the model, as typed: "25.6M". */
  parameters: string | null;
  /** Bandwidth of one GPU, as typed: "600 GB/s", "NVLink 3". */
  bandwidth: string | null;
  /** Training steps of an epoch, as typed. */
  steps_per_epoch: string | null;
}

export type Field = keyof Typed;

/** Nothing was typed: what the report knows or estimates counts. */
export const UNTYPED: Typed = { parameters: null, bandwidth: null, steps_per_epoch: null };

export const FIELDS = Object.keys(UNTYPED) as readonly Field[];

/** Why a text cannot be used, in one sentence of the backend. */
export interface Refusal {
  text: string;
  message: string;
}

export type Refusals = Record<Field, Refusal | null>;

export const NONE_REFUSED: Refusals = { parameters: null, bandwidth: null, steps_per_epoch: null };

const KEY = 'tfperf.typed.';

/** What of it was typed, without what else an object holds. */
export function typedIn(from: Readonly<Record<Field, unknown>>): Typed {
  return Object.fromEntries(FIELDS.map((field) => [field, words(from[field])])) as unknown as Typed;
}

export function isTyped(typed: Typed): boolean {
  return FIELDS.some((field) => typed[field] !== null);
}

/** What was typed for this run in this browser. */
export function recallTyped(run: string, storage: Storing = browserStorage): Typed {
  const typed = typedIn(recall(KEY + run, storage) as Record<Field, unknown>);
  // The same each time, so that nothing is drawn again for it.
  return isTyped(typed) ? typed : UNTYPED;
}

/** Remembers what was typed for this run, or forgets it when that is nothing. */
export function keepTyped(run: string, typed: Typed, storage: Storing = browserStorage): void {
  keep(KEY + run, { ...typedIn(typed) }, storage);
}

function words(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
