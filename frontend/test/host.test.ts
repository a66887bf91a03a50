import { describe, expect, it } from 'vitest';
import { NOWHERE } from '../src/address.js';
import { TensorboardHost, namePage, passReloadOn } from '../src/host.js';

const BASE = 'http://localhost/data/plugin/diagnostics/';

/** As much of TensorBoard's window as an address needs. */
function page(hash: string) {
  const location = { hash, href: `http://localhost/${hash}` };
  const history = {
    state: { kept: true },
    calls: 0,
    replaceState(_: unknown, __: string, url: string): void {
      this.calls++;
      location.hash = url.slice(url.indexOf('#'));
    },
  };
  return { location, history, window: { location, history } as unknown as Window };
}

describe('address', () => {
  it('is written in place, once', () => {
    const { location, history, window } = page('#diagnostics');
    const host = new TensorboardHost(window, BASE);
    host.writeAddress({ ...NOWHERE, run: 'r' });
    host.writeAddress({ ...NOWHERE, run: 'r' });
    expect(location.hash).toBe('#diagnostics&p.diagnostics.run=r');
    expect(history.calls).toBe(1);
    expect(host.readAddress().run).toBe('r');
  });

  it('is left alone while another tab is shown', () => {
    const { location, window } = page('#profile');
    new TensorboardHost(window, BASE).writeAddress({ ...NOWHERE, run: 'r' });
    expect(location.hash).toBe('#profile');
  });

  it('can be sent to somebody, and is not changed by that', () => {
    const { location, window } = page('#diagnostics&theme=x');
    const href = new TensorboardHost(window, BASE).link({ ...NOWHERE, run: 'a/b', finding: 'gpu-stagger' });
    expect(href).toBe(
      'http://localhost/#diagnostics&theme=x&p.diagnostics.run=a%2Fb&p.diagnostics.finding=gpu-stagger',
    );
    expect(location.hash).toBe('#diagnostics&theme=x');
    const alone = new TensorboardHost(null, 'https://host/pre/data/plugin/diagnostics/').link({ ...NOWHERE, run: 'r' });
    expect(alone).toBe('https://host/pre/#diagnostics&p.diagnostics.run=r');
  });

  it('is empty without TensorBoard, and nothing breaks', () => {
    const host = new TensorboardHost(null, BASE);
    host.writeAddress({ ...NOWHERE, run: 'r' });
    expect(host.readAddress()).toEqual(NOWHERE);
    expect(host.openProfileTab({ run: 'r', host: 'h', beginMs: 0, endMs: 1 })).toBe(false);
  });
});

describe('reload', () => {
  it('set on our frame lands on the frame of the Profile tab', () => {
    const page = document.implementation.createHTMLDocument();
    const [own, profile] = ['diagnostics', 'profile'].map((name) => {
      const frame = page.body.appendChild(page.createElement('iframe'));
      frame.setAttribute('src', `about:blank?data/plugin_entry.html?name=${name}`);
      return frame;
    }) as [HTMLIFrameElement, HTMLIFrameElement];
    const reload = (): void => undefined;
    passReloadOn(own);
    Object.assign(own, { reload });
    expect(Reflect.get(profile, 'reload')).toBe(reload);
    expect(Reflect.get(own, 'reload')).toBeUndefined();
  });
});

describe('page', () => {
  it('has a title and a language', () => {
    namePage();
    expect(document.title).toBe('Diagnostics');
    expect(document.documentElement.lang).toBe('en');
  });
});
