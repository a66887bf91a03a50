/** Keys that act by themselves, without a modifier. */

import { type Storing, browserStorage, keep, recall } from './stored.js';

const FIELDS = 'input:not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable]';
const KEY = 'tfperf.keys';

/** Whether letters and signs act by themselves; this browser remembers it. */
export function singleKeysAct(storage: Storing = browserStorage): boolean {
  return recall(KEY, storage)['off'] !== true;
}

export function letSingleKeysAct(act: boolean, storage: Storing = browserStorage): void {
  keep(KEY, { off: act ? null : true }, storage);
}

/** Whether a key is to act on the page: not while somebody writes, reads a dialog or holds a modifier. */
export function isSingleKey(event: KeyboardEvent): boolean {
  const path = event.composedPath();
  const [target] = path;
  const writes = target instanceof Element && target.matches(FIELDS);
  const within = path.some((part) => part instanceof HTMLDialogElement);
  const held = event.ctrlKey || event.metaKey || event.altKey;
  // Keys with a name, such as Escape, are no single characters: they act always.
  return !writes && !within && !held && !event.defaultPrevented && (event.key.length > 1 || singleKeysAct());
}
