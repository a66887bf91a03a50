/**
 * The dev page: the tab on fakes, one of the states of states.ts at a time.
 *
 * ?state=NAME and ?theme=light|dark choose; ?bare leaves the page's own line away. The address takes the
 * same keys as in TensorBoard, e.g. #p.diagnostics.finding=gpu-stagger. Vite reloads it when a file is saved.
 */

import { type AddressState, NOWHERE, readAddress, writeAddress } from './address.js';
import './elements/app.js';
import { FakeBackend, FakeHost } from './fakes.js';
import { followTheme, namePage } from './host.js';
import { ALL, TRIALS } from './recorded.js';
import { STATES } from './states.js';
import { TOKENS } from './theme.js';

const THEMES = ['as the system', 'light', 'dark'];

class DevHost extends FakeHost {
  override readAddress(): AddressState {
    const there = Object.entries(readAddress(location.hash)).filter(([, value]) => value !== null);
    return { ...this.state, ...Object.fromEntries(there) };
  }

  override writeAddress(state: AddressState): void {
    history.replaceState(null, '', writeAddress(location.hash, state));
  }
}

function select(label: string, key: string, values: readonly string[], chosen: string): HTMLElement {
  const list = document.createElement('select');
  list.append(...values.map((value) => new Option(value, value, false, value === chosen)));
  list.addEventListener('change', () => {
    query.set(key, list.value);
    // The run and finding of another state would stay in the fragment.
    location.href = `${location.pathname}?${query}`;
  });
  const line = document.createElement('label');
  line.append(`${label} `, list);
  return line;
}

const query = new URLSearchParams(location.search);
const theme = query.get('theme') ?? '';
const state = STATES.find(({ name }) => name === query.get('state')) ?? STATES[0]!;

namePage();
followTheme();
// After followTheme(), which reads the system's preference.
if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
const style = document.createElement('style');
style.textContent = TOKENS;
document.head.append(style);
if (!query.has('bare')) {
  const line = document.createElement('nav');
  line.setAttribute('aria-label', 'Dev page');
  line.style.cssText =
    'background: var(--ground); color: var(--ink-2); display: flex; flex-wrap: wrap; ' +
    'font: 13px system-ui; gap: 20px; padding: 8px 24px';
  line.append(
    select(
      'State',
      'state',
      STATES.map(({ name }) => name),
      state.name,
    ),
    select('Theme', 'theme', THEMES, theme),
  );
  document.body.append(line);
}
const app = document.createElement('tfperf-app');
document.body.append(app);
const served = [...ALL, ...STATES.flatMap(({ changed }) => changed ?? [])];
const backend = new FakeBackend(state.runs, served);
if (state.trials) backend.kept = TRIALS;
const host = new DevHost({ ...NOWHERE, run: state.run, ...state.at });
if (state.run !== null && state.marks) host.keepMarks(state.run, state.marks);
void app.start(backend, host);
