/**
 * The part of TensorBoard's address that belongs to this tab: `#diagnostics&p.diagnostics.run=…`.
 *
 * Keys of others are kept as they are.
 */

import type { BoardState } from './panels/board/logic.js';
import { type Typed, UNTYPED } from './typed.js';

const PLUGIN_NAME = 'diagnostics';

export interface AddressState extends Typed, BoardState {
  /** Null: the board of runs is shown, unless there is only one. */
  run: string | null;
  /** Id of the finding that is selected. */
  finding: string | null;
  /** The run that this one is compared with. */
  base: string | null;
  /** Id of the step whose timeline is shown. */
  step: string | null;
  /** The part of the step that is in view. */
  zoom: string | null;
  /** Ids of the findings that the projection does without, with commas between them; null for all. */
  without: string | null;
}

export const NOWHERE: AddressState = {
  run: null,
  finding: null,
  base: null,
  step: null,
  zoom: null,
  without: null,
  sort: null,
  filter: null,
  only: null,
  row: null,
  pair: null,
  trial: null,
  ...UNTYPED,
};

const PREFIX = `p.${PLUGIN_NAME}.`;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads our keys out of a location hash; whatever else it holds is ignored. */
export function readAddress(hash: string): AddressState {
  const own = new Map<string, string>();
  for (const part of hash.replace(/^#/, '').split('&')) {
    const cut = part.indexOf('=');
    if (part.startsWith(PREFIX) && cut > 0) {
      own.set(part.slice(PREFIX.length, cut), decode(part.slice(cut + 1)));
    }
  }
  return Object.fromEntries(Object.keys(NOWHERE).map((key) => [key, own.get(key) || null])) as unknown as AddressState;
}

/** True while TensorBoard shows this tab (or has not written a tab into its address yet). */
export function isOurs(hash: string): boolean {
  const tab = hash.replace(/^#/, '').split('&')[0] ?? '';
  return tab === '' || tab === PLUGIN_NAME || tab.includes('=');
}

/** The hash with our keys replaced by `state`. */
export function writeAddress(hash: string, state: AddressState): string {
  const kept = hash
    .replace(/^#/, '')
    .split('&')
    .filter((part) => part !== '' && part !== PLUGIN_NAME && !part.startsWith(PREFIX));
  const own = Object.entries(state)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${PREFIX}${key}=${encodeURIComponent(String(value))}`);
  return `#${[PLUGIN_NAME, ...kept, ...own].join('&')}`;
}
