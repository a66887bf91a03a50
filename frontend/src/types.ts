/** What the backend sends beside the report, and names for parts of the report that its schema does not name. */

import type { Evidence, Finding } from './model.js';

export type { Iterator as DataIterator } from './model.js';

export type Severity = Finding['severity'];
export type Unit = Evidence['unit'];

export interface Run {
  name: string;
  hosts: string[];
}
