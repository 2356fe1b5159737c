// Apart from journals.ts: loading node:crypto takes 5 ms, and a post step with nothing to do needs none of it.
import { createHash, createHmac } from 'node:crypto';
import { basename } from 'node:path';
import { type Environment, inputOf } from '../inputs/input-table.ts';

/**
 * Proves that whoever wrote main's record had the API key. Any step of the job could write a record that names a host of
 * its own; without the seal, the key is never sent to that host. Reveals no more of the key than any signature made with
 * it. The folder of the journal is left out, because it may have several spellings.
 */
export function sealOf(apiKey: string, baseUrl: string, journal: string): string {
  return createHmac('sha256', apiKey)
    .update(`${baseUrl}\n${basename(journal)}`)
    .digest('hex');
}

/** Identifies what a step was asked for, to tell uses of this action apart that have one `GITHUB_ACTION`. */
export function askedIn(env: Environment): string {
  const asked = ['pipeline', 'job-id'].map((name) => inputOf(env, name)).join('\n\n');
  return createHash('sha256').update(asked).digest('hex').slice(0, 16);
}
