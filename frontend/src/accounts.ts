/**
 * The ledger's accounts on screen: words, colour and pattern of each, bound once for all charts.
 *
 * Kinds of idle time are patterned, work is plain, so that no bar depends on colour alone.
 */

export type Pattern = 'solid' | 'rising' | 'falling' | 'dots' | 'cross' | 'bars';

export interface AccountLook {
  /** In a legend or a tooltip: what the GPU does in this time. */
  words: string;
  /** Custom property that holds the colour in the current theme (theme.ts). */
  colour: string;
  pattern: Pattern;
}

/** In the order in which a bar is drawn: late start, work, communication, then the kinds of idle. */
const LOOKS: ReadonlyMap<string, AccountLook> = new Map(
  (
    [
      ['idle.stagger', 'idle while other GPUs already run', 'stagger', 'falling'],
      ['compute', 'compute', 'compute', 'solid'],
      ['compute.undivided', 'compute', 'compute', 'dots'],
      ['compute.floor', 'compute at the GPU’s limit', 'compute', 'solid'],
      ['compute.recoverable', 'compute that could be won', 'recoverable', 'bars'],
      ['compute.not_judged', 'compute that is not judged', 'unknown', 'rising'],
      ['communication.transfer', 'transfer between GPUs', 'transfer', 'solid'],
      ['communication.wait', 'waiting in collectives', 'wait', 'rising'],
      ['copy.h2d', 'copies to the GPU', 'copy', 'solid'],
      ['copy.d2h', 'copies to the host', 'copy', 'falling'],
      ['copy.d2d', 'copies between or inside GPUs', 'copy', 'dots'],
      ['idle.input', 'idle, waiting for input', 'input', 'rising'],
      ['idle.launch', 'idle, waiting for kernel launches', 'launch', 'dots'],
      ['idle.dispatch', 'idle, the host runs the step’s ops', 'launch', 'rising'],
      ['idle.compile', 'idle, waiting for tracing or compilation', 'compile', 'cross'],
      ['idle.host_op', 'idle, an op runs on the CPU', 'host-op', 'bars'],
      ['idle.sync', 'idle, the host waits for the GPU', 'sync', 'falling'],
      ['idle.between_steps', 'idle between steps', 'between', 'cross'],
      ['idle.unknown', 'idle, cause not recorded', 'unknown', 'dots'],
    ] as const
  ).map(([id, words, colour, pattern]) => [id, { words, colour: `--account-${colour}`, pattern }]),
);

const ORDER = [...LOOKS.keys()];

/** An account that this front end does not know yet is shown by its id, in the neutral colour. */
export function accountLook(id: string): AccountLook {
  return LOOKS.get(id) ?? { words: accountWords(id), colour: '--account-unknown', pattern: 'solid' };
}

/** "compute.tensor_core_matmul" → "tensor core matmul". */
function accountWords(id: string): string {
  return id.slice(id.indexOf('.') + 1).replaceAll('_', ' ');
}

/** The accounts that hold time, in drawing order; unknown ids come last. */
export function drawn<T extends { id: string; ns: number }>(accounts: readonly T[]): T[] {
  const place = (id: string): number => (ORDER.indexOf(id) + ORDER.length + 1) % (ORDER.length + 1);
  return accounts.filter((a) => a.ns > 0).sort((a, b) => place(a.id) - place(b.id));
}
