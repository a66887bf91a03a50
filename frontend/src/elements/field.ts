import { html, nothing } from 'lit-html';
import type { Report } from '../model.js';
import { css } from '../theme.js';
import type { Field, Refusal } from '../typed.js';
import { type Former, TfperfElement, fire } from './base.js';

/** A field for what the user knows and the profile does not say; emptied, it gives the question back to the profile. */
export class FieldElement extends TfperfElement {
  static override readonly styles = css`
    label {
      display: block;
      font-size: 13px;
    }
    input {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      color: var(--ink);
      display: block;
      margin-top: 3px;
      max-width: 300px;
      padding: 5px 8px;
      width: 100%;
    }
    input::placeholder {
      color: var(--ink-2);
      opacity: 1;
    }
    input[aria-invalid='true'] {
      border-color: var(--critical);
    }
    p {
      margin-top: 3px;
    }
    .note::first-letter {
      text-transform: uppercase;
    }
    .refused {
      color: var(--critical);
      font-size: 13px;
    }
  `;
  static readonly properties = {
    name: String,
    label: String,
    hint: String,
    note: String,
    choices: Object,
    typed: String,
    refusal: Object,
    report: Object,
  };

  name: Field = 'parameters';
  label = '';
  /** What counts while nothing is typed, or an example. */
  hint = '';
  note = '';
  choices: readonly string[] = [];
  typed: string | null = null;
  refusal: Refusal | null = null;
  /** What it was typed for. */
  report: Report | null = null;
  /** What the field held when it was last set or taken over; other text is still being typed. */
  private settled = '';

  protected override template() {
    const { name, refusal, choices } = this;
    return html`
      <label for=${name}>${this.label}</label>
      <input
        id=${name}
        type="text"
        autocomplete="off"
        spellcheck="false"
        list=${choices.length > 0 ? 'choices' : nothing}
        placeholder=${this.hint}
        aria-invalid=${refusal !== null}
        aria-describedby="${name}-refused ${name}-note"
        @change=${this.onTyped}
      />
      <datalist id="choices">${choices.map((choice) => html`<option .value=${choice}></option>`)}</datalist>
      <p id="${name}-refused" class="refused name" role="alert" ?hidden=${!refusal}>${refusal?.message}</p>
      <p id="${name}-note" class="note name" ?hidden=${!this.note}>${this.note}</p>
    `;
  }

  /** Shows what was typed, but takes nothing out of a hand that types. */
  protected override drawn(former: Former): void {
    if (!['report', 'typed', 'refusal'].some((name) => name in former)) return;
    const input = this.child(this.name) as HTMLInputElement;
    if (input.value === this.settled) input.value = this.settled = this.refusal?.text ?? this.typed ?? '';
  }

  private onTyped(event: Event): void {
    const { value } = event.target as HTMLInputElement;
    this.settled = value;
    fire(this, 'assume', { field: this.name, text: value.trim() || null });
  }
}

customElements.define('tfperf-field', FieldElement);
