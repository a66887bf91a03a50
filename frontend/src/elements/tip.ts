/** How near to the edge of the page a tip may come, and to what it explains, in px. */
const [MARGIN, GAP] = [8, 6];
const open = new Set<HTMLElement>();

/** Shows a tip above all else: below what it explains, or above where there is no room, never beyond the page. */
function place(tip: HTMLElement, at: DOMRect, centered: boolean): void {
  tip.hidden = false;
  if ('showPopover' in tip) tip.showPopover();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const { offsetWidth: wide, offsetHeight: high } = tip;
  const left = centered ? at.left + (at.width - wide) / 2 : at.left;
  const below = at.bottom + GAP;
  const top = below + high + MARGIN <= height ? below : at.top - GAP - high;
  tip.style.left = `${Math.max(Math.min(left, width - wide - MARGIN), MARGIN)}px`;
  tip.style.top = `${Math.max(top, MARGIN)}px`;
  // It would stay where it is while the page moves.
  open.add(tip);
  document.addEventListener('scroll', putAllAway, { capture: true, once: true });
}

function putAllAway(): void {
  open.forEach(putAway);
}

function putAway(tip: HTMLElement): void {
  if (!tip.hidden && 'hidePopover' in tip) tip.hidePopover();
  tip.hidden = true;
  open.delete(tip);
}

/** The words that appear at the part of a chart that is hovered, or reached with the arrow keys. */
export class Tip {
  private readonly tip = document.createElement('div');
  private part: Element | null = null;

  constructor(chart: HTMLElement) {
    this.tip.className = 'tip';
    this.tip.popover = 'manual';
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

  /** @param above what the tip must not cover */
  show(part: Element, words: string, above = part): void {
    this.hide();
    this.part = part;
    part.classList.add('on');
    this.tip.textContent = words;
    const { left, width } = part.getBoundingClientRect();
    const { top, height } = above.getBoundingClientRect();
    place(this.tip, new DOMRect(left, top, width, height), true);
  }

  hide(): void {
    putAway(this.tip);
    this.part?.classList.remove('on');
  }
}

/** Shows what `word` means in `tip` on hover, focus and tap; Escape puts it away. */
export function explain(word: HTMLElement, tip: HTMLElement, meaning: () => string): void {
  const on = (types: string, act: (event: Event) => void): void =>
    types.split(' ').forEach((type) => word.addEventListener(type, act));
  const hide = (): void => {
    putAway(tip);
    tip.textContent = '';
  };
  tip.className = 'tip';
  tip.hidden = true;
  tip.popover = 'manual';
  tip.setAttribute('role', 'tooltip');
  on('pointerenter focus click', () => {
    hide();
    tip.textContent = meaning();
    place(tip, word.getBoundingClientRect(), false);
  });
  on('pointerleave blur', hide);
  on('keydown', (event) => {
    if ((event as KeyboardEvent).key === 'Escape') hide();
  });
}
