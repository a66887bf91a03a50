/** Keys that act by themselves, without a modifier. */

const FIELDS = 'input:not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable]';

/** Whether a key is to act on the page: not while somebody writes, or holds a modifier. */
export function isSingleKey(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  const writes = target instanceof Element && target.matches(FIELDS);
  return !writes && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey;
}
