/** The terms of the field that sentences use, each with its meaning in one plain sentence. */

const MEANINGS: readonly (readonly [pattern: string, meaning: string])[] = [
  ['AllReduce', 'All GPUs add up their gradients, so that each has the same sum; it happens in every step.'],
  ['collectives?', 'Work that several GPUs do together, such as AllReduce: it can end only when all of them have come.'],
  ['NCCL', 'NVIDIA’s library for work that several GPUs do together.'],
  ['kernels?', 'A function that runs on the GPU: the smallest piece of its work that a profile shows.'],
  ['launch(?:es|ed|ing)?', 'The CPU tells the GPU to run a kernel, which takes it some microseconds each time.'],
  ['streams?', 'A queue of a GPU: what is in one queue runs in order, different queues can run at the same time.'],
  ['Tensor Cores?', 'Units of a GPU for multiplying matrices, many times as fast as its others, above all in 16 bit.'],
  ['TF32|TensorFloat-32', 'Matrices of float32, multiplied by Tensor Cores with fewer digits.'],
  ['b?float16|16 bit', 'Numbers of half the size: half the memory to move, and Tensor Cores at full speed.'],
  ['ops?', 'An operation of TensorFlow, such as MatMul: it runs as one or more kernels.'],
  ['H2D', 'Host to device: a copy from the memory of the CPU to that of a GPU.'],
  ['D2H', 'Device to host: a copy from the memory of a GPU to that of the CPU.'],
  ['D2D', 'Device to device: a copy inside the memory of a GPU, or between two GPUs.'],
  ['pinned', 'Memory of the CPU that stays in its place, so that the GPU can copy from it at full speed.'],
  ['prefetch(?:es|ing)?', 'The next batches are made ready while the GPU still works on this one.'],
  ['retrac(?:es|ed|ing)|tracing', 'TensorFlow runs the Python code of a function to make a graph of it; once should be enough.'],
  ['XLA', 'TensorFlow’s compiler, which makes few large kernels of many small ops.'],
  ['fus(?:es|ed|ion|ing)', 'Several ops in one kernel, so that what lies between them never goes through memory.'],
  ['NVLink', 'A direct link between GPUs, several times as fast as PCIe.'],
  ['PCIe', 'The link between the CPU and a GPU, and between GPUs without NVLink.'],
  ['CUPTI', 'NVIDIA’s library that records what GPUs do; without it a profile holds the host only.'],
  ['replicas?', 'The copy of the model on one GPU, with its share of each batch.'],
];

/** What stands inside a longer name, such as a/kernel_3, is no term. */
const TERMS = new RegExp(`(?<![\\w/.:-])(?:${MEANINGS.map(([pattern]) => `(${pattern})`).join('|')})(?![\\w/-]|[.:]\\w)`, 'g');

export interface Term {
  word: string;
  meaning: string;
}

/** Cuts a sentence at the terms that it uses; each is a term only where it comes first. */
export function terms(sentence: string): (string | Term)[] {
  const found: (string | Term)[] = [];
  const known = new Set<string>();
  let end = 0;
  for (const match of sentence.matchAll(TERMS)) {
    const meaning = MEANINGS[match.slice(1).findIndex((group) => group !== undefined)]?.[1];
    if (meaning === undefined || known.has(meaning)) continue;
    known.add(meaning);
    if (match.index > end) found.push(sentence.slice(end, match.index));
    found.push({ word: match[0], meaning });
    end = match.index + match[0].length;
  }
  if (end < sentence.length) found.push(sentence.slice(end));
  return found;
}

/** What a heading means that begins with a term, in capitals or not. */
export function meaningOf(heading: string): string | undefined {
  const [first] = terms(`${heading[0]?.toLowerCase()}${heading.slice(1)}`);
  const [same] = terms(heading);
  return [first, same].map((part) => (typeof part === 'object' ? part.meaning : undefined)).find(Boolean);
}
