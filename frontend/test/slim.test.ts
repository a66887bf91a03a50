import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { slimCss, slimModule } from '../slim.js';

describe('what stands in templates, in the bundle', () => {
  it('has no space in css that only people need', () => {
    const css = `
      /* why */
      .a > .b, :host(:not([x])) td :hover { width: calc(100% - 2px); color: var(--ink); }
    `;
    expect(slimCss(css)).toBe('.a > .b,:host(:not([x])) td :hover{width:calc(100% - 2px);color:var(--ink)}');
  });

  it('keeps one space where there was any, templates within templates too, and nothing else changes', () => {
    const code = `
      const a = css\`
        b { color: red; }
      \`;
      const t = html\`
        <b>one</b>
        \${x ? html\`
          <i>two,
            {three}</i>\` : \`
          no template \`}
        <u>\${y} four</u>
      \`;`;
    expect(slimModule(code, parseAst(code))).toBe(`
      const a = css\`b{color:red}\`;
      const t = html\`<b>one</b> \${x ? html\`<i>two, {three}</i>\` : \`
          no template \`} <u>\${y} four</u>\`;`);
  });
});
