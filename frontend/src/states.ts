/** Every state of the tab, for the dev page and for the tests in a browser. To add one: one entry here. */

import type { AddressState } from './address.js';
import { readable } from './backend.js';
import {
  REPORTS,
  allToAll,
  crowded,
  healthy,
  hostOnly,
  idleGpus,
  manyHosts,
  ofPytorch,
  staggered,
  unreduced,
} from './fakes.js';
import { grouped, noSteps, rarelyLong, thin } from './fakes_budget.js';
import { hostile, huge } from './hostile.js';
import type { Marks } from './list.js';
import type { Report } from './model.js';

export interface State {
  /** In the address of the dev page, and in the names of the pictures. */
  name: string;
  /** The run that is shown; null leaves the choice to the tab. */
  run: string | null;
  /** A report besides those of fakes.ts. */
  report?: Report;
  /** Whether there are no runs at all. */
  empty?: boolean;
  /** What the user marked before. */
  marks?: Marks;
  /** What else the address says. */
  at?: Partial<AddressState>;
}

const shown = (name: string, report: Report): State =>
  REPORTS.some(({ run }) => run === report.run) ? { name, run: report.run } : { name, run: report.run, report };

export const STATES: readonly State[] = [
  shown('staggered', staggered()),
  shown('healthy', healthy()),
  shown('crowded', crowded()),
  shown('idle-gpus', idleGpus()),
  shown('host-only', hostOnly()),
  shown('no-collective', unreduced()),
  shown('all-to-all', allToAll()),
  shown('pytorch', ofPytorch()),
  shown('thin', thin()),
  shown('grouped', grouped()),
  shown('rarely-long', rarelyLong()),
  shown('no-steps', noSteps()),
  shown('many-hosts', manyHosts()),
  shown('pod', manyHosts(256)),
  // As it comes over the wire.
  shown('hostile', readable(JSON.stringify(hostile())) as Report),
  shown('huge', huge()),
  { name: 'runs', run: null },
  {
    name: 'runs-compared',
    run: null,
    at: { base: staggered().run, pair: JSON.stringify([staggered().run, healthy().run]) },
  },
  {
    name: 'runs-launches',
    run: null,
    at: {
      pair: JSON.stringify([
        [staggered().run, unreduced().run],
        [healthy().run, crowded().run],
      ]),
    },
  },
  { name: 'better', run: healthy().run, at: { base: staggered().run } },
  { name: 'worse', run: staggered().run, at: { base: healthy().run } },
  { name: 'same', run: staggered().run, at: { base: unreduced().run } },
  { name: 'unproven', run: staggered().run, at: { base: allToAll().run } },
  { name: 'not-comparable', run: staggered().run, at: { base: hostOnly().run } },
  { name: 'scaling', run: staggered().run, at: { base: 'GPU-multi-worker' } },
  { name: 'what-if', run: staggered().run, at: { without: 'allreduce-exposed' } },
  { name: 'marked', run: staggered().run, marks: { 'allreduce-exposed': 'done', 'memory-headroom': 'irrelevant' } },
  { name: 'no-profiles', run: null, empty: true },
  { name: 'analysing', run: 'analysing' },
  { name: 'unreadable', run: 'unreadable' },
  { name: 'not-judgeable', run: 'not judgeable' },
  { name: 'not-found', run: 'gone' },
];
