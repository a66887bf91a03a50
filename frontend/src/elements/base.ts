/** What several elements share in TypeScript terms. */

/** The event of a handler inside a dom-repeat over items of type T. */
export interface RepeatEvent<T> extends Event {
  model: { item: T; index: number };
}

/** Says what happened; events pass through shadow roots up to the app. */
export function fire(element: HTMLElement, type: string, detail: unknown = null): void {
  element.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }));
}
