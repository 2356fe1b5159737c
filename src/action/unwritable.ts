import { TOO_MANY_FILES } from '../service/problem.ts';

/**
 * Returns what to do about a file that could not be written for this reason. `uid` is the id of this process's user, or
 * undefined on Windows.
 */
export function remedyForFile(why: string, uid: number | undefined): string {
  if (/^E[MN]FILE\b/.test(why)) return TOO_MANY_FILES;
  // https://nodejs.org/api/permissions.html
  if (why.startsWith('Access to this API has been restricted'))
    return "Add --allow-fs-read=* and --allow-fs-write=* to NODE_OPTIONS, or disable Node's permission model.";
  if (/^(?:EACCES|EPERM)\b/.test(why))
    return uid === undefined
      ? "Give the runner's user write access to this file and its folder."
      : `Give the user with the id ${uid}, who runs this step, write access to this file and its folder. In a job container, options: --user sets this user.`;
  if (/^EROFS\b/.test(why)) return 'Mount the file system of this file with write access.';
  if (/^ENOENT\b/.test(why)) return "Check that no step deletes RUNNER_TEMP or the runner's files.";
  if (/^(?:ENOSPC|EDQUOT)\b/.test(why)) return 'Free up disk space on the runner.';
  return 'Check that the runner provides this file and can write to it.';
}
