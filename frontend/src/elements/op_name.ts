import { elided } from '../format.js';

/** In a table, beside its numbers. */
const LENGTH = 44;

/** A name with its middle left out; hover shows all of it, and so does focus, to be copied. */
export function opName(full: string, length = LENGTH, head?: number): Node | string {
  const short = elided(full, length, head);
  if (!full) return 'not named';
  const span = document.createElement('span');
  span.textContent = short;
  span.className = 'elided';
  if (short === full) return span;
  span.title = full;
  span.tabIndex = 0;
  span.addEventListener('focus', () => (span.textContent = full));
  span.addEventListener('blur', () => (span.textContent = short));
  return span;
}
