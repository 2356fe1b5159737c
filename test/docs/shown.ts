// Every workflow in the documents.
import { parse, stringify } from 'yaml';
import { type Document, documents } from './documents.ts';

/** Other workflows in the same document that a job may call, by path. */
export type Neighbours = ReadonlyMap<string, string>;

/** A YAML block of a document, completed to a whole workflow. */
export interface Shown {
  /** The document and line number of the block, as in `docs/costs.md:12`. */
  readonly name: string;
  /** Puts steps that the document shows without a job into one. */
  readonly text: string;
  readonly isWhole: boolean;
  readonly neighbours: Neighbours;
}

/** Every YAML block in every document. */
export const shown: readonly Shown[] = documents.flatMap(workflowsIn);

function workflowsIn({ path, blocks }: Document): readonly Shown[] {
  const texts = blocks.filter(({ language }) => language === 'yaml' || language === 'yml');
  // The first line of a reusable workflow names its path.
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
