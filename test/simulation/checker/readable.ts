import type { Facts } from '../model/facts.ts';

/** Whether post could find this id: in the state it was given, in main's own state file or in the journal. */
export function isReadable({ files, postEnv, writes, paths, spec }: Facts, id: string): boolean {
  const texts = Object.entries(postEnv).flatMap(([key, value]) => (key.startsWith('STATE_') ? [value] : []));
  const hasJournal =
    !spec.runner.noTemp && [...files].some(([path, text]) => path.endsWith('.journal') && text.includes('}'));
  // A journal that lacks its beginning tells nobody whose it is.
  const isHoled = writes.some(({ path, failed }) => failed && path.endsWith('.journal'));
  if (texts.length === 0 && (!hasJournal || isHoled)) return false;
  for (const [path, text] of files) {
    if (path === paths.state || path.endsWith('.journal')) texts.push(...text.split('\n'));
  }
  return texts.some((line) => line.includes(id) && line.endsWith('}'));
}
