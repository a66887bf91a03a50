/** The terms of the field that sentences and tables use, each with its meaning; the backend has the words. */

/** `terms` are found in sentences, by regular expressions; `heads` are what panels call their own numbers. */
export interface Glossary {
  terms: readonly { pattern: string; meaning: string }[];
  heads: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

let known: Glossary = { terms: [], heads: {} };
let anyTerm = /(?!)/g;

/** Until this is called nothing is explained. */
export function learn(glossary: Glossary): void {
  known = glossary;
  const patterns = known.terms.map(({ pattern }) => `(${pattern})`).join('|');
  // What stands inside a longer name, such as a/kernel_3, is no term.
  anyTerm = new RegExp(`(?<![\\w/.:-])(?:${patterns})(?![\\w/-]|[.:]\\w)`, 'g');
}

interface Term {
  word: string;
  meaning: string;
}

/** Cuts a sentence at the terms that it uses; each is a term only where it comes first. */
export function terms(sentence: string): (string | Term)[] {
  const found: (string | Term)[] = [];
  const told = new Set<string>();
  let end = 0;
  for (const match of sentence.matchAll(anyTerm)) {
    const meaning = known.terms[match.slice(1).findIndex((group: string | undefined) => group !== undefined)]?.meaning;
    if (meaning === undefined || told.has(meaning)) continue;
    told.add(meaning);
    if (match.index > end) found.push(sentence.slice(end, match.index));
    found.push({ word: match[0], meaning });
    end = match.index + match[0].length;
  }
  if (end < sentence.length) found.push(sentence.slice(end));
  return found;
}

/** What a head of a panel means, or the term that it begins with, in capitals or not. */
export function meaningOf(head: string, panel: string): string | undefined {
  const [first] = terms(`${head[0]?.toLowerCase()}${head.slice(1)}`);
  const [same] = terms(head);
  return (
    known.heads[panel]?.[head] ??
    [first, same].map((part) => (typeof part === 'object' ? part.meaning : undefined)).find(Boolean)
  );
}
