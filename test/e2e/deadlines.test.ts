// Tests processes that meet a deadline in real time. They mostly wait, so all of them run at once.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { RequestFault } from '../../sandbox/faults.ts';
import { MODES, QUEUED, type RealIncident, type StepProcess } from '../../sandbox/runner/index.ts';
import {
  type After,
  folderForTest,
  journalsIn,
  NODE,
  nodeInBash,
  PATIENT,
  type Played,
  play,
  type Scene,
  useAction,
  withFault,
} from '../support/e2e.ts';
import { expectFate } from '../support/trace.ts';

const action = useAction();

vi.setConfig({ maxConcurrency: 20 });

/** Main prints its final message at 9.3 s and exits by 9.6 s. The runner kills main at 10 s. */
const GONE_WITHIN_MS = 9_800;

/** Sends a runner's signals when main prints a line with a text, and measures how long main then takes to exit. */
function interruptAt(text: string) {
  let [sentAt, slackMs] = [Infinity, 0];
  const at = async (main: StepProcess): Promise<void> => {
    await main.line(text);
    // A busy machine may add a constant to a deadline, plus ten times the start-up time of a process.
    [sentAt, slackMs] = [performance.now(), 500 + 10 * main.startUpMs];
  };
  return {
    incidents: [{ what: PATIENT, at }],
    /** Subtracts the delay that a busy machine may add. */
    tookMs: ({ main }: Played) => (main.endedAt ?? Infinity) - sentAt - slackMs,
  };
}

/** Addresses the service by a host name, and opens a FIFO without a writer for each lookup, which blocks a thread forever. */
function hanging(fault: string, after: After): Scene {
  const fifo = join(folderForTest(after), 'fifo');
  execFileSync('mkfifo', [fifo]);
  return {
    job: { env: withFault(fault, { FIFO: fifo }) },
    inputs({ url, world }) {
      world.backendUrl = url.replace('127.0.0.1', 'localhost');
      return { 'base-url': world.backendUrl };
    },
  };
}

describe.skipIf(process.platform === 'win32').concurrent('a process whose name lookups hang', () => {
  it('exits within 1.5 s of a signal if it has no run to cancel', async ({ onTestFinished: after }) => {
    const { tookMs, incidents } = interruptAt('lookup of localhost hangs');
    const played = await play(action, { ...hanging('lookups that hang', after), incidents });
    expect(tookMs(played)).toBeLessThan(1_500);
    // Only SIGKILL ends a process with a blocked thread.
    expectFate(played, 'main SIGKILL, post 0, no run');
    expect(played.main.files.outputs).toMatchObject({ 'job-status': 'not_queued', outcome: 'cancelled' });
  });

  it('exits before the runner kills it if it cannot cancel its run', async ({ onTestFinished: after }) => {
    const { tookMs, incidents } = interruptAt(QUEUED.line);
    const played = await play(action, { ...hanging('lookups that hang after SIGINT', after), incidents });
    expect(tookMs(played)).toBeLessThan(GONE_WITHIN_MS);
    expectFate(played, 'main SIGKILL, post 0, cancelled');
    expect(played.main).toMatchObject({
      annotations: [{ level: 'error' }],
      files: { outputs: { outcome: 'cancelled' } },
    });
  });
});

describe.concurrent('a step', () => {
  it('ends at timeout, which counts from its first request', async () => {
    const faults: RequestFault[] = [{ call: 'list', what: { holds: 'request' } }];
    const startedAt = performance.now();
    const played = await play(action, { faults, inputs: { timeout: '3s' } });
    expectFate(played, 'main 1, post 0, no run');
    expect(played.main.files.outputs).toMatchObject({ outcome: 'wait_timed_out', 'job-status': 'not_queued' });
    // Without a time limit, the list alone would take 30 s.
    expect((played.main.endedAt ?? Infinity) - startedAt).toBeLessThan(25_000);
  });

  it('checks the status when queue-timeout is reached, and then cancels the run', async () => {
    const inputs = { pipeline: 'unpicked', 'queue-timeout': '1s', 'poll-interval': '1h' };
    const { main, calls, statuses } = await play(action, { inputs });
    expect(main.files.outputs).toMatchObject({ outcome: 'wait_timed_out', 'job-status': 'cancelled' });
    expect([calls.join(' '), statuses]).toEqual(['exchange list trigger read cancel', ['cancelled']]);
  });

  it('repeats its first request until max-outage has passed', async () => {
    // Nothing listens on this port.
    const played = await play(action, { inputs: { 'base-url': 'http://127.0.0.1:9', 'max-outage': '1s' } });
    expectFate(played, 'main 1, post 0, no run');
    expect(played.main.lines.join('\n')).toMatch(/no valid response for [1-9]s \(max-outage\)/);
  });
});

describe.concurrent('a post step', () => {
  it('reports the run and does not fail if it is interrupted while the service is unreachable', async () => {
    const played = await play(action, {
      incidents: [
        { what: 'act_cancel', at: (main, sandbox) => main.line(QUEUED.line).then(() => sandbox.away()) },
        // The post step would keep trying for three minutes. A signal leaves it a few seconds.
        { on: 'post', what: PATIENT, at: { line: 'Cancelling' } },
      ],
    });
    expectFate(played, 'main SIGKILL, post 0, warned');
    expect(played.post?.files.summary).toContain(played.runs[0]?.id);
  });
});

const MANY = 400;
const NAMES = Array.from({ length: MANY }, (_, index) => `Pipeline ${index + 1}`);

/** A step with many runs, whose log is read at 64 KB/s. A socket between two processes would buffer far more. */
function readSlowly(after: After, scenario: string): Scene {
  const reader = join(import.meta.dirname, 'slow-reader.mjs');
  return {
    service: { model: { pipelines: NAMES.map((name) => ({ name, scenario })) } },
    job: { node: nodeInBash(after, `"$NODE" "$@" | '${NODE}' '${reader}'`) },
    inputs: { pipeline: NAMES.join('\n'), 'poll-interval': '100ms' },
  };
}

describe.skipIf(process.platform === 'win32').concurrent('a log that is read slowly', () => {
  it('is complete when the step ends', async ({ onTestFinished: after }) => {
    const { main } = await play(action, readSlowly(after, 'broken'));
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'failed' } } });
    expect(main.annotations.filter(({ level }) => level === 'error')).toHaveLength(8);
    expect(main.lines.at(-1)).toMatch(`0 of ${MANY} runs`);
  });

  it('contains the errors and all unfinished runs if a signal leaves no time for the rest', async ({
    onTestFinished: after,
  }) => {
    const scene = readSlowly(after, 'endless');
    const at: RealIncident['at'] = async (_, { end }, job) => {
      await end('trigger', MANY);
      const [journal = 'no journal'] = journalsIn(job);
      const [, pid] = /"pid":(\d+)/.exec(readFileSync(journal, 'utf8')) ?? [];
      process.kill(Number(pid), 'SIGINT');
    };
    const { main, runs } = await play(action, {
      ...scene,
      faults: [{ call: 'cancel', what: { holds: 'request' } }],
      inputs: { pipeline: NAMES.join('\n'), 'poll-interval': '1h' },
      incidents: [{ what: { ...MODES.cancel, signals: [], post: 'skipped' }, at }],
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(Object.keys(main.files.state)).toContain('run_pipeline_end');
    expect(main.annotations.filter(({ level }) => level === 'error')).toHaveLength(8);
    const open = main.lines.find((line) => line.startsWith('Runs that may still'));
    expect(runs).toHaveLength(MANY);
    for (const { id } of runs) expect(open).toContain(id);
  });
});
