/** What this browser remembers for the user. Everything may fail: a frame of another origin has no storage. */

/** Asking for the storage throws in a frame of another origin, so it is asked for inside try. */
export type Storing = () => Storage;

export const browserStorage: Storing = () => window.localStorage;

/** What was stored under `key`, as far as it is an object; else an empty one. */
export function recall(key: string, storage: Storing = browserStorage): Record<string, unknown> {
  try {
    const kept: unknown = JSON.parse(storage().getItem(key) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Stores `value`, or forgets it when it holds nothing. */
export function keep(key: string, value: object, storage: Storing = browserStorage): void {
  try {
    if (Object.values(value).every((part) => part === null)) storage().removeItem(key);
    else storage().setItem(key, JSON.stringify(value));
  } catch {
    // Without a storage it lasts as long as the page.
  }
}
