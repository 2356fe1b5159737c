import type { History } from '../history.ts';
import { isRead } from '../stdout-read.ts';

/** A loop with nothing left to wait for is a failure, and ends as one: exit code 1, and everything told. */
export function drained({ facts }: History): string[] {
  const { main, post, spec } = facts;
  const found: string[] = [];
  if (post?.drained === true) found.push('post drained');
  if (!main.drained) return found;
  if (spec.lostTimer === null) found.push('main drained');
  if (main.end?.code === 0) found.push('main drained and ended with exit code 0');
  const outputs = facts.files.get(facts.paths.output) ?? '';
  const isWhole = facts.writes.every(({ failed }) => !failed);
  if (main.end?.how !== 'killed' && isWhole && !/^outcome=/m.test(outputs))
    found.push('main drained without an outcome');
  const errors = main.annotations.filter(({ level }) => level !== 'notice');
  const notices = main.observed.length > 0 ? main.annotations : errors;
  if (main.end?.how !== 'killed' && notices.length === 0 && isRead(facts, 'main')) {
    found.push('main drained without a word');
  }
  return found;
}
