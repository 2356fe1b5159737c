import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCRIPT = pathToFileURL(join(import.meta.dirname, 'e2e-other-code.mjs')).href;

/** The environment of a job whose NODE_OPTIONS load other code into the processes of its steps. */
export function otherCode(deed: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { NODE_OPTIONS: `--import=${SCRIPT}`, OTHER_CODE: deed, ...more };
}
