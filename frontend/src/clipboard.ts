/** Copying text, also where the browser gives pages no clipboard: TensorBoard is seldom served over HTTPS. */

/** Whether it worked; if not, the caller shows the text so that it can be copied by hand. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyOldWay(text);
  }
}

/** By a selection of its own; the focus and the reader's selection stay as they are. */
function copyOldWay(text: string): boolean {
  const focused = deepest(document.activeElement);
  const area = document.createElement('textarea');
  area.value = text;
  area.style.cssText = 'position:fixed;opacity:0';
  document.body.append(area);
  area.select();
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- pages without https have no other way
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    focused?.focus({ preventScroll: true });
  }
}

/** What has the focus, in whatever shadow root. */
export function deepest(element: Element | null): HTMLElement | null {
  const inner = element?.shadowRoot?.activeElement;
  return inner ? deepest(inner) : (element as HTMLElement | null);
}
