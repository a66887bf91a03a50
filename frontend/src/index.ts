/** The module that TensorBoard imports; it then calls render() once. */

import { HttpBackend } from './backend.js';
import './elements/app.js';
import { TensorboardHost, followTheme, namePage, onDataReloaded, passReloadOn } from './host.js';
import { TOKENS } from './theme.js';

export function render(): void {
  namePage();
  passReloadOn();
  followTheme();
  const style = document.createElement('style');
  style.textContent = TOKENS;
  document.head.append(style);
  const app = document.createElement('tfperf-app');
  document.body.append(app);
  onDataReloaded(() => app.reload());
  void app.start(new HttpBackend(document.baseURI), new TensorboardHost());
}
