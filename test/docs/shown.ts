// Every workflow that a document shows.
import { parse, stringify } from 'yaml';
import { type Document, documents } from './documents.ts';

/** Other workflows of the same document that a job may call, by their path. */
export type Neighbours = ReadonlyMap<string, string>;

/** A YAML block of a document, as a whole workflow. */
export interface Shown {
  /** The document and the line of the block, as in `docs/costs.md:12`. */
  readonly name: string;
  /** Steps that the document shows without a job are put into one. */
  readonly text: string;
  readonly isWhole: boolean;
  readonly neighbours: Neighbours;
}

/** Every YAML block of every document. */
export const shown: readonly Shown[] = documents.flatMap(workflowsIn);

function workflowsIn({ path, blocks }: Document): readonly Shown[] {
  const texts = blocks.filter(({ language }) => language === 'yaml' || language === 'yml');
  // Workflows that others call say in their first line where they belong.
  const neighbours = new Map(
    texts.flatMap(({ text }) => {
      const [, at] = /^# (\S+\.yml)\n/.exec(text) ?? [];
      return at === undefined ? [] : [[at, text] as const];
    }),
  );
  return texts.map(({ text, line }) => {
    const value: unknown = parse(text);
    const isWhole = !Array.isArray(value);
    const job = { name: 'Shown', 'runs-on': 'ubuntu-latest', 'timeout-minutes': 5, steps: value };
    const wrapped = { name: 'Shown', on: 'workflow_dispatch', permissions: {}, jobs: { shown: job } };
    return { name: `${path}:${line}`, text: isWhole ? text : stringify(wrapped), isWhole, neighbours };
  });
}
