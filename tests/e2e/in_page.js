// What tests ask a page in the browser; tests/e2e/fakes.py calls these functions by name.

/** All elements below `root`, through shadow roots. */
function every(root = document.body) {
  return [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? every(one.shadowRoot) : [])]);
}

function above(element) {
  return element.assignedSlot ?? element.parentElement ?? element.getRootNode().host;
}

function described(element) {
  const name = element.getAttribute('class') ?? element.id;
  return `${element.getRootNode().host?.localName ?? ''} ${element.localName}.${name}: ${element.textContent.trim().slice(0, 60)}`;
}

function painted() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
}

/** What is still to come before the tab shows its state with all panels; null when nothing is. */
function pending() {
  const app = document.querySelector('tfperf-app');
  const tab = app?.shadowRoot;
  const shown = 'tfperf-verdict, tfperf-failure, tfperf-no-profiles, tfperf-progress, tfperf-board, tfperf-trials';
  if (![...(tab?.querySelectorAll(shown) ?? [])].some((one) => one.checkVisibility())) return 'a state of the tab';
  if (app.state.view === 'runs') {
    const board = tab.querySelector('tfperf-board');
    const pair = board.shadowRoot.querySelector('tfperf-compare');
    const shown = [...board.inView].map((line) => line.name);
    if (app.state.runs.length > 0 && (board.rows.size === 0 || shown.some((run) => !board.rows.has(run)))) return 'the rows';
    if (pair && !pair.comparison && !pair.problem) return 'the two runs';
  }
  const compared = tab.querySelector('tfperf-compare');
  if (compared && !compared.comparison && !compared.problem) return 'the comparison';
  const steps = compared?.shadowRoot.querySelector('tfperf-two-steps');
  if (steps && steps.both.length === 0 && !steps.problem) return 'a step of each run';
  const budget = tab.querySelector('tfperf-budget');
  if (budget?.without && !budget.found && !budget.problem) return 'the projection';
  const timeline = tab.querySelector('tfperf-finding-timeline');
  if (timeline?.shadowRoot.querySelector('section') && timeline.near && !timeline.whole && !timeline.problem) return 'the timeline';
  return null;
}

/** Down to here pages are looked at; below it a list of hundreds of findings may still grow. */
const LOWEST = 9_000;

/** Resolves when the tab shows its state, all its panels are there and the page's height rests. */
async function settled() {
  await document.fonts.ready;
  const end = performance.now() + 60_000;
  for (let before = -1; ; ) {
    const lacking = pending();
    const height = lacking === null ? Math.min(document.documentElement.scrollHeight, LOWEST) : -1;
    if (lacking === null && height === before) return;
    if (performance.now() > end) throw new Error(`The page still waits for ${lacking ?? 'its height to rest'}.`);
    before = height;
    await painted();
  }
}

/** Resolves when two paints after each other find everything at the same place. */
async function atRest() {
  const places = () => JSON.stringify(every().map((one) => one.getBoundingClientRect().top + scrollY));
  const end = performance.now() + 60_000;
  for (let before = ''; before !== places(); ) {
    if (performance.now() > end) throw new Error('The page does not come to rest.');
    before = places();
    await painted();
  }
}

/** Unfolds all that is folded in: findings, notes, groups of checks, tables; not the trace viewer. */
async function openAll() {
  const opened = new Set();
  for (let round = 0; round < 5; round++) {
    const closed = every().filter(
      (one) =>
        !opened.has(one) &&
        one.checkVisibility() &&
        (one.matches('details:not([open]) > summary') ||
          (one.matches('[aria-expanded="false"]') && !/trace/i.test(one.textContent))),
    );
    if (closed.length === 0) break;
    for (const one of closed) {
      opened.add(one);
      one.click();
    }
    await painted();
  }
  return opened.size;
}

/** Adds a style sheet to the page and to every shadow root in it. */
function adopt(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const into = (root) => {
    root.adoptedStyleSheets.push(sheet);
    for (const one of root.querySelectorAll('*')) if (one.shadowRoot) into(one.shadowRoot);
  };
  into(document);
}

/** What reaches beyond the window and is neither scrolled nor cut by what it stands in, and stays so. */
async function overflowing() {
  const found = beyondTheWindow();
  if (found.length === 0) return found;
  // What is as wide as the window was, such as a chart, follows it in the next frame.
  await painted();
  return beyondTheWindow();
}

function beyondTheWindow() {
  const width = document.documentElement.clientWidth;
  const kept = (element) => {
    for (let at = element; at && at !== document.body; at = above(at)) {
      if (at instanceof HTMLElement && getComputedStyle(at).overflowX !== 'visible') return true;
    }
    return false;
  };
  const found = every()
    .filter((one) => one.checkVisibility() && !one.matches('option, .unseen'))
    .filter((one) => one.getBoundingClientRect().right > width + 1 && !kept(one))
    .map((one) => `beyond the window: ${described(one)}`);
  const beyond = document.documentElement.scrollWidth - width;
  return beyond > 0 ? [`the page scrolls by ${beyond} px`, ...found] : found;
}

/** Keeps what Tab has to reach as `window.operable`; tells how much that is. In menus arrows walk. */
function findOperable() {
  const operable = 'button:enabled, a[href], select, input, summary, [tabindex="0"]';
  window.operable = every().filter(
    (one) => one.checkVisibility({ visibilityProperty: true }) && one.matches(operable) && !one.matches('[role=menuitem], [role=option]'),
  );
  return window.operable.length;
}

/** Where on the page each of `window.operable` begins; null when it is gone. */
function tops() {
  return window.operable.map((one) => (one.checkVisibility() ? Math.round(one.getBoundingClientRect().top + scrollY) : null));
}

/** Which of `window.operable` has the focus, and whether one sees it. */
function focused() {
  let active = document.activeElement;
  while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  const outlined = ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  // A heading draws it around all of its line.
  const seen = active.matches(':focus-visible') && [null, '::after'].some((part) => outlined(getComputedStyle(active, part)));
  return { at: window.operable.indexOf(active), seen, what: described(active) };
}

function operableAt(indices) {
  return indices.map((at) => described(window.operable[at]));
}

/** What moves by itself or when its state changes. */
function moving() {
  return every().flatMap((one) =>
    ['', '::before', '::after'].flatMap((part) => {
      const { transitionDuration, animationName, animationDuration } = getComputedStyle(one, part || null);
      const animated = animationName !== 'none' && parseFloat(animationDuration) > 0;
      return parseFloat(transitionDuration) > 0 || animated ? [described(one) + part] : [];
    }),
  );
}

/** What axe-core, injected before, or these rules of it, has against the page, or one panel of it; one line a rule. */
async function axeViolations([panel, rules]) {
  const part = panel ? every().find((one) => one.matches(panel)) : document;
  const { violations } = await axe.run(part, {
    runOnly: rules.length > 0 ? rules : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    resultTypes: ['violations'],
  });
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.slice(0, 3).map(({ target, html }) => `${JSON.stringify(target)} ${html.slice(0, 160)}`);
    return `${id} (${nodes.length}): ${help}: ${places.join(' | ')}`;
  });
}

/** How long this machine takes, now, to lay out and paint a plain page of 2,000 lines; ms. */
async function pace() {
  const page = document.createElement('div');
  document.body.append(page);
  const begin = performance.now();
  for (let i = 0; i < 2000; i++) {
    page.append(Object.assign(document.createElement('p'), { textContent: `line ${i}` }));
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const took = performance.now() - begin;
  page.remove();
  return took;
}

/** ms from the arrival of the report to the first paint of it. */
function paintTook() {
  return performance.measure('paint', 'tfperf:report', 'tfperf:painted').duration;
}

/** How many pixels of two pictures (data URLs) differ for the eye, and the second one with these in red. */
async function difference(urls) {
  const images = await Promise.all(
    urls.map(async (src) => {
      const image = Object.assign(new Image(), { src });
      await image.decode();
      return image;
    }),
  );
  const width = Math.max(...images.map((image) => image.width));
  const height = Math.max(...images.map((image) => image.height));
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const [before, after] = images.map((image) => {
    context.clearRect(0, 0, width, height);
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, width, height);
  });
  let pixels = 0;
  for (let i = 0; i < after.data.length; i += 4) {
    const off = [0, 1, 2, 3].some((channel) => Math.abs(before.data[i + channel] - after.data[i + channel]) > 48);
    if (off) {
      pixels++;
      after.data.set([255, 0, 0, 255], i);
    } else {
      after.data[i + 3] = 90;
    }
  }
  context.putImageData(after, 0, 0);
  return { pixels, marked: canvas.toDataURL() };
}
