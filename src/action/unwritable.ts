import { TOO_MANY_FILES } from '../service/problem.ts';

/** Returns what to do about a file that could not be written for this reason. */
export function remedyForFile(why: string): string {
  if (/^E[MN]FILE\b/.test(why)) return TOO_MANY_FILES;
  // https://nodejs.org/api/permissions.html
  if (why.startsWith('Access to this API has been restricted'))
    return "Add --allow-fs-read=* and --allow-fs-write=* to NODE_OPTIONS, or disable Node's permission model.";
  if (/^(?:EACCES|EPERM|EROFS)\b/.test(why)) return "Give the runner's user write access to this file and its folder.";
  if (/^ENOENT\b/.test(why)) return "Check that no step deletes RUNNER_TEMP or the runner's files.";
  if (/^(?:ENOSPC|EDQUOT)\b/.test(why)) return 'Free some disk space.';
  return 'Check that the runner provides this file and can write to it.';
}
