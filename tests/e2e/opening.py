"""How long it takes in a real tab from the choice of a run to its headline on the screen."""

from __future__ import annotations

from playwright.sync_api import Frame

OPEN = """async (run) => {
  const tab = document.querySelector('tfperf-app').shadowRoot;
  const headline = () => tab.querySelector('tfperf-verdict')?.shadowRoot?.querySelector('h1')?.textContent;
  const bar = tab.querySelector('tfperf-bar');
  const before = headline();
  const mark = performance.mark;
  const painted = new Promise((done) => {
    performance.mark = (name, ...more) => {
      if (name === 'tfperf:report') requestAnimationFrame(() => setTimeout(done));
      return mark.call(performance, name, ...more);
    };
  });
  const begin = performance.now();
  bar.dispatchEvent(new CustomEvent('run-change', { bubbles: true, composed: true, detail: { run } }));
  await painted;
  const took = performance.now() - begin;
  performance.mark = mark;
  if (headline() === undefined || headline() === before) throw new Error(`${run} is not shown`);
  return took;
}"""

FLOOR = """async () => {
  const begin = performance.now();
  await (await fetch(new URL('static/nothing', document.baseURI))).text();
  const main = document.querySelector('tfperf-app').shadowRoot.querySelector('main');
  main.style.outline = `${Math.random()}px solid`;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begin;
}"""


def opened_ms(frame: Frame, run: str) -> float:
    """Chooses another run in the frame of our tab; milliseconds until its headline is painted."""
    took: float = frame.evaluate(OPEN, run)
    return took


def floor_ms(frame: Frame) -> float:
    """The same for an answer that says nothing, and an outline: what browser and server take anyway."""
    took: float = frame.evaluate(FLOOR)
    return took
