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
