/**
 * Life inside TensorBoard: an iframe of the same origin, made on the first visit and then kept.
 *
 * Everything about the parent is optional: the same page runs alone on the dev page, and a parent of
 * another origin (a notebook) must not break it.
 */

import { type AddressState, NOWHERE, isOurs, readAddress, writeAddress } from './address.js';
import { profileFrameHref, profileTabQuery, tensorboardRoot, type TraceTarget, withRange } from './links.js';
import { type Marks, keepMarks, recallMarks } from './list.js';
import { type Typed, keepTyped, recallTyped } from './typed.js';

/** What the tab needs from the page around it. */
export interface Host {
  readAddress(): AddressState;
  writeAddress(state: AddressState): void;
  /** What comes next is one step further in the browser's history. */
  stepOn(): void;
  /** One step back in the browser's history. */
  back(): void;
  /** What the user typed for this run before. */
  recall(run: string): Typed;
  keep(run: string, typed: Typed): void;
  /** The address that shows `state` in TensorBoard, to be sent to somebody. */
  link(state: AddressState): string;
  /** How the user marked findings of this run. */
  marks(run: string): Marks;
  keepMarks(run: string, marks: Marks): void;
  /** TensorBoard keeps this page, without a size, while it shows another tab. */
  isShown(): boolean;
  /** Calls back when this tab is shown again, and when the address changed while it is. */
  onShown(callback: () => void): void;
  /** Shows a range in the Profile tab without a page load; false where there is no such tab. */
  openProfileTab(target: TraceTarget): boolean;
}

/** How long the Profile tab may take to build its viewer before the zoom is given up. */
const VIEWER_WAIT_MS = 20_000;

/** The window of TensorBoard, or null when this page stands alone or may not look at its parent. */
function tensorboardWindow(): Window | null {
  try {
    return window.parent.document === document ? null : window.parent;
  } catch {
    return null;
  }
}

function profileFrame(page: Document): HTMLIFrameElement | null {
  return page.querySelector<HTMLIFrameElement>('iframe[src$="plugin_entry.html?name=profile"]');
}

/** Resolves with what `find` finds as soon as `root` changes so that it does, or with null in the end. */
function appearance<T>(root: Node, find: () => T | null): Promise<T | null> {
  return new Promise((resolve) => {
    const settle = (found: T | null): void => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(found);
    };
    const look = (): void => {
      const found = find();
      if (found !== null) settle(found);
    };
    const observer = new MutationObserver(look);
    const timer = setTimeout(() => settle(null), VIEWER_WAIT_MS);
    observer.observe(root, { childList: true, subtree: true });
    look();
  });
}

export class TensorboardHost implements Host {
  constructor(
    private readonly tensorboard: Window | null = tensorboardWindow(),
    private readonly baseURI: string = document.baseURI,
  ) {}

  readAddress(): AddressState {
    return this.tensorboard ? readAddress(this.tensorboard.location.hash) : NOWHERE;
  }

  writeAddress(state: AddressState): void {
    if (!this.tensorboard || !isOurs(this.tensorboard.location.hash)) return;
    const { history, location } = this.tensorboard;
    const hash = writeAddress(location.hash, state);
    if (hash !== location.hash) history.replaceState(history.state, '', hash);
  }

  back(): void {
    this.tensorboard?.history.back();
  }

  stepOn(): void {
    const { history, location } = this.tensorboard ?? {};
    if (location && isOurs(location.hash)) history?.pushState(history.state, '', location.href);
  }

  link(state: AddressState): string {
    const url = new URL(this.tensorboard?.location.href ?? tensorboardRoot(this.baseURI).href);
    url.hash = writeAddress(url.hash, state);
    return url.href;
  }

  marks(run: string): Marks {
    return recallMarks(run);
  }

  keepMarks(run: string, marks: Marks): void {
    keepMarks(run, marks);
  }

  recall(run: string): Typed {
    return recallTyped(run);
  }

  keep(run: string, typed: Typed): void {
    keepTyped(run, typed);
  }

  isShown(): boolean {
    return window.innerHeight > 0;
  }

  onShown(callback: () => void): void {
    const page = this.tensorboard;
    const frame = frameElement();
    if (!page || !frame) return;
    const whenShown = (): void => {
      if (this.isShown()) callback();
    };
    // A hidden page draws no frames, so only an observer of the parent sees it come and go.
    const { ResizeObserver: ParentObserver } = page as Window & typeof globalThis;
    new ParentObserver(whenShown).observe(frame);
    page.addEventListener('hashchange', whenShown);
  }

  openProfileTab(target: TraceTarget): boolean {
    const page = this.tensorboard;
    if (!page) return false;
    // Assigning the hash makes TensorBoard switch tabs; the query goes into the same entry of the
    // history, so that one step back returns to our address as it was.
    page.location.hash = 'profile';
    page.history.replaceState(page.history.state, '', `${profileTabQuery(target)}#profile`);
    void this.zoomProfileTab(page, target);
    return true;
  }

  private async zoomProfileTab(page: Window, target: TraceTarget): Promise<void> {
    const frame = await appearance(page.document, () => profileFrame(page.document));
    const inside = frame?.contentWindow;
    if (!frame || !inside) return;
    inside.location.replace(profileFrameHref(this.baseURI, target, Date.now().toString(36)));
    await new Promise((loaded) => frame.addEventListener('load', loaded, { once: true }));
    const document = frame.contentDocument;
    if (!document) return;
    const viewer = await appearance(document, () => {
      const found = document.querySelector<HTMLIFrameElement>('trace-viewer iframe');
      return found?.src ? found : null;
    });
    if (!viewer) return;
    viewer.contentWindow?.location.replace(withRange(viewer.src, target));
    // XProf has written its own address without the tab: a reload, or one step forward, would leave it.
    if (page.location.hash === '') {
      page.history.replaceState(page.history.state, '', `${page.location.search}#profile`);
    }
  }
}

/** Names the page for screen readers and the browser's history. */
export function namePage(): void {
  document.documentElement.lang = 'en';
  document.title = 'Diagnostics';
  const frame = frameElement();
  if (frame) frame.title = 'Diagnostics';
}

function frameElement(): HTMLIFrameElement | null {
  try {
    return window.frameElement as HTMLIFrameElement | null;
  } catch {
    return null;
  }
}

/** Keeps `data-theme` of the document equal to TensorBoard's theme, or else the system's. */
export function followTheme(): void {
  const root = document.documentElement;
  const body = tensorboardWindow()?.document.body;
  if (body) {
    const read = (): void => {
      root.dataset['theme'] = body.classList.contains('dark-mode') ? 'dark' : 'light';
    };
    read();
    new MutationObserver(read).observe(body, { attributes: true, attributeFilter: ['class'] });
    return;
  }
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const read = (): void => {
    root.dataset['theme'] = dark.matches ? 'dark' : 'light';
  };
  read();
  dark.addEventListener('change', read);
}

/**
 * Hands TensorBoard's reload on to the Profile tab.
 *
 * The profile plugin hangs its `reload` on the first iframe of the page. If that is ours, the reload
 * button would no longer reach the Profile tab.
 */
export function passReloadOn(frame: HTMLIFrameElement | null = frameElement()): void {
  if (!frame) return;
  Object.defineProperty(frame, 'reload', {
    configurable: true,
    get: () => undefined,
    set: (reload: unknown) => {
      const profile = profileFrame(frame.ownerDocument);
      if (profile) Object.assign(profile, { reload });
    },
  });
}

/** Calls back whenever TensorBoard says that its data was reloaded (its button, or its timer). */
export function onDataReloaded(callback: () => void): void {
  const page = tensorboardWindow();
  if (!page) return;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<string>) => {
    const { type, id, isReply } = JSON.parse(data) as { type: string; id: number; isReply: boolean };
    if (isReply) return;
    port1.postMessage(JSON.stringify({ type, id, payload: null, error: null, isReply: true }));
    if (type === 'experimental.DataReloaded') callback();
  };
  page.postMessage('experimental.bootstrap', '*', [port2]);
}
