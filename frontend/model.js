/** Prints the TypeScript of the parts of a JSON Schema: `node model.js < parts.json`. `.ci/model` gives it those of the backend. */

import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import * as prettier from 'prettier';

const BANNER = `/**
 * What the backend sends, generated from its JSON Schema by .ci/model.
 *
 * \`_ns\` are integer nanoseconds, \`_bytes\` integer bytes, \`_ratio\` shares 0..1, \`_ms\` milliseconds on
 * the timeline of one host. \`null\` means "the profile does not say". All text is plain text.
 */
`;

/** What the generator adds to each comment. */
const REFERENCES = /(?: \* ?\n)? \* This interface was referenced by .*\n \* via the `definition` .*\n/g;

const UNTYPED = new Set(['title', 'default', 'minimum', 'maximum']);

/** One object as the backend sends it: each field is there, also one that has a default, and nothing else. */
function sent({ description = '', properties = {}, ...rest }) {
  return {
    ...rest,
    description: wrapped(description.replaceAll('``', '`')),
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, typeOnly(field)])),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** A field's schema without what is no matter of its type; the order of an enum's values says nothing. */
function typeOnly(schema) {
  if (Array.isArray(schema)) return schema.map(typeOnly);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.enum) return { ...schema, enum: [...schema.enum].sort() };
  const parts = Object.entries(schema).filter(([name]) => !UNTYPED.has(name));
  return Object.fromEntries(parts.map(([name, part]) => [name, typeOnly(part)]));
}

/** In lines that are no wider than code. */
function wrapped(words) {
  return words
    .replace(/\s+/g, ' ')
    .replace(/(.{1,115})(?: |$)/g, '$1\n')
    .trimEnd();
}

const parts = JSON.parse(await text(process.stdin));
const { Report, ...$defs } = Object.fromEntries(Object.entries(parts).map(([name, schema]) => [name, sent(schema)]));
const options = { bannerComment: BANNER, format: false, unreachableDefinitions: true };
const code = await compile({ ...Report, $defs }, 'Report', options);
const filepath = fileURLToPath(new URL('src/model.ts', import.meta.url));
const style = await prettier.resolveConfig(filepath);
process.stdout.write(
  await prettier.format(code.replace(REFERENCES, '').replaceAll('\n}\n', '\n}\n\n'), { ...style, filepath }),
);
