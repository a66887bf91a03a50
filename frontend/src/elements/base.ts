/** What several elements share in TypeScript terms. */

/** The event of a handler inside a dom-repeat over items of type T. */
export interface RepeatEvent<T> extends Event {
  model: { item: T; index: number };
}

/** Asks who is above for something; they answer at once, or the answer is `undefined`. */
export function ask<T>(element: HTMLElement, type: string, question: object = {}): T | undefined {
  const detail: { answer?: T } = { ...question };
  fire(element, type, detail);
  return detail.answer;
}

/** Says what happened; events pass through shadow roots up to the app. */
export function fire(element: HTMLElement, type: string, detail: unknown = null): void {
  element.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }));
}
