/** What the user knows about a training: typed in the section Communication, remembered per run. */

import { type Storing, browserStorage, keep, recall } from './stored.js';

export interface Typed {
  /** Number of parameters of the model, as typed: "25.6M". */
  parameters: string | null;
  /** Bandwidth of one GPU, as typed: "600 GB/s", "NVLink 3". */
  bandwidth: string | null;
}

export type Field = keyof Typed;

/** Nothing was typed: what the report knows or estimates counts. */
export const UNTYPED: Typed = { parameters: null, bandwidth: null };

export const FIELDS: readonly Field[] = ['parameters', 'bandwidth'];

/** Why a text cannot be used, in one sentence of the backend. */
interface Refusal {
  text: string;
  message: string;
}

export type Refusals = Record<Field, Refusal | null>;

export const NONE_REFUSED: Refusals = { parameters: null, bandwidth: null };

const KEY = 'tfperf.typed.';

/** What was typed for this run in this browser. */
export function recallTyped(run: string, storage: Storing = browserStorage): Typed {
  const kept = recall(KEY + run, storage);
  const [parameters, bandwidth] = [words(kept.parameters), words(kept.bandwidth)];
  // The same each time, so that nothing is drawn again for it.
  return parameters === null && bandwidth === null ? UNTYPED : { parameters, bandwidth };
}

/** Remembers what was typed for this run, or forgets it when that is nothing. */
export function keepTyped(run: string, { parameters, bandwidth }: Typed, storage: Storing = browserStorage): void {
  keep(KEY + run, { parameters, bandwidth }, storage);
}

function words(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
