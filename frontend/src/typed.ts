/** What the user knows about a training: typed in the AllReduce card, remembered per run. */

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
export interface Refusal {
  text: string;
  message: string;
}

export type Refusals = Record<Field, Refusal | null>;

export const NONE_REFUSED: Refusals = { parameters: null, bandwidth: null };

const KEY = 'tfperf.typed.';

/** Asking for the storage throws in a frame of another origin, so it is asked for inside try. */
type Storing = () => Storage;

const browserStorage: Storing = () => window.localStorage;

/** What was typed for this run in this browser. */
export function recallTyped(run: string, storage: Storing = browserStorage): Typed {
  try {
    const kept: unknown = JSON.parse(storage().getItem(KEY + run) ?? '{}');
    const texts = (kept ?? {}) as Record<string, unknown>;
    return { parameters: words(texts['parameters']), bandwidth: words(texts['bandwidth']) };
  } catch {
    return UNTYPED;
  }
}

/** Remembers what was typed for this run, or forgets it when that is nothing. */
export function keepTyped(run: string, { parameters, bandwidth }: Typed, storage: Storing = browserStorage): void {
  try {
    if (parameters === null && bandwidth === null) storage().removeItem(KEY + run);
    else storage().setItem(KEY + run, JSON.stringify({ parameters, bandwidth }));
  } catch {
    // Without a storage the address still holds it.
  }
}

function words(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
