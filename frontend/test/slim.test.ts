import { describe, expect, it } from 'vitest';
import { slimTemplate } from '../slim.js';

describe('templates in the bundle', () => {
  it('keep one space where there was any, and none that only people need in css', () => {
    expect(
      slimTemplate(`
        <style>
          /* why */
          .a > .b, :host(:not([x])) td :hover { width: calc(100% - 2px); color: var(--ink); }
        </style>
        <b>one</b>
        <i>two, {three}: [[four]]</i>
      `),
    ).toBe(
      '<style>.a > .b,:host(:not([x])) td :hover{width:calc(100% - 2px);color:var(--ink)}</style> ' +
        '<b>one</b> <i>two, {three}: [[four]]</i>',
    );
  });
});
