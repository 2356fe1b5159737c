// Checks workflows with GitHub's language service.
import { validate } from '@actions/languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';
import { read } from './documents.ts';
import { folderOf, type Workflow } from './recipes.ts';

/** The name of this repository in the documents. */
export const SELF = 'OWNER/run-pipeline';

export interface Action {
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
}

/** This repository's actions, by the folder in `uses`. */
const ACTIONS: Readonly<Record<string, Action>> = {
  '': parse(read('action.yml')) as Action,
  cancel: parse(read('cancel/action.yml')) as Action,
};

function other(name: string, inputs: readonly string[], outputs: readonly string[] = []): Action {
  const described = (names: readonly string[]) => Object.fromEntries(names.map((each) => [each, { description: '' }]));
  return { name, description: '', inputs: described(inputs), outputs: described(outputs) };
}

/** The other actions in the documents, with the inputs and outputs that the documents use. */
const OTHERS: Readonly<Record<string, Action>> = {
  'actions/checkout': other('Checkout', ['persist-credentials']),
  'actions/setup-python': other('Set up Python', ['python-version']),
  'actions/cache': other('Cache', ['path', 'key', 'restore-keys'], ['cache-matched-key']),
};

let checked = 0;

/**
 * The errors that GitHub's own language service finds in a workflow. It checks the schema, the expressions, and the
 * inputs of this repository's actions.
 */
export async function complaintsAbout(text: string): Promise<readonly string[]> {
  // The language service caches parsed texts by file name, so each text needs a unique name.
  checked += 1;
  const document = TextDocument.create(`file:///.github/workflows/${checked}.yml`, 'yaml', 1, text);
  const found = await validate(document, {
    actionsMetadataProvider: {
      fetchActionMetadata: async ({ owner, name, path }) =>
        `${owner}/${name}` === SELF ? ACTIONS[path ?? ''] : OTHERS[`${owner}/${name}`],
    },
  });
  return found.map(({ range, message }) => {
    const words = typeof message === 'string' ? message : message.value;
    return `line ${range.start.line + 1}: ${words}`;
  });
}

/** The outputs that a job reads but none of its steps sets. */
export function outputsMissed({ jobs }: Workflow): readonly string[] {
  return Object.values(jobs).flatMap((job) => {
    const asked = [...JSON.stringify(job).matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)];
    return asked.flatMap(([expression, id, output = '']) => {
      const step = job.steps?.find((one) => one.id === id);
      const folder = step === undefined ? undefined : folderOf(step);
      const action = folder === undefined ? undefined : ACTIONS[folder];
      const known = action === undefined ? step !== undefined : output in action.outputs;
      return known ? [] : [expression];
    });
  });
}
