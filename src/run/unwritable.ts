import { TOO_MANY_FILES } from '../service/problem.ts';

/** Returns the remedy for a file that could not be written for this reason, or undefined if the reason is usual. */
export function remedyForFile(why: string): string | undefined {
  if (/^E[MN]FILE\b/.test(why)) return TOO_MANY_FILES;
  // https://nodejs.org/api/permissions.html
  if (why.includes('--allow-fs-write'))
    return 'Add --allow-fs-write=* to NODE_OPTIONS, or remove --permission from it.';
  return undefined;
}
