import type { Loop } from './loop.ts';
import type { Started } from './machine.ts';
import type { SimProcess } from './sim-process.ts';
import type { CrashKind } from './spec.ts';

/** From SIGINT to SIGTERM, and from there to SIGKILL, in milliseconds (official runner, 2.336). */
const TERM_AFTER_MS = 7_500;
const KILL_AFTER_MS = 10_000;

/** What a crash on main can have the runner do, beside what it does to the process. */
export interface RunnerMoves {
  /** What the job comes to, as post is told. */
  setJobStatus(status: string): void;
  loseState(): void;
  readFiles(): void;
  beginPostBeside(): void;
  skipPost(): void;
}

/** What each kind of crash does to main, and has the runner do. */
export function crashMain(kind: CrashKind, { process, stdout }: Started, loop: Loop, runner: RunnerMoves): void {
  switch (kind) {
    case 'cancel':
      runner.setJobStatus('cancelled');
      ladder(process, loop);
      return;
    case 'cancel_twice':
      runner.setJobStatus('cancelled');
      ladder(process, loop);
      loop.at(loop.nowMs + 1_000, () => process.signal('SIGINT'));
      return;
    case 'step_timeout':
      runner.setJobStatus('failure');
      ladder(process, loop);
      return;
    case 'background':
      process.signal('SIGINT');
      loop.at(loop.nowMs + TERM_AFTER_MS, () => {
        runner.readFiles();
        stdout.stopReading();
        process.signal('SIGKILL');
      });
      return;
    case 'sigterm':
    case 'sighup':
      runner.setJobStatus('cancelled');
      process.signal(kind === 'sigterm' ? 'SIGTERM' : 'SIGHUP');
      return;
    case 'kill':
      runner.setJobStatus('cancelled');
      process.signal('SIGKILL');
      return;
    case 'out_of_memory':
      runner.setJobStatus('failure');
      process.signal('SIGKILL');
      return;
    case 'kill_lost':
      runner.setJobStatus('cancelled');
      runner.loseState();
      process.signal('SIGKILL');
      return;
    case 'beside':
    case 'beside_lost':
    case 'beside_frozen':
      if (kind === 'beside_lost') runner.loseState();
      else runner.setJobStatus('cancelled');
      process.frozen = kind === 'beside_frozen';
      // The runner has given the step up: it reads no more of what main prints.
      stdout.stopReading();
      runner.beginPostBeside();
      return;
    case 'shutdown':
      runner.skipPost();
      stdout.close();
      ladder(process, loop);
      return;
    case 'power':
      runner.skipPost();
      process.signal('SIGKILL');
      return;
    case 'worker_killed':
      process.parentDied();
      runner.skipPost();
      stdout.close();
      return;
    case 'stdout':
      runner.skipPost();
      stdout.close();
      return;
  }
}

/** What each kind of crash does to post. */
export function crashPost(kind: CrashKind, { process, stdout }: Started, loop: Loop): void {
  if (kind === 'kill') process.signal('SIGKILL');
  else if (kind === 'stdout') stdout.close();
  else if (kind === 'sigterm') process.signal('SIGTERM');
  else ladder(process, loop);
}

function ladder(process: SimProcess, loop: Loop): void {
  const begun = loop.nowMs;
  process.signal('SIGINT');
  loop.at(begun + TERM_AFTER_MS, () => process.signal('SIGTERM'));
  loop.at(begun + KILL_AFTER_MS, () => process.signal('SIGKILL'));
}
