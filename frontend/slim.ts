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

/** A piece of a template in which each run of white space with a line's end is one space. */
export function slimHtml(piece: string): string {
  return piece.replace(/\s*\n\s*/g, ' ');
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** All nodes of a syntax tree. */
function* nodes(tree: unknown): Generator<Node> {
  if (typeof tree !== 'object' || tree === null) return;
  if ('type' in tree && 'start' in tree) yield tree as Node;
  for (const part of Object.values(tree)) yield* nodes(part);
}

/** Shortens what stands in html`…` and css`…`. */
export function slimTemplates(): Plugin {
  return {
    name: 'slim-templates',
    apply: 'build',
    enforce: 'post',
    transform(code, id) {
      if (!/\/src\/.*\.ts$/.test(id)) return null;
      let slim = code;
      const tagged = [...nodes(this.parse(code))].filter(({ type }) => type === 'TaggedTemplateExpression');
      const pieces = tagged.flatMap(({ tag, quasi }) => {
        const { name } = tag as { name?: string };
        const quasis = (quasi as { quasis: Node[] }).quasis;
        const last = quasis.length - 1;
        if (name === 'css') return quasis.map((piece) => ({ piece, shorten: slimCss }));
        if (name !== 'html') return [];
        return quasis.map((piece, i) => ({
          piece,
          shorten: (text: string): string => {
            const short = slimHtml(text);
            const left = i === 0 ? short.trimStart() : short;
            return i === last ? left.trimEnd() : left;
          },
        }));
      });
      for (const { piece, shorten } of pieces.sort((a, b) => b.piece.start - a.piece.start)) {
        slim = slim.slice(0, piece.start) + shorten(slim.slice(piece.start, piece.end)) + slim.slice(piece.end);
      }
      return { code: slim, map: null };
    },
  };
}
