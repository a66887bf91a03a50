/** Questions of which only the newest counts. */

import { BackendError } from './backend.js';

export class Newest {
  private asking = new AbortController();

  /** Gives up the question before. */
  stop(): void {
    this.asking.abort();
  }

  /** Hands on the answer, or why there is none, unless another question came meanwhile. */
  async ask<T>(
    question: (signal: AbortSignal) => Promise<T>,
    answered: (answer: T | null, problem: string) => void,
  ): Promise<void> {
    this.stop();
    const { signal } = (this.asking = new AbortController());
    try {
      const answer = await question(signal);
      if (!signal.aborted) answered(answer, '');
    } catch (problem) {
      if (!signal.aborted)
        answered(null, problem instanceof BackendError ? problem.message : 'The step could not be projected.');
    }
  }
}
