import type { Finding } from '../src/model.js';
import { reportOf } from '../src/recorded.js';

/** The first finding of the run "staggered", which explains no other, with a change. */
export function finding(change: Partial<Finding> = {}): Finding {
  return { ...reportOf('staggered').findings[0]!, explains: [], ...change };
}

/** The text with simple blanks, one at a time. */
export const plain = (text: string | null | undefined): string => (text ?? '').replace(/[\s\u00a0]+/g, ' ').trim();
