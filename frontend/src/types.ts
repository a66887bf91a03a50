/** What the backend sends beside the report, and names for parts of the report that its schema does not name. */

import type { Evidence, Finding, Kernel, Op, Steps } from './model.js';

export type { Iterator as DataIterator } from './model.js';

export type Severity = Finding['severity'];
export type StepSource = Steps['source'];
export type Unit = Evidence['unit'];

/** Times of one op or kernel per average step and GPU, and of a single kernel. */
export type KernelTimes = Pick<Op, keyof Op & keyof Kernel>;

/** The rows with the most time, at most `cap` of `total`. */
export interface Capped<T> {
  rows: T[];
  total: number;
  cap: number;
}

export interface Run {
  name: string;
  hosts: string[];
}

/** A GPU or a part of a host. Times are ns from the begin of the step, which is `origin_ms` on the host's timeline. */
export interface TimelineRow {
  host: string;
  /** Of the GPU, or `step`, `launches`, `input`. */
  name: string;
  is_gpu: boolean;
  origin_ms: number;
  length_ns: number;
  sums_ns: Record<string, number>;
  pieces_count: number;
  begin_ns: number[];
  end_ns: number[];
  /** Indices into the answer's `codes`. */
  code: number[];
  pieces: number[];
}

/** The answer of the route `timeline`. */
export interface StepTimeline {
  step: string;
  length_ns: number;
  begin_ns: number;
  end_ns: number;
  merged_below_ns: number;
  hosts: string[];
  hosts_cap: number;
  /** Hosts that have this step, but of which no timeline is kept: the run is too large. */
  left_out?: string[];
  codes: string[];
  rows: TimelineRow[];
}

/** The average step without chosen findings; `limits`: what keeps it from being shorter, or is not known. */
export interface Prediction {
  step_ns: number;
  predicted_ns: number;
  saved_ns: number;
  limits: string[];
  by_finding: { id: string; title: string; chosen: boolean; saving_ns: number; alone_ns: number }[];
  accounts: { id: string; before_ns: number; after_ns: number }[];
  error: PredictionError | null;
}

/** Predicted less true step, as shares of the recorded one; 5th and 95th percentile. */
export interface PredictionError {
  low_ratio: number;
  high_ratio: number;
  runs: number;
  page: string;
}
