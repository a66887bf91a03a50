"""How long it takes in a real tab from the choice of a run to its headline on the screen."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import CDPSession, Frame, Page

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

STAY = """() => {
  const later = window.setTimeout;
  window.setTimeout = (act, ms, ...more) => later(act, ms === 150 ? 60_000 : ms, ...more);
}"""
"""The last report stays however late the answer is: how busy others are does not change what is drawn."""

WORK = """() => {
  const box = document.createElement('div');
  for (let i = 0; i < 1000; i++) {
    const one = box.appendChild(document.createElement('p'));
    one.attachShadow({ mode: 'open' }).innerHTML = `<b>${i}</b> of <i>one thousand</i>`;
  }
  document.body.append(box);
  const high = box.offsetHeight;
  box.remove();
  return high;
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


def main_thread(page: Page, frame: Frame) -> CDPSession:
    """Asks the browser for the processor time of the main thread of the page, whose waits change nothing."""
    frame.evaluate(STAY)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def spent_ms(thread: CDPSession, act: Callable[..., object], *args: object) -> float:
    """Milliseconds of its processor time that the main thread spends on something."""

    def spent_s() -> float:
        metrics = thread.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in metrics if one["name"] == "ThreadTime")

    before = spent_s()
    act(*args)
    return 1000 * (spent_s() - before)


def work(frame: Frame) -> None:
    """Makes and lays out what never changes: what the processor takes for that tells how fast it is now."""
    frame.evaluate(WORK)


def floor_ms(frame: Frame) -> float:
    """Milliseconds for an answer that says nothing, and an outline: what browser and server take anyway."""
    took: float = frame.evaluate(FLOOR)
    return took
