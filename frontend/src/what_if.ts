/** What a step would take without chosen findings, in words. */

import { duration, percent } from './format.js';
import type { Finding } from './model.js';
import type { Prediction, PredictionError } from './model.js';

/** The findings that can be chosen: those that say what they would save. */
export function choosable(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ saving }) => saving !== null);
}

/** "gpu-stagger,small-kernels" → the ids that this report has, in its order. */
export function chosenIds(text: string | null, findings: readonly Finding[]): string[] {
  const named = new Set((text ?? '').split(','));
  return choosable(findings)
    .map(({ id }) => id)
    .filter((id) => named.has(id));
}

export function predictionSentence({ step_ns, predicted_ns, saved_ns }: Prediction): string {
  if (saved_ns <= 0) return `A step would still take about ${duration(step_ns)}.`;
  return (
    `A step would take about ${duration(predicted_ns)} instead of ${duration(step_ns)} ` +
    `(−${percent(saved_ns / step_ns)}).`
  );
}

/** How good such predictions are; empty if that has not been measured. */
export function errorSentence(error: PredictionError | null): string {
  if (!error) return '';
  const range = `${signed(error.low_ratio)} to ${signed(error.high_ratio)}`;
  return (
    `In nine of ten of ${error.runs} simulated runs, predictions of this kind were off by ${range} of ` +
    'the step (+: the step became shorter than predicted).'
  );
}

function signed(ratio: number): string {
  return `${ratio < 0 ? '−' : '+'}${(Math.abs(ratio) * 100).toFixed(1)}\u00a0%`;
}
