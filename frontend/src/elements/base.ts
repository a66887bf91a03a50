/** What all elements are made of, and how they talk to those above them. */

import { PropertiesMixin } from '@polymer/polymer/lib/mixins/properties-mixin.js';
import { type TemplateResult, render } from 'lit-html';
import { isSingleKey } from '../keys.js';
import { SHARED } from '../theme.js';

/** The former values of the properties that changed. */
export type Former = Readonly<Record<string, unknown>>;

/**
 * An element with Polymer's properties and lit-html's templates. It is drawn when it enters the page, and once
 * more after any of its `properties` changed. Without dom-if and dom-repeat little of Polymer is left to load.
 */
export abstract class TfperfElement extends PropertiesMixin(HTMLElement) {
  /** Its styles, beside those that all share. */
  static readonly styles: string = '';
  declare readonly shadowRoot: ShadowRoot;
  /** Its properties when it was last drawn. */
  private drawnWith: Former = {};

  constructor() {
    super();
    const { styles } = this.constructor as typeof TfperfElement;
    this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheet(SHARED), sheet(styles)];
  }

  /** What is shown; handlers in it are called on this element. */
  protected abstract template(): TemplateResult;

  /** Before drawing: what follows from properties, where a getter will not do. */
  protected changed?(former: Former): void;

  /** After drawing: what templates cannot do. */
  protected drawn?(former: Former): void;

  /** A key that acts on the page, wherever the focus is. */
  protected onPageKey?(event: KeyboardEvent): void;

  private readonly hear = (event: KeyboardEvent): void => {
    if (isSingleKey(event)) this.onPageKey?.(event);
  };

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.onPageKey) document.addEventListener('keydown', this.hear);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.hear);
  }

  /** Draws without waiting, where the next line needs what is drawn. */
  protected drawNow(): void {
    this._flushProperties();
  }

  override _shouldPropertiesChange(now: object, changes: object | null): boolean {
    return !this.shadowRoot.hasChildNodes() || this.undrawn(now, changes).length > 0;
  }

  override _propertiesChanged(now: object, changes: object | null, _former: object | null): void {
    const before = Object.fromEntries(this.undrawn(now, changes).map((name) => [name, this.drawnWith[name]]));
    this.changed?.(before);
    this.drawnWith = { ...now };
    render(this.template(), this.shadowRoot, { host: this });
    this.drawn?.(before);
  }

  /** Those of the changed properties that are not drawn as they are; what `changed` sets is drawn at once. */
  private undrawn(now: object, changes: object | null): string[] {
    return Object.keys(changes ?? {}).filter((name) => (now as Former)[name] !== this.drawnWith[name]);
  }

  /** The part of the template with that id. */
  protected child(id: string): HTMLElement {
    return this.shadowRoot.getElementById(id) as HTMLElement;
  }
}

const sheets = new Map<string, CSSStyleSheet>();

/** One sheet for all elements with the same styles. */
function sheet(styles: string): CSSStyleSheet {
  let found = sheets.get(styles);
  if (!found) {
    sheets.set(styles, (found = new CSSStyleSheet()));
    found.replaceSync(styles);
  }
  return found;
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
