import { html } from 'lit-html';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Former, TfperfElement } from '../src/elements/base.js';
import { settled } from './settled.js';

class Doubler extends TfperfElement {
  static readonly properties = { value: Number, doubled: Number };
  value = 1;
  doubled = 0;
  readonly told: Former[] = [];

  protected override changed(former: Former): void {
    if ('value' in former) this.doubled = 2 * this.value;
  }

  protected override template() {
    return html`${this.doubled}`;
  }

  protected override drawn(former: Former): void {
    this.told.push(former);
  }
}
customElements.define('test-doubler', Doubler);

beforeEach(() => document.body.replaceChildren());

describe('an element', () => {
  it('is drawn once for a change, with what follows from it', async () => {
    const element = new Doubler();
    document.body.append(element);
    await settled();
    expect(element.told).toHaveLength(1);
    expect(element.shadowRoot.textContent).toBe('2');

    element.value = 4;
    await settled();
    expect(element.told.slice(1)).toEqual([{ value: 1 }]);
    expect(element.shadowRoot.textContent).toBe('8');
  });

  it('is not drawn when all is as it was, and tells later what has changed since', async () => {
    const element = new Doubler();
    document.body.append(element);
    await settled();
    element.value = 3;
    element.value = 1;
    await settled();
    expect(element.told).toHaveLength(1);

    element.doubled = 7;
    await settled();
    expect(element.told.slice(1)).toEqual([{ doubled: 2 }]);
    expect(element.shadowRoot.textContent).toBe('7');
  });
});
