import type { Plan } from '../run/plan.ts';
import type { InputReader } from './input-reader.ts';
import type { InputName } from './input-table.ts';

/** Inputs that were given and change nothing, a sentence each: somebody may count on them. */
export function idleInputs(read: InputReader, plan: Plan): string[] {
  const said = new Set<InputName>();
  return reasons(plan).flatMap(([because, names]) => {
    const idle = names.filter((name) => read.isGiven(name) && !read.isDefault(name) && !said.has(name));
    for (const name of idle) said.add(name);
    return idle.map((name) => `Input ${name} has no effect with ${because}.`);
  });
}

/** What takes the effect of which inputs. */
function reasons(plan: Plan): [string, InputName[]][] {
  const { targets, dryRun, wait, timeoutMs, queueTimeoutMs } = plan;
  const isOne = targets.length <= 1;
  const allExist = targets.every(({ kind }) => kind === 'job');
  // Whether an earlier run is read, and its status looked at, before anything is triggered.
  const looks = targets.some(({ kind }) => kind !== 'pipeline');
  const ofReads: InputName[] = ['poll-interval', 'max-outage'];
  const ofWaiting: InputName[] = ['timeout', 'queue-timeout', 'on-timeout'];
  const reasons: [boolean, string, InputName[]][] = [
    [dryRun, 'dry-run: true', ['wait', ...ofWaiting, 'on-cancel', 'succeed-on', 'retry-trigger']],
    [dryRun, 'dry-run: true', ['max-parallel', 'fail-fast', ...(looks ? [] : ofReads)]],
    [
      !wait,
      'wait: false',
      [...ofWaiting, 'max-parallel', ...(looks ? [] : ['succeed-on' as const, ...ofReads])],
    ],
    [isOne, 'one run', ['max-parallel', 'fail-fast']],
    [allExist && targets.length > 0, 'job-id alone', ['max-parallel', 'retry-trigger']],
    [
      timeoutMs === undefined && queueTimeoutMs === undefined,
      'neither timeout nor queue-timeout',
      ['on-timeout'],
    ],
  ];
  return reasons.flatMap(([holds, because, names]): [string, InputName[]][] =>
    holds ? [[because, names]] : [],
  );
}
