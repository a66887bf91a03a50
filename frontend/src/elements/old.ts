// Only while elements are being converted.
import { html } from '@polymer/polymer/polymer-element.js';
import { SHARED } from '../theme.js';
const sheet = document.createElement('template');
sheet.innerHTML = `<style>${SHARED}</style>`;
export const sharedStyles = html`${sheet}`;
/** The event of a handler inside a dom-repeat over items of type T. */
export interface RepeatEvent<T> extends Event {
  model: { item: T; index: number };
}
