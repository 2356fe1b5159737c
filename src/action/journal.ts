import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from './environment.ts';

/**
 * Where main keeps its journal and post looks for it when the runner has lost the state: in the folder that the
 * runner empties between two jobs, under the job's own name. Undefined where there is no such folder.
 */
export function journalPath(env: Environment, pid: number): string | undefined {
  const folder = env['RUNNER_TEMP'];
  if (folder === undefined || folder === '') return undefined;
  return join(folder, `${journalPrefix(env)}${pid}.journal`);
}

/** What the names of all journals of this job begin with. */
export function journalPrefix(env: Environment): string {
  const job = ['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB'].map((name) => plain(env[name] ?? ''));
  return `run-pipeline-${job.join('-')}-`;
}

/**
 * Ties a journal to the key it was written with. Any step of the job could lay a journal there that names a host
 * of its own; without the key it cannot seal it, and so the key is never sent to that host. Tells no more of the
 * key than any signature made with it.
 */
export function sealOf(apiKey: string, baseUrl: string, journal: string): string {
  return createHmac('sha256', apiKey).update(`${baseUrl}\n${journal}`).digest('hex');
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}
