/** Which step a place lies in, and which one is shown first. */

import type { Place, Report, StepColumn, Steps } from './model.js';

/** The id of the step that holds the place; null if the place names no step. */
export function stepOf(place: Place, { steps, by_host }: Pick<Report, 'steps' | 'by_host'>): string | null {
  if (place.step === null) return null;
  const number = place.step + (by_host.find(({ host }) => host === place.host)?.step_shift ?? 0);
  const named = steps.columns.filter((column) => column.number === number);
  // Where a number recurs, the time tells, on the host whose time is known.
  const before = named.filter(({ host, begin_ms }) => host === place.host && begin_ms <= place.begin_ms + 1e-6);
  return (before.at(-1) ?? named[0])?.id ?? String(number);
}

/** The step that the address names, else the one of the first place, else one of the usual length. */
export function firstStep(
  wanted: string | null,
  places: readonly Place[],
  report: Pick<Report, 'steps' | 'by_host'>,
): string | null {
  const { columns, columns_total } = report.steps;
  const there = (id: string | null): boolean => columns.some((column) => column.id === id);
  if (wanted !== null && (there(wanted) || columns_total > columns.length)) return wanted;
  const first = firstPlace(places, report);
  const placed = (first ? [first, ...places] : []).map((place) => stepOf(place, report)).find(there);
  return placed ?? usual(report.steps)?.id ?? null;
}

/** The worst place in a step that all hosts recorded whole; without one, the worst of all. */
export function firstPlace(places: readonly Place[], report: Pick<Report, 'steps' | 'by_host'>): Place | undefined {
  const whole = (place: Place): boolean => {
    const id = stepOf(place, report);
    return report.steps.columns.some((column) => column.id === id && column.note === '');
  };
  return places.find(whole) ?? places[0];
}

function usual({ columns, p50_ns }: Steps): StepColumn | undefined {
  const judged = columns.filter((column) => column.judged);
  const off = ({ step_ns }: StepColumn): number => Math.abs(step_ns - p50_ns);
  return (judged.length > 0 ? judged : columns).reduce<StepColumn | undefined>(
    (best, column) => (best === undefined || off(column) < off(best) ? column : best),
    undefined,
  );
}
