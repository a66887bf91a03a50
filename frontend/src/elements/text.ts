import { terms } from '../glossary.js';
import './term.js';

/** A sentence whose terms of the field tell their meaning. */
export function explained(sentence: string): (string | Node)[] {
  return terms(sentence).map((part) =>
    typeof part === 'string' ? part : Object.assign(document.createElement('tfperf-term'), part),
  );
}

/** The name of a run, which breaks behind its separators first. */
export function breakable(name: string): (string | Node)[] {
  return name.split(/(?<=[/_])/).flatMap((part) => [part, document.createElement('wbr')]);
}

/** `explained` as an element, for templates; it has no shadow, so what stands around it styles it. */
export class TextElement extends HTMLElement {
  set text(sentence: string | undefined) {
    const parts = explained(sentence ?? '');
    const [first] = parts;
    // ::first-letter of what is around does not reach into a term.
    if (first instanceof Element) first.setAttribute('first', '');
    this.replaceChildren(...parts);
  }
}

customElements.define('tfperf-text', TextElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-text': TextElement;
  }
}
