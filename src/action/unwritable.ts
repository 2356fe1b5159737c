import { TOO_MANY_FILES } from '../service/problem.ts';

/** Why the step has no file for its records. */
export const NO_RECORD_FILES = 'GITHUB_STATE and RUNNER_TEMP are not set';

/**
 * Returns what to do about a file that could not be written for this reason. `uid` is the id of this process's user, or
 * undefined on Windows.
 */
export function remedyForFile(why: string, uid: number | undefined): string {
  // https://nodejs.org/api/permissions.html
  if (why.startsWith('Access to this API has been restricted'))
    return "Add --allow-fs-read=* and --allow-fs-write=* to NODE_OPTIONS, or disable Node's permission model.";
  if (why === NO_RECORD_FILES) return 'Check that the runner sets both variables.';
  const [code] = why.split(/\W/);
  switch (code) {
    case 'EMFILE':
    case 'ENFILE':
      return TOO_MANY_FILES;
    case 'EACCES':
    case 'EPERM':
      return uid === undefined
        ? "Give the runner's user write access to this file and its folder."
        : `Give the user that runs this step (id ${uid}) write access to this file and its folder. In a job container, set the user with options: --user.`;
    case 'EROFS':
      return 'This file is on a read-only file system. Mount the file system with write access.';
    case 'ENOENT':
      return "Check that no step deletes RUNNER_TEMP or the runner's files.";
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free up disk space on the runner.';
    default:
      return 'Check that the runner provides this file and can write to it.';
  }
}
