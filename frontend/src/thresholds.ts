/** Trying out thresholds: what another report says that the one on screen does not. */

import { amount, counted } from './format.js';
import type { Finding, Report, Row } from './model.js';
import type { Unit } from './types.js';

/** A limit of a rule, or the share of the step that a severity begins at. */
export interface Threshold {
  id: string;
  name: string;
  value: number;
  unit: Unit;
  source: string;
  /** Applied before rules judge, so that another value cannot be tried out. */
  fixed: boolean;
}

/** Rule's id → its thresholds, and those of the severities. */
export interface Thresholds {
  rules: Readonly<Record<string, readonly Threshold[]>>;
  severities: readonly Threshold[];
}

/** The report on screen, and what it would be with other thresholds. */
export interface OtherThresholds {
  base: Report;
  other: Report;
}

/** In place of a rule's id for the severities. */
export const SEVERITY = 'severity';

/** What the report says of one rule. */
interface Said {
  title: string;
  place: string;
  finding: Finding | null;
  reason: string;
  saving: string;
}

const PLACES = {
  passed: 'would pass',
  not_applicable: 'would not apply',
  missing_data: 'could not be checked',
  errors: 'would fail',
} as const;

/** How a threshold to try out is written in a request. */
export function thresholdText(rule: string, threshold: string, value: string): string {
  return `${rule}:${threshold}:${value}`;
}

/** "With 2 % instead of 1 % (idle between steps):" */
export function tried(report: Report): string {
  const parts = report.tried.map(
    (t) =>
      `${amount(t.value, t.unit)} instead of ${amount(t.default, t.unit)} ` +
      `(${t.rule === SEVERITY ? `${t.rule} ` : ''}${t.name})`,
  );
  return `With ${parts.join(' and ')}:`;
}

/** What would be otherwise, one sentence each; `rules` are also heard when only their words change. */
export function difference(base: Report, other: Report, rules: readonly string[]): string[] {
  const [was, is] = [said(base), said(other)];
  const changes = [...is].flatMap(([id, now]) => {
    const before = was.get(id);
    return before ? changed(before, now, rules.includes(id)) : [];
  });
  if (changes.length > 0 && base.advice !== other.advice) changes.push(`The advice would be: ${other.advice}`);
  return changes;
}

function said(report: Report): Map<string, Said> {
  const found = new Map<string, Said>();
  const add = (finding: Finding, place: string): void => {
    const saving = report.words.find(({ id }) => id === finding.id)?.saving ?? '';
    found.set(finding.id, { title: finding.title, place, finding, reason: '', saving });
    for (const inner of finding.explains) add(inner, `under “${finding.title}”`);
  };
  for (const finding of [...report.trust, ...report.findings]) add(finding, '');
  for (const place of Object.keys(PLACES) as (keyof typeof PLACES)[]) {
    for (const { id, title, reason } of report[place] as readonly Row[]) {
      found.set(id, { title, place, finding: null, reason, saving: '' });
    }
  }
  return found;
}

function changed(was: Said, is: Said, heard: boolean): string[] {
  const title = `“${is.title}”`;
  if (!is.finding) {
    const words = `${PLACES[is.place as keyof typeof PLACES]}: ${is.reason}`;
    if (was.finding) return [`“${was.title}” would no longer be found; it ${words}`];
    return was.place !== is.place || (heard && was.reason !== is.reason) ? [`${title} ${words}`] : [];
  }
  if (!was.finding) {
    const { severity, where, summary } = is.finding;
    const places = where.length > 0 ? `, ${counted(where.length, 'place')}` : '';
    const saving = is.saving && `, ${is.saving}`;
    return [`${title} would be found${is.place && ` ${is.place}`}: ${severity}${saving}${places}. ${summary}`];
  }
  const parts = [];
  if (was.finding.severity !== is.finding.severity)
    parts.push(`be ${is.finding.severity} instead of ${was.finding.severity}`);
  if (was.place !== is.place) parts.push(is.place ? `be listed ${is.place}` : 'be a finding of its own');
  if (was.finding.saving?.ns !== is.finding.saving?.ns) parts.push(`save ${is.saving || 'nothing by itself'}`);
  if (was.finding.confidence !== is.finding.confidence) parts.push(`have ${is.finding.confidence} confidence`);
  const summary = was.finding.summary === is.finding.summary ? [] : [`${title} would say: ${is.finding.summary}`];
  return [...(parts.length > 0 ? [`${title} would ${parts.join(', ')}.`] : []), ...summary];
}
