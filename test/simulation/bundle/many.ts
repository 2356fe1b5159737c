import { join } from 'node:path';
import { installAction } from '../../../sandbox/runner/index.ts';
import { realScenario } from './real-scenarios.ts';
import { simulatedAndReal } from './replay.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
/** So many processes that the cores never wait, and no more. */
const AT_ONCE = 6;

/** Simulates scenarios on the bundle too; returns what differed, a report each. */
export async function runForReal(from: number, count: number): Promise<string[]> {
  const action = installAction(REPOSITORY);
  const different: string[] = [];
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count) {
      const number = next;
      next += 1;
      const scenario = realScenario(number);
      const { same, simulated, real, violations } = await simulatedAndReal(scenario, action.folder);
      if (same && violations.length === 0) continue;
      const lines = [simulated, real, scenario, ...violations].map((part) => `  ${JSON.stringify(part)}`);
      different.push([`Simulation ${number}, simulated, real, and what it is:`, ...lines].join('\n'));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return different;
  } finally {
    action.remove();
  }
}
