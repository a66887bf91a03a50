/** What makes the bundle small beyond what the minifier does by itself. */

import type { Plugin } from 'vite';

/** The polyfills and the legacy settings of Polymer that are not here: its branches for them fall away. */
export const NO_POLYFILLS = Object.fromEntries(
  ['Polymer', 'ShadyDOM', 'ShadyCSS', 'HTMLImports'].map((name) => [`window.${name}`, 'undefined']),
);

/** The css of a template without the space that only people need; values and selectors keep theirs. */
function slimCss(css: string): string {
  return css
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/([{;][\w-]+): /g, '$1:')
    .replace(/;}/g, '}')
    .trim();
}

/** A template as it was, in which each run of white space is one space. */
export function slimTemplate(template: string): string {
  return template
    .replace(/(<style>)([^]*?)(<\/style>)/g, (_, open: string, css: string, close: string) => open + slimCss(css) + close)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

/** Shortens what stands in html`…` of our own modules, and the design tokens. */
export function slimTemplates(): Plugin {
  return {
    name: 'slim-templates',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/src\/.*\.ts$/.test(id)) return null;
      return {
        code: code
          .replace(/\bhtml`([^`]*)`/g, (_, template: string) => `html\`${slimTemplate(template)}\``)
          .replace(/(\bTOKENS = `)([^`]*)`/, (_, head: string, css: string) => `${head}${slimCss(css)}\``),
        map: null,
      };
    },
  };
}

/** HTML imports and urls in css, which Polymer still knows and we have none of: what is left of those modules. */
const UNUSED_OF_POLYMER: Record<string, string> = {
  'elements/dom-module.js': 'export const DomModule = { import: () => null };',
  'utils/style-gather.js':
    "export const stylesFromTemplate = (template) => [...template.content.querySelectorAll('style')];" +
    'export const stylesFromModuleImports = () => [];',
  'utils/resolve-url.js':
    "export const resolveUrl = (url) => url; export const resolveCss = (css) => css; export const pathFromUrl = () => '';",
};

export function slimPolymer(): Plugin {
  return {
    name: 'slim-polymer',
    apply: 'build',
    load(id) {
      return UNUSED_OF_POLYMER[id.split('/@polymer/polymer/lib/')[1] ?? ''] ?? null;
    },
  };
}
