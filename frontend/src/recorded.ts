/** What the plugin answered about simulated runs, one of every kind: `make recorded` writes these files. */

import type { Comparison, Outline, Prediction, Report, StepTimeline, Trials } from './model.js';

export interface Recorded {
  report: Report;
  /** Of the run's row in the board. */
  outline: Outline;
  /** Of one step; null if the run has none. */
  timeline: StepTimeline | null;
  /** By the ids of the findings that are fixed, in the order of the report, with commas between them. */
  predictions: Readonly<Record<string, Prediction>>;
}

export type Name =
  | 'staggered' // four GPUs that start late one after another: the design's example
  | 'healthy' // one GPU, nothing to do
  | 'crowded' // two hosts with time in almost all accounts
  | 'idle-gpus' // eight GPUs of which two run
  | 'host-only' // only the host was recorded
  | 'on-cpu' // the model ran on the CPU
  | 'all-to-all' // GPUs that exchange with all others, and no AllReduce
  | 'pytorch' // two ranks, recorded by PyTorch's profiler
  | 'thin' // part of one step
  | 'grouped' // one of four hosts takes far longer, no collective: no step is like the mean
  | 'rarely-long' // every fifth step takes far longer, and averages leave it out
  | 'no-steps' // GPUs were recorded, but no step
  | 'pausing' // one GPU that stands a minute in every four, as the machine was watched
  | 'many-hosts'; // four hosts of two GPUs; one host is slow and the others wait for it

export type Kind = 'better' | 'worse' | 'same' | 'unproven' | 'not-comparable' | 'scaling' | 'launches';

const FILES = import.meta.glob<Recorded>('../recorded/runs/*.json', { eager: true, import: 'default' });
const COMPARED = import.meta.glob<Record<Kind, Comparison>>('../recorded/comparisons.json', {
  eager: true,
  import: 'default',
});

const TRIED = import.meta.glob<Trials>('../recorded/trials.json', { eager: true, import: 'default' });

/** A tuning that is done, one that was interrupted, and trials. */
export const TRIALS: Trials = Object.values(TRIED)[0]!;

export const ALL: readonly Recorded[] = Object.values(FILES);

export function recorded(name: Name): Recorded {
  return FILES[`../recorded/runs/${name}.json`]!;
}

export function reportOf(name: Name): Report {
  return recorded(name).report;
}

export function comparison(kind: Kind): Comparison {
  return Object.values(COMPARED)[0]![kind];
}
