import type { Environment } from './environment.ts';
import type { Files } from './files.ts';

/** The folder that the runner empties between two jobs; empty where there is none. */
export function journalFolder(env: Environment): string {
  return env['RUNNER_TEMP'] ?? '';
}

/** What the names of all journals of this job begin with. */
export function journalPrefix(env: Environment): string {
  const job = ['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB'].map((name) => plain(env[name] ?? ''));
  return `run-pipeline-${job.join('-')}-`;
}

/** The names of the journals that steps of this job have left. */
export function journalNames(env: Environment, files: Files): readonly string[] {
  const folder = journalFolder(env);
  const prefix = journalPrefix(env);
  if (folder === '') return [];
  return files.list(folder).filter((name) => name.startsWith(prefix) && name.endsWith('.journal'));
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}
