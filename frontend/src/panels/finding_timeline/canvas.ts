/** Draws the rows of a timeline. A canvas, because thousands of spans follow the hand in every frame. */

import { type AccountLook, accountLook } from '../../accounts.js';
import { axisWords } from '../../format.js';
import { type Mark, type View, spanAfter } from './timeline.js';
import type { Arrow, StepTimeline, TimelineRow } from '../../model.js';
import { ticks } from '../../charts/scale.js';
import { TILES } from '../../charts/svg.js';

export const AXIS_PX = 22;
export const ROW_PX = 22;
const BAR_PX = 16;
/** Kernels this wide have their name on them, and an arrow from their launch. */
export const NAMED_PX = 40;
/** Claimed spans this wide have a frame; narrower ones, which a frame would hide, are underlined. */
const FRAMED_PX = 8;
const UNDER_PX = 4;
const TILE_PX = 8;

/** The look of the page that a canvas cannot inherit. */
export interface Ink {
  fills: (CanvasPattern | string)[];
  text: string;
  line: string;
  accent: string;
  ink: string;
  font: string;
  /** Kernels that follow each other. */
  kernels: readonly [string, string];
}

/** Colours of the current theme; to be made anew when that changes. */
export function inkOf(element: HTMLElement, codes: readonly string[], context: CanvasRenderingContext2D): Ink {
  const style = getComputedStyle(element);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  return {
    fills: codes.map((code) => fill(accountLook(code), token, context)),
    text: token('--ink-2'),
    line: token('--line'),
    accent: token('--accent'),
    ink: token('--ink'),
    font: `12px ${style.fontFamily}`,
    kernels: [token('--info-ground'), token('--line')],
  };
}

function fill(
  { colour, pattern }: AccountLook,
  token: (name: string) => string,
  context: CanvasRenderingContext2D,
): CanvasPattern | string {
  const plain = token(colour);
  if (pattern === 'solid') return plain;
  const tile = document.createElement('canvas');
  tile.width = tile.height = TILE_PX;
  const inner = tile.getContext('2d');
  if (!inner) return plain;
  inner.fillStyle = plain;
  inner.fillRect(0, 0, TILE_PX, TILE_PX);
  inner.strokeStyle = token('--hatch');
  inner.lineWidth = pattern === 'dots' ? 2 : 1.2;
  inner.stroke(new Path2D(TILES[pattern]));
  return context.createPattern(tile, 'repeat') ?? plain;
}

/** @param width of the canvas, in px of the page */
export function paint(
  context: CanvasRenderingContext2D,
  width: number,
  data: StepTimeline,
  view: View,
  ink: Ink,
  marks: readonly Mark[],
  chosen: Mark | null,
  arrows: readonly Arrow[],
  wait: Arrow | null,
): void {
  const scale = width / (view.end - view.begin);
  const x = (ns: number): number => (ns - view.begin) * scale;
  const top = (row: number): number => AXIS_PX + row * ROW_PX;
  context.clearRect(0, 0, width, top(data.rows.length));
  axis(context, width, view, top(data.rows.length), ink);
  data.rows.forEach((row, i) => {
    const from = top(i) + (ROW_PX - BAR_PX) / 2;
    if (row.kernels) kernels(context, row, data.names, view, x, from, ink);
    else bars(context, row, view, x, from, ink.fills);
  });
  const frame = ({ row, begin, end }: Mark, colour: string): void => {
    context.strokeStyle = colour;
    context.lineWidth = 2;
    const [left, right] = [Math.max(x(begin), -4), Math.min(x(end), width + 4)];
    context.strokeRect(left, top(row) + 2, Math.max(right - left, 3), ROW_PX - 4);
  };
  for (const mark of marks) {
    if (mark.end < view.begin || mark.begin > view.end) continue;
    const wide = x(mark.end) - x(mark.begin);
    if (wide >= FRAMED_PX) frame(mark, ink.accent);
    else {
      context.fillStyle = ink.accent;
      context.fillRect(x(mark.begin), top(mark.row) + ROW_PX - UNDER_PX, Math.max(wide, 2), UNDER_PX);
    }
  }
  if (chosen) frame(chosen, ink.ink);
  const arrow = ({ from_row, at_ns, to_row, kernel_ns }: Arrow, colour: string, wide: number): void => {
    if (at_ns < view.begin || at_ns > view.end) return;
    const [left, right] = [Math.round(x(at_ns)) + 0.5, Math.round(x(kernel_ns)) + 0.5];
    const way = to_row > from_row ? 1 : -1;
    const end = top(to_row) + (way > 0 ? 3 : ROW_PX - 3);
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = wide;
    context.beginPath();
    context.moveTo(left, top(from_row) + ROW_PX / 2);
    context.lineTo(left, end - 5 * way);
    context.lineTo(right, end - 5 * way);
    context.stroke();
    context.beginPath();
    context.moveTo(right - 2.5 - wide, end - 5 * way);
    context.lineTo(right + 2.5 + wide, end - 5 * way);
    context.lineTo(right, end + way);
    context.fill();
  };
  for (const one of arrows) arrow(one, ink.ink, 1);
  if (wait) arrow(wait, ink.accent, 2);
}

function kernels(
  context: CanvasRenderingContext2D,
  { begin_ns, end_ns, code }: TimelineRow,
  names: readonly string[],
  view: View,
  x: (ns: number) => number,
  top: number,
  ink: Ink,
): void {
  context.font = ink.font;
  for (let i = spanAfter({ end_ns } as TimelineRow, view.begin); i < code.length; i++) {
    const begin = begin_ns[i] as number;
    if (begin >= view.end) break;
    const [left, right] = [Math.max(Math.round(x(begin)), 0), Math.round(x(Math.min(end_ns[i] as number, view.end)))];
    if (right <= left) continue;
    context.fillStyle = ink.kernels[i % 2] as string;
    context.fillRect(left, top, right - left, BAR_PX);
    if (right - left < NAMED_PX) continue;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left - 2, BAR_PX);
    context.clip();
    context.fillStyle = ink.ink;
    context.fillText(names[code[i] as number] ?? '', left + 3, top + 12);
    context.restore();
  }
}

function axis(context: CanvasRenderingContext2D, width: number, view: View, bottom: number, ink: Ink): void {
  const length = view.end - view.begin;
  const [, step = length] = ticks(length);
  const label = axisWords(step, view.end);
  context.font = ink.font;
  context.fillStyle = ink.text;
  for (let at = Math.ceil(view.begin / step) * step; at <= view.end; at += step) {
    const left = Math.round(((at - view.begin) / length) * width);
    context.fillRect(left, AXIS_PX - 5, 1, 5);
    const words = label(at);
    const room = context.measureText(words).width;
    context.fillText(words, Math.min(Math.max(left - room / 2, 0), width - room), 12);
  }
  context.fillStyle = ink.line;
  context.fillRect(0, AXIS_PX - 1, width, 1);
  context.fillRect(0, bottom - 1, width, 1);
}

/** Each pixel shows what its middle falls on; what was recorded for longer than a pixel is always seen. */
function bars(
  context: CanvasRenderingContext2D,
  { begin_ns, end_ns, code }: TimelineRow,
  view: View,
  x: (ns: number) => number,
  top: number,
  fills: Ink['fills'],
): void {
  let last = -1;
  for (let i = spanAfter({ end_ns } as TimelineRow, view.begin); i < code.length; i++) {
    const begin = begin_ns[i] as number;
    if (begin >= view.end) break;
    const [left, right] = [Math.max(Math.round(x(begin)), 0), Math.round(x(Math.min(end_ns[i] as number, view.end)))];
    if (right <= left) continue;
    if (code[i] !== last) context.fillStyle = fills[(last = code[i] as number)] ?? '';
    context.fillRect(left, top, right - left, BAR_PX);
  }
}
