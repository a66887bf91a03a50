/**
 * The ledger's accounts on screen: words, colour and pattern of each, bound once for all charts.
 *
 * Kinds of idle time are patterned, work is plain, so that no bar depends on colour alone.
 */

export type Pattern = 'solid' | 'rising' | 'falling' | 'dots' | 'cross' | 'bars';

export interface AccountLook {
  /** The account’s one label; the glossary defines it. */
  words: string;
  /** Custom property that holds the colour in the current theme (theme.ts). */
  colour: string;
  pattern: Pattern;
}

/** In the order in which a bar is drawn: late start, work, communication, then the kinds of idle. */
const LOOKS: ReadonlyMap<string, AccountLook> = new Map(
  (
    [
      ['idle.stagger', 'Launch skew', 'stagger', 'falling'],
      ['compute', 'Compute', 'compute', 'solid'],
      ['compute.floor', 'Compute at the GPU’s limit', 'compute', 'solid'],
      ['compute.recoverable', 'Compute that could be won', 'recoverable', 'bars'],
      ['compute.not_judged', 'Compute not judged', 'unknown', 'rising'],
      ['communication.transfer', 'Exposed transfer', 'transfer', 'solid'],
      ['communication.wait', 'Straggler wait', 'wait', 'rising'],
      ['copy.h2d', 'H2D copy', 'copy', 'solid'],
      ['copy.d2h', 'D2H copy', 'copy', 'falling'],
      ['copy.d2d', 'D2D copy', 'copy', 'dots'],
      ['idle.input', 'Input wait', 'input', 'rising'],
      ['idle.launch', 'Launch wait', 'launch', 'dots'],
      ['idle.dispatch', 'Op dispatch', 'launch', 'rising'],
      ['idle.compile', 'Compile wait', 'compile', 'cross'],
      ['idle.startup', 'Start-up', 'compile', 'dots'],
      ['idle.host_op', 'CPU op wait', 'host-op', 'bars'],
      ['idle.sync', 'Host sync', 'sync', 'falling'],
      ['idle.between_steps', 'Step gap', 'between', 'cross'],
      ['idle.unknown', 'Unattributed idle', 'unknown', 'dots'],
    ] as const
  ).map(([id, words, colour, pattern]) => [id, { words, colour: `--account-${colour}`, pattern }]),
);

/** What hosts do: in the colour of the account of GPUs that it mostly explains. */
const HOST_LOOKS: Readonly<Record<string, readonly [words: string, colour: string, pattern: Pattern]>> = {
  'host.compile': ['tracing or compiling', 'compile', 'cross'],
  'host.input': ['the step waits for its batch', 'input', 'rising'],
  'host.sync': ['waits for a GPU', 'sync', 'falling'],
  'host.callback': ['callbacks, metrics, checkpoints', 'between', 'cross'],
  'host.eager': ['ops that Python runs one by one', 'between', 'dots'],
  'host.step': ['inside the step’s function', 'unknown', 'solid'],
  'host.launch': ['launches kernels', 'launch', 'solid'],
  'host.op': ['an op of the step runs on the CPU', 'host-op', 'bars'],
  'host.pipeline': ['the input pipeline works', 'input', 'solid'],
  // Parts of a step on the CPU.
  'host.ops': ['Ops on the CPU', 'host-op', 'bars'],
  'host.between': ['Framework between ops', 'launch', 'solid'],
  'host.rest': ['Python, callbacks and the rest', 'between', 'cross'],
};

const ORDER = [...LOOKS.keys()];

/** An account, or what a host does; what this front end does not know yet is shown by its id, in the neutral colour. */
export function accountLook(id: string): AccountLook {
  const host = HOST_LOOKS[id];
  if (host) return { words: host[0], colour: `--account-${host[1]}`, pattern: host[2] };
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
