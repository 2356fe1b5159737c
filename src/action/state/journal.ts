import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '../inputs/input-table.ts';
import { journalFolder, journalPrefix } from './journals.ts';

/**
 * Where main keeps its journal, and post looks for it when the runner has lost the state. Undefined where there
 * is no folder for it.
 */
export function journalPath(env: Environment, pid: number): string | undefined {
  const folder = journalFolder(env);
  return folder === '' ? undefined : join(folder, `${journalPrefix(env)}${pid}.journal`);
}

/**
 * Ties a journal to the key it was written with. Any step of the job could lay a journal there that names a host
 * of its own; without the key it cannot seal it, and so the key is never sent to that host. Tells no more of the
 * key than any signature made with it.
 */
export function sealOf(apiKey: string, baseUrl: string, journal: string): string {
  return createHmac('sha256', apiKey).update(`${baseUrl}\n${journal}`).digest('hex');
}
