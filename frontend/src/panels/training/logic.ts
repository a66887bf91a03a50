/** The records of a training: hosts that recorded the same facts stand together. */

import type { Fact, Training } from '../../model.js';

interface TrainingGroup {
  /** Who recorded these facts, in which file and when. */
  records: Training[];
  facts: Fact[];
}

export function grouped(records: readonly Training[]): TrainingGroup[] {
  const groups = new Map<string, TrainingGroup>();
  for (const record of records) {
    const key = JSON.stringify(record.facts);
    const group = groups.get(key) ?? { records: [], facts: record.facts };
    group.records.push(record);
    groups.set(key, group);
  }
  return [...groups.values()];
}
