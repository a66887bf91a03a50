/** What the lanes of a host say: where a moment lies, what was measured then, and which marks hold it. */

import { quantity } from '../../format.js';
import type { MachineHost, MachineLane } from '../../model.js';

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** Steps of the axis, in s. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
/** Parts of the axis, at most. */
const PARTS = 5;
/** Share of the limit from which on a lane reaches to it. */
const NEAR = 0.2;

/** A time of a training: "12.5 s", "12 min 30 s", "1 h 5 min", "2 d 3 h". */
export function moment(ns: number): string {
  const seconds = ns / 1e9;
  if (seconds < MINUTE) return `${seconds.toFixed(Number.isInteger(seconds) ? 0 : 1)}\u00a0s`;
  const whole = Math.round(seconds);
  const [unit, size, lower, part] = ([
    ['d', DAY, 'h', HOUR],
    ['h', HOUR, 'min', MINUTE],
  ].find(([, least]) => whole >= (least as number)) ?? ['min', MINUTE, 's', 1]) as [string, number, string, number];
  const rest = Math.floor((whole % size) / part);
  return `${Math.floor(whole / size)}\u00a0${unit}${rest > 0 ? ` ${rest}\u00a0${lower}` : ''}`;
}

/** The times below the lanes, and where each stands, 0 to 1. */
export function timeTicks(watchedNs: number): { words: string; share: number }[] {
  const least = watchedNs / 1e9 / PARTS;
  const step = 1e9 * (STEPS.find((one) => one >= least) ?? Math.ceil(least / DAY) * DAY);
  return Array.from({ length: Math.floor(watchedNs / step) + 1 }, (_, i) => ({
    words: moment(i * step),
    share: (i * step) / watchedNs,
  }));
}

/** The stretch that holds a time. */
export function stretchAt({ end_ns }: MachineHost, ns: number): number {
  const found = end_ns.findIndex((end) => end > ns);
  return found < 0 ? end_ns.length - 1 : found;
}

/** From when to when a stretch lasts. */
export function rangeOf({ end_ns }: MachineHost, at: number): [number, number] {
  return [end_ns[at - 1] ?? 0, end_ns[at] ?? 0];
}

/** Where the middle of a stretch stands, 0 to 1. */
export function shareOf(host: MachineHost, at: number): number {
  const [begin, end] = rangeOf(host, at);
  return (begin + end) / 2 / host.watched_ns;
}

/** The marks in a stretch, and whether the profile lies there, in words. */
function marksIn(host: MachineHost, at: number): string[] {
  const [begin, end] = rangeOf(host, at);
  const within = (from: number, to: number): boolean => from < end && to > begin;
  const marks = host.marks.filter(({ begin_ns, end_ns }) => within(begin_ns, end_ns)).map(({ label }) => label);
  return within(host.steps_begin_ns, host.steps_end_ns) ? [...marks, profiled(host)] : marks;
}

/** When a stretch is, and what is marked there. */
export function readout(host: MachineHost, at: number): string {
  const [begin, end] = rangeOf(host, at);
  return [`${moment(begin)} to ${moment(end)}`, ...marksIn(host, at)].join(' · ');
}

/** What the profile holds: steps, or none that are known. */
export function profiled({ steps_begin_ns: begin, steps_end_ns: end }: MachineHost): string {
  return end > begin ? 'profiled steps' : 'profile';
}

/** The stretch of the next mark, or of the profiled steps, in a direction; its own if there is none. */
export function nextMark(host: MachineHost, at: number, direction: 1 | -1): number {
  const begins = [...host.marks.map(({ begin_ns }) => begin_ns), host.steps_begin_ns];
  const places = begins.map((ns) => stretchAt(host, ns)).filter((place) => direction * (place - at) > 0);
  return places.length > 0 ? (direction > 0 ? Math.min(...places) : Math.max(...places)) : at;
}

/** The stretch to which a key leads, without one from the first; null for other keys. */
export function moved(host: MachineHost, at: number | null, key: string): number | null {
  const last = host.end_ns.length - 1;
  const from = at ?? -1;
  const to = {
    ArrowLeft: at === null ? last : from - 1,
    ArrowDown: at === null ? last : from - 1,
    ArrowRight: from + 1,
    ArrowUp: from + 1,
    PageUp: nextMark(host, at ?? last + 1, -1),
    PageDown: nextMark(host, from, 1),
    Home: 0,
    End: last,
  }[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), last);
}

/** How far up a lane reaches: to the limit, unless all of it would lie at the bottom. */
export function topOf({ limit, most, unit }: MachineLane): number {
  const near = limit !== null && most > NEAR * limit ? limit : 0;
  return Math.max(unit === 'ratio' ? 1 : near, most) || 1;
}

export function nameOf({ label, of }: MachineLane): string {
  return of ? `${label} · ${of.replaceAll(' ', '\u00a0')}` : label;
}

/** The mean in a stretch, and from what to what it went. */
export function valueAt({ mean, low, high, unit }: MachineLane, at: number): { mean: string; range: string } {
  const [middle, from, to] = [mean, low, high].map((column) => quantity(column[at] ?? 0, unit)) as [
    string,
    string,
    string,
  ];
  return { mean: middle, range: from === to ? '' : `${from} to ${to}` };
}

/** All that was measured in a stretch. */
export function wordsAt(host: MachineHost, at: number): string {
  return [readout(host, at), ...host.lanes.map((lane) => `${nameOf(lane)} ${valueAt(lane, at).mean}`)].join(', ');
}
