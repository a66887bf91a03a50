/** The dev page: the tab on fakes. Its own address takes the same keys, e.g. #p.diagnostics.run=healthy. */

import { readAddress, writeAddress } from './address.js';
import './elements/app.js';
import { FakeBackend, FakeHost } from './fakes.js';
import { followTheme, namePage } from './host.js';
import { TOKENS } from './theme.js';

class DevHost extends FakeHost {
  override readAddress() {
    return readAddress(location.hash);
  }

  override writeAddress(state: ReturnType<typeof readAddress>): void {
    history.replaceState(null, '', writeAddress(location.hash, state));
  }
}

namePage();
followTheme();
const style = document.createElement('style');
style.textContent = TOKENS;
document.head.append(style);
const app = document.createElement('tfperf-app');
document.body.append(app);
const empty = new URLSearchParams(location.search).has('empty');
void app.start(new FakeBackend(empty ? [] : undefined), new DevHost());
