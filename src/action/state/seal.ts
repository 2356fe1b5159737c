// This is a separate file because loading node:crypto takes 5 ms, and a post step with nothing to do does not need it.
import { createHash, createHmac } from 'node:crypto';
import { basename } from 'node:path';
import { type Environment, inputOf } from '../inputs/input-table.ts';

/**
 * Proves that the writer of main's record had the API key. Any step of the job could write a record that names another
 * host, and post must not send the key there. Omits the journal's folder, because its path may have several spellings.
 */
export function sealOf(apiKey: string, baseUrl: string, journal: string): string {
  const sealed = `${baseUrl}\n${basename(journal)}`;
  return createHmac('sha256', apiKey).update(sealed).digest('hex');
}

/** Identifies the pipelines and runs in the inputs, to distinguish uses of this action that share a `GITHUB_ACTION`. */
export function askedIn(env: Environment): string {
  const asked = ['pipeline', 'job-id'].map((name) => inputOf(env, name)).join('\n\n');
  return createHash('sha256').update(asked).digest('hex').slice(0, 16);
}
