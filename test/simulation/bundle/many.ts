import { join } from 'node:path';
import { installAction } from '../../../sandbox/runner/index.ts';
import { realLife } from './lives.ts';
import { livedTwice } from './replay.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
/** So many processes that the cores never wait, and no more. */
const AT_ONCE = 6;

/** Lives lives on the bundle too; returns what differed, a report each. */
export async function livedForReal(from: number, count: number): Promise<string[]> {
  const action = installAction(REPOSITORY);
  const different: string[] = [];
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count) {
      const number = next;
      next += 1;
      const life = realLife(number);
      const { same, simulated, real, findings } = await livedTwice(life, action.folder);
      if (same && findings.length === 0) continue;
      const lines = [simulated, real, life, ...findings].map((part) => `  ${JSON.stringify(part)}`);
      different.push([`Life ${number}, simulated, real, and what it is:`, ...lines].join('\n'));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return different;
  } finally {
    action.remove();
  }
}
