/** What makes the bundle small beyond what the minifier does by itself. */

import type { Plugin } from 'vite';

/** Css without the space that only people need; values and selectors keep theirs. */
export function slimCss(css: string): string {
  return css
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/([{;][\w-]+): /g, '$1:')
    .replace(/;}/g, '}')
    .trim();
}

/** The pieces of one html`…`, in which each line's end with the white space around it is one space. */
function slimHtml(pieces: readonly string[]): string[] {
  const short = pieces.map((piece) => piece.replace(/\s*\n\s*/g, ' '));
  short[0] = short[0]?.trimStart() ?? '';
  short.push(short.pop()?.trimEnd() ?? '');
  return short;
}

interface Tagged {
  type: 'TaggedTemplateExpression';
  tag: { name?: string };
  quasi: { quasis: { start: number; end: number }[] };
}

function* taggedTemplates(tree: unknown): Generator<Tagged> {
  if (typeof tree !== 'object' || tree === null) return;
  if ('type' in tree && tree.type === 'TaggedTemplateExpression') yield tree as Tagged;
  for (const part of Object.values(tree)) yield* taggedTemplates(part);
}

/** A module with less in its html`…` and css`…`. */
export function slimModule(code: string, tree: unknown): string {
  const cuts = [...taggedTemplates(tree)].flatMap(({ tag, quasi: { quasis } }) => {
    const pieces = quasis.map(({ start, end }) => code.slice(start, end));
    const short = tag.name === 'html' ? slimHtml(pieces) : tag.name === 'css' ? pieces.map(slimCss) : pieces;
    return quasis.map(({ start, end }, i) => ({ start, end, short: short[i] ?? '' }));
  });
  cuts.sort((a, b) => a.start - b.start);
  let [slim, at] = ['', 0];
  for (const { start, end, short } of cuts) {
    slim += code.slice(at, start) + short;
    at = end;
  }
  return slim + code.slice(at);
}

/** Shortens the templates and styles of our own modules. */
export function slimTemplates(): Plugin {
  return {
    name: 'slim-templates',
    apply: 'build',
    enforce: 'post',
    transform(code, id) {
      return /\/src\/.*\.ts$/.test(id) ? { code: slimModule(code, this.parse(code)), map: null } : null;
    },
  };
}
