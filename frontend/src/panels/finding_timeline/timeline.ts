/**
 * The timeline of a step: what is in view, what lies at a point, and in which words. All times are ns from the step's
 * start.
 */

import { accountLook } from '../../accounts.js';
import { count, deviceName, duration } from '../../format.js';
import type { Arrow, Place, StepTimeline, TimelineRow, Wait } from '../../model.js';

export interface View {
  begin: number;
  end: number;
}

/** A stretch of one row. */
export interface Mark extends View {
  row: number;
}

/** One span of a row. */
export interface Spot {
  row: number;
  span: number;
}

/** One span in words and numbers. */
export interface Line {
  row: string;
  what: string;
  begin: number;
  length: number;
}

/** Nothing shorter fills the width. */
const LEAST_NS = 200;

const HOST_ROWS: Record<string, string> = { step: 'Host: step', launches: 'Host: launches', input: 'Host: input' };

/** In a legend of GPUs and hosts. */
export function legendWords(code: string): string {
  return `${code.startsWith('host.') ? 'host: ' : ''}${accountLook(code).words}`;
}

/** "GPU 0", "Host: launches"; with the host in front where there are several. */
export function rowName({ host, name, is_gpu, kernels }: TimelineRow, several: boolean): string {
  const own = is_gpu ? `${deviceName(name)}${kernels ? ' kernels' : ''}` : (HOST_ROWS[name] ?? name);
  return several ? `${host} · ${own}` : own;
}

/** Inside 0…length, not narrower than what can be told apart. */
function within({ begin, end }: View, length: number): View {
  const width = Math.min(Math.max(end - begin, Math.min(LEAST_NS, length)), length);
  const from = Math.min(Math.max(begin, 0), length - width);
  return { begin: from, end: from + width };
}

/** @param factor above 1 shows less; `at` stays where it is */
export function zoomed({ begin, end }: View, factor: number, at: number, length: number): View {
  return within({ begin: at - (at - begin) / factor, end: at + (end - at) / factor }, length);
}

export function panned({ begin, end }: View, by: number, length: number): View {
  const width = end - begin;
  const from = Math.min(Math.max(begin + by, 0), length - width);
  return { begin: from, end: from + width };
}

/** Shows a stretch with some room on both sides. */
export function around({ begin, end }: View, length: number): View {
  const room = Math.max((end - begin) * 0.25, LEAST_NS);
  return within({ begin: begin - room, end: end + room }, length);
}

/** The first span that ends after `at`; their number if none does. */
export function spanAfter({ end_ns }: TimelineRow, at: number): number {
  let [low, high] = [0, end_ns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((end_ns[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The span at a point, −1 if nothing was recorded there. */
export function spanAt(row: TimelineRow, at: number): number {
  const index = spanAfter(row, at);
  return (row.begin_ns[index] ?? Infinity) <= at ? index : -1;
}

export function stretch(data: StepTimeline, { row, span }: Spot): Mark {
  const { begin_ns, end_ns } = data.rows[row] as TimelineRow;
  return { row, begin: begin_ns[span] ?? 0, end: end_ns[span] ?? 0 };
}

function lineOf(data: StepTimeline, { row, span }: Spot): Line {
  const line = data.rows[row] as TimelineRow;
  const [begin, end, pieces] = [line.begin_ns[span] ?? 0, line.end_ns[span] ?? 0, line.pieces[span] ?? 1];
  const code = line.code[span] ?? 0;
  const words = line.kernels ? (data.names[code] ?? '') : accountLook(data.codes[code] ?? '').words;
  return {
    row: rowName(line, data.hosts.length > 1),
    what: pieces > 1 ? `${count(pieces)} short pieces, mostly ${words}` : words,
    begin,
    length: end - begin,
  };
}

/** What a span shows. */
export function spanWhat(data: StepTimeline, spot: Spot): string {
  return lineOf(data, spot).what;
}

/** "GPU 0: compute, 1.2 ms, 3.4 ms into the step". */
export function spanWords(data: StepTimeline, spot: Spot): string {
  const { row, what, begin, length } = lineOf(data, spot);
  return (
    `${row}: ${what}, ${duration(length)}, ` +
    (begin > 0 ? `${duration(begin)} into the step` : 'at the start of the step')
  );
}

/** The spans in view in the order of rows and time, the longest `cap` of them, and how many there are. */
export function inView(data: StepTimeline, view: View, cap: number): { lines: Line[]; total: number } {
  const spots = data.rows.flatMap((row, index) => {
    const first = spanAfter(row, view.begin);
    // Up to the first span that begins after the view.
    const last = spanAfter({ ...row, end_ns: row.begin_ns }, view.end - 1);
    return Array.from({ length: Math.max(last - first, 0) }, (_, i) => ({ row: index, span: first + i }));
  });
  const length = (spot: Spot): number => stretch(data, spot).end - stretch(data, spot).begin;
  const longest = spots.length > cap ? [...spots].sort((a, b) => length(b) - length(a)).slice(0, cap) : spots;
  const shown = longest.sort((a, b) => a.row - b.row || a.span - b.span);
  return { lines: shown.map((spot) => lineOf(data, spot)), total: spots.length };
}

/**
 * The arrows to draw: to the first kernel of each GPU, to the kernels in view that take at least `least` ns, and to
 * the chosen one. They come from the launches of their host.
 */
export function arrowsIn(data: StepTimeline, view: View, least: number, chosen: Mark | null): Arrow[] {
  const found = data.rows.flatMap((row, to_row) => {
    const from_row = data.rows.findIndex(
      ({ host, name, is_gpu }) => !is_gpu && name === 'launches' && host === row.host,
    );
    if (!row.kernels || from_row < 0) return [];
    const arrows: Arrow[] = [];
    for (let i = spanAfter(row, view.begin); (row.begin_ns[i] ?? Infinity) < view.end; i++) {
      const [begin, end] = [row.begin_ns[i] ?? 0, row.end_ns[i] ?? 0];
      const meant = end - begin >= least || (chosen?.row === to_row && chosen.begin === begin);
      if (meant && (row.thread[i] ?? -1) >= 0)
        arrows.push({ from_row, at_ns: row.launched_ns[i] ?? 0, to_row, kernel_ns: begin });
    }
    return arrows;
  });
  return [...data.arrows, ...found];
}

/** From the end of a wait to the arrival of the GPU that it is for; null if that has no row here. */
export function arrowOf({ rows }: StepTimeline, { row, end_ns, host, device, arrives_ns }: Wait): Arrow | null {
  const to_row = rows.findIndex((one) => one.is_gpu && !one.kernels && one.host === host && one.name === device);
  return to_row < 0 ? null : { from_row: row, at_ns: end_ns, to_row, kernel_ns: arrives_ns };
}

/** "thread 7 (python), 1.2 ms before it began": who launched a kernel; "" if that is not known. */
export function launchWords(data: StepTimeline, { row, begin }: Mark): string {
  const line = data.rows[row];
  const at = line?.kernels ? spanAt(line, begin) : -1;
  const thread = line?.thread[at] ?? -1;
  if (!line || thread < 0) return '';
  const before = (line.begin_ns[at] ?? 0) - (line.launched_ns[at] ?? 0);
  return `${data.names[thread] ?? ''}${before > 0 ? `, ${duration(before)} before it began` : ''}`;
}

/** The places that lie in this step, on each row that they are about. */
export function marks({ rows }: StepTimeline, places: readonly Place[]): Mark[] {
  return places.flatMap((place) =>
    rows.flatMap((line, row) => {
      if (
        line.host !== place.host ||
        line.pieces_count === 0 ||
        (place.device !== null && (!line.is_gpu || line.name !== place.device))
      )
        return [];
      const [begin, end] = [place.begin_ms, place.end_ms].map((ms) => Math.round((ms - line.origin_ms) * 1e6)) as [
        number,
        number,
      ];
      return end > 0 && begin < line.length_ns
        ? [{ row, begin: Math.max(begin, 0), end: Math.min(end, line.length_ns) }]
        : [];
    }),
  );
}

/** A stretch of a row on its host's timeline, for the trace viewer. */
export function placeOf(data: StepTimeline, { row, begin, end }: Mark, label: string): Place {
  const { host, name, is_gpu, origin_ms } = data.rows[row] as TimelineRow;
  const number = Number.parseInt(data.step, 10);
  return {
    host,
    begin_ms: origin_ms + begin / 1e6,
    end_ms: origin_ms + end / 1e6,
    label,
    device: is_gpu ? name : null,
    stream: null,
    step: number,
  };
}

/** The codes that hold time, in the order of `codes`. */
export function used({ rows, codes }: StepTimeline): string[] {
  return codes.filter((code) => rows.some(({ sums_ns }) => (sums_ns[code] ?? 0) > 0));
}
