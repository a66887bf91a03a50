import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { pageHref, webAddress } from '../links.js';
import type { Fix, Guide, Snippet } from '../model.js';
import { sharedStyles } from './old.js';
import type { RepeatEvent } from './base.js';
import './code.js';
import './copy.js';

/** What to do, most useful first, with code to copy and where to read more. */
export class FixElement extends PolymerElement {
  static get is() {
    return 'tfperf-fix';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        h4 { font-size: 13px; margin: 0 0 2px; }
        ol { padding-left: 20px; }
        li { padding-left: 2px; }
        .frameworks { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 10px; }
        .framework { border-bottom: 2px solid transparent; color: var(--ink-2); font-size: 13px; }
        .framework:hover { color: var(--ink); }
        .framework[aria-pressed='true'] { border-bottom-color: var(--accent); color: var(--ink); }
        .links { display: flex; flex-wrap: wrap; gap: 2px 16px; list-style: none; margin-top: 8px; overflow-wrap: anywhere; padding: 0; }
      </style>
      <h4 id="do">Do this <tfperf-copy words="Copy this fix" text="[[whole(fix, snippet)]]"></tfperf-copy></h4>
      <p hidden$="[[!fix.summary]]">[[fix.summary]]</p>
      <ol aria-labelledby="do" hidden$="[[!fix.actions.length]]">
        <template is="dom-repeat" items="[[fix.actions]]"><li>[[item]]</li></template>
      </ol>
      <template is="dom-if" if="[[snippet]]">
        <div class="frameworks" hidden$="[[alone(fix)]]">
          <template is="dom-repeat" items="[[fix.snippets]]">
            <button class="bare framework" aria-pressed$="[[isChosen(item, snippet)]]" on-click="onChoose">[[item.framework]]</button>
          </template>
        </div>
        <tfperf-code framework="[[snippet.framework]]" code="[[snippet.code]]"></tfperf-code>
      </template>
      <ul class="links note">
        <template is="dom-repeat" items="[[read(fix, guide, rule)]]">
          <li>
            <template is="dom-if" if="[[item.href]]">
              <a href$="[[item.href]]" target="_blank" rel="noopener">[[item.title]]</a>
            </template>
            <template is="dom-if" if="[[!item.href]]">[[item.title]]</template>
          </li>
        </template>
      </ul>
    `;
  }

  static get properties() {
    return {
      fix: { type: Object, observer: 'onFix' },
      guide: Object,
      /** Id of the rule whose page says how this is measured. */
      rule: String,
      /** The snippet that is shown. */
      snippet: { type: Object, value: null },
    };
  }

  /** All undefined for a moment, when the note around them is closed. */
  declare fix: Fix | undefined;
  declare guide: Guide | undefined;
  declare rule: string | undefined;
  declare snippet: Snippet | null;

  onFix(fix: Fix | undefined): void {
    this.snippet = fix?.snippets[0] ?? null;
  }

  onChoose(event: RepeatEvent<Snippet>): void {
    this.snippet = event.model.item;
  }

  /** As plain text: for a chat, an issue or a commit message. */
  whole(fix: Fix | undefined, snippet: Snippet | null): string {
    const steps = fix?.actions.map((action, i) => `${i + 1}. ${action}`) ?? [];
    const code = snippet ? ['', `${snippet.framework}:`, snippet.code] : [];
    return [fix?.summary ?? '', ...steps, ...code].filter((line, i) => line || i > 0).join('\n');
  }

  alone(fix: Fix | undefined): boolean {
    return (fix?.snippets.length ?? 0) < 2;
  }

  isChosen(item: Snippet, snippet: Snippet | null): string {
    return String(item === snippet);
  }

  read(
    fix: Fix | undefined,
    guide: Guide | undefined,
    rule: string | undefined,
  ): { title: string; href: string | undefined }[] {
    if (!fix || !guide || !rule) return [];
    const links = fix.links.map(({ title, url }) => ({ title: title.trim() || url, href: webAddress(url) }));
    if (guide.section) links.unshift({ title: `Guide: ${guide.section}`, href: webAddress(guide.url) });
    links.unshift({ title: 'How this is measured', href: pageHref(document.baseURI, rule) });
    return links;
  }
}

customElements.define(FixElement.is, FixElement);
