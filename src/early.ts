/*
 * What the entries do before they load any other code. This file imports nothing, so that an idle post step starts fast,
 * and must load in old versions of Node too. It therefore duplicates some values and checks.
 * early.test.ts verifies that they match the code that they duplicate.
 */

type Variables = Readonly<Record<string, string | undefined>>;

/** The signals that end a step. Only Windows sends SIGBREAK. A closed terminal sends SIGHUP. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const;

/** The id of the process that started this one, read first, so that a runner that dies while other code loads is noticed. */
export const parentAtStart = process.ppid;

/** The oldest Node.js that has everything the action needs. act, Gitea and Forgejo run the Node.js on the PATH. */
const OLDEST = { major: 20, minor: 16 };

/** Returns the reason why this version of Node.js cannot run the action, or undefined if it can. */
export function complaintAboutNode(version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}. Update the runner or the Node.js on its PATH.`;
}

/** Fails a process that cannot load the rest of the action. */
export function refuse(title: string, why: string, error?: unknown): void {
  printAndExit(`::error title=${title}::${withCause(why, error)}\n`, 1);
}

/** Ends a post step that cannot load the rest of the action, with a warning about the runs in the state. */
export function warnAboutRuns(env: Variables, why: string, error?: unknown): void {
  const ids = keptIds(env).join(', ');
  const runs =
    ids === ''
      ? 'The state of this step contains no run id.'
      : `Check these runs in the application, and cancel any that should not continue: ${ids}`;
  printAndExit(`::warning title=run-pipeline::${withCause(why, error)} ${runs}\n`, 0);
}

function withCause(why: string, error: unknown): string {
  const cause = error === undefined ? '' : ` (${error instanceof Error ? error.message : 'unknown error'})`;
  return `${why}${cause}`.replace(/%/g, '%25').replace(/\s+/g, ' ');
}

export const PRINT_WITHIN_MS = 5_000;

/** Prints a line and ends the process, even if preloaded code keeps a timer active or nothing reads stdout. */
export function printAndExit(line: string, code: 0 | 1): void {
  const exit = (): void => process.exit(code);
  setTimeout(exit, PRINT_WITHIN_MS);
  process.stdout.on('error', exit);
  process.stdout.write(line, exit);
}

/** Returns whether the post step has nothing to do or report, according to the main step's last line. */
export function isIdle(env: Variables): boolean {
  try {
    const { idle } = JSON.parse(env['STATE_run_pipeline_end'] ?? '') as { readonly idle?: unknown };
    return idle === 'always' || (idle === 'unless_cancelled' && env['INPUT_INTERNAL-JOB-STATUS'] !== 'cancelled');
  } catch {
    return false;
  }
}

/** Returns the ids of the runs in the state that the runner kept. */
export function keptIds(env: Variables): string[] {
  const lines = Object.keys(env).filter((name) => /^STATE_run_pipeline_\d+$/.test(name));
  return lines.flatMap((name) => /"jobId":"([0-9a-f-]{36})"/.exec(env[name] ?? '')?.[1] ?? []);
}

/** Returns whether the runner kept a state, so that there may be runs. */
export function hasState(env: Variables): boolean {
  return Object.keys(env).some((name) => name.startsWith('STATE_run_pipeline'));
}
