/** Every state of the tab, for the dev page and for the tests in a browser. To add one: one entry here. */

import type { AddressState } from './address.js';
import { readable } from './backend.js';
import type { Marks } from './list.js';
import { LONG, hostile, huge, renamed, withHosts, withSlowTraining } from './patches.js';
import { type Name, type Recorded, recorded, reportOf } from './recorded.js';

export interface State {
  /** In the address of the dev page, and in the names of the pictures. */
  name: string;
  /** The run that is shown; null leaves the choice to the tab. */
  run: string | null;
  /** What is served of it; a recorded run if not given. */
  changed?: Recorded;
  /** The runs that there are; all that were recorded if not given. */
  runs?: string[];
  /** Whether trials lie beside them. */
  trials?: boolean;
  /** What the user marked before. */
  marks?: Marks;
  /** What else the address says. */
  at?: Partial<AddressState>;
}

const shown = (name: Name): State => ({ name, run: reportOf(name).run });
const changed = (name: string, run: Recorded): State => ({ name, run: run.report.run, changed: run });
const run = (name: Name): string => reportOf(name).run;
const staggered = run('staggered');

export const STATES: readonly State[] = [
  shown('staggered'),
  shown('healthy'),
  changed('crowded', renamed(recorded('crowded'), LONG)),
  shown('idle-gpus'),
  shown('host-only'),
  shown('on-cpu'),
  shown('all-to-all'),
  shown('pytorch'),
  shown('thin'),
  shown('grouped'),
  shown('rarely-long'),
  shown('no-steps'),
  shown('pausing'),
  changed('slow-training', withSlowTraining(recorded('healthy'))),
  changed('many-hosts', withHosts(recorded('many-hosts'), 16)),
  changed('pod', withHosts(recorded('many-hosts'), 256)),
  // As it comes over the wire.
  changed('hostile', readable(JSON.stringify(hostile(recorded('crowded')))) as Recorded),
  changed('huge', huge(withHosts(recorded('many-hosts'), 64))),
  { name: 'runs', run: null },
  { name: 'runs-compared', run: null, at: { base: staggered, pair: JSON.stringify([staggered, run('healthy')]) } },
  {
    name: 'runs-launches',
    run: null,
    at: {
      pair: JSON.stringify([
        [staggered, run('grouped')],
        [run('healthy'), run('crowded')],
      ]),
    },
  },
  { name: 'tuned', run: null, runs: [staggered, run('healthy')], trials: true, at: { trial: 'tuned' } },
  { name: 'better', run: run('healthy'), at: { base: staggered } },
  { name: 'worse', run: staggered, at: { base: run('healthy') } },
  { name: 'unproven', run: run('healthy'), at: { base: run('all-to-all') } },
  { name: 'not-comparable', run: staggered, at: { base: run('host-only') } },
  { name: 'scaling', run: run('healthy'), at: { base: run('idle-gpus') } },
  { name: 'what-if', run: staggered, at: { without: 'allreduce-exposed' } },
  { name: 'marked', run: staggered, marks: { 'allreduce-exposed': 'done', 'memory-headroom': 'irrelevant' } },
  { name: 'no-profiles', run: null, runs: [] },
  { name: 'analysing', run: 'analysing' },
  { name: 'unreadable', run: 'unreadable' },
  { name: 'not-judgeable', run: 'not judgeable' },
  { name: 'not-found', run: 'gone' },
];
