/** The words that appear at the part of a chart that is hovered, or reached with the arrow keys. */
export class Tip {
  private readonly tip = document.createElement('div');
  private part: Element | null = null;

  /** @param chart what the tip is placed in; it must be positioned. */
  constructor(private readonly chart: HTMLElement) {
    this.tip.className = 'tip';
    this.tip.setAttribute('role', 'status');
    this.tip.hidden = true;
    chart.append(this.tip);
  }

  /** Lets `parts` of one drawing be explained, each by its words; null are those that are not drawn. */
  explain(drawing: SVGSVGElement, parts: readonly (Element | null)[], words: readonly string[]): void {
    const told = parts.flatMap((part, i) => (part ? [{ part, words: words[i] ?? '' }] : []));
    let at = 0;
    const show = (index: number): void => {
      at = (index + told.length) % told.length;
      const shown = told[at];
      if (shown) this.show(shown.part, shown.words);
    };
    const hide = (): void => this.hide();
    drawing.setAttribute('tabindex', '0');
    drawing.addEventListener('pointerover', ({ target }) => {
      const over = told.findIndex(({ part }) => part.contains(target as Node));
      if (over >= 0) show(over);
    });
    drawing.addEventListener('pointerleave', hide);
    drawing.addEventListener('focus', () => show(at));
    drawing.addEventListener('blur', hide);
    drawing.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        hide();
        return;
      }
      const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (move === undefined) return;
      event.preventDefault();
      show(at + move);
    });
  }

  show(part: Element, words: string): void {
    this.hide();
    this.part = part;
    part.classList.add('on');
    this.tip.textContent = words;
    this.tip.hidden = false;
    const chart = this.chart.getBoundingClientRect();
    const box = part.getBoundingClientRect();
    const half = this.tip.offsetWidth / 2;
    const middle = box.left + box.width / 2 - chart.left;
    this.tip.style.left = `${Math.max(Math.min(middle, chart.width - half), half)}px`;
    this.tip.style.top = `${box.bottom - chart.top}px`;
  }

  hide(): void {
    this.tip.hidden = true;
    this.part?.classList.remove('on');
  }
}

/** How near to the edge of the page a meaning may come, in px. */
const MARGIN = 8;

/** Shows what `word` means in `tip` on hover, focus and tap; Escape puts it away. */
export function explain(word: HTMLElement, tip: HTMLElement, meaning: () => string): void {
  const on = (types: string, act: (event: Event) => void): void =>
    types.split(' ').forEach((type) => word.addEventListener(type, act));
  const hide = (): void => {
    tip.hidden = true;
    tip.textContent = '';
  };
  tip.className = 'tip meaning';
  tip.setAttribute('role', 'tooltip');
  hide();
  on('pointerenter focus click', () => {
    tip.textContent = meaning();
    tip.hidden = false;
    tip.style.left = '0';
    const over = tip.getBoundingClientRect().right + MARGIN - document.documentElement.clientWidth;
    if (over > 0) tip.style.left = `${-over}px`;
  });
  on('pointerleave blur', hide);
  on('keydown', (event) => {
    if ((event as KeyboardEvent).key === 'Escape') hide();
  });
}
