// Tests how processes end that meet bugs, hanging name lookups, a dead runner, or an old version of Node.js.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { MODES, type StepProcess } from '../../sandbox/runner/index.ts';
import type { Sandbox } from '../../sandbox/server/index.ts';
import {
  type After,
  folderForTest,
  nodeInBash,
  PATIENCE_MS,
  type Played,
  playProcess,
  slackMs,
  type Texts,
  UNKNOWN_ID,
  useAction,
  withFault,
} from '../support/e2e.ts';

const action = useAction();

// Most of these tests wait for deadlines.
vi.setConfig({ maxConcurrency: 12 });

/** Main prints its final message at 9.3 s and exits by 9.6 s. The runner kills main at 10 s. */
const GONE_WITHIN_MS = 9_800;

/** Sends a runner's signals when main prints a matching line, and measures how long main then takes to exit. */
function interruptAt(pattern: RegExp) {
  let [sentAt, slack] = [Infinity, 0];
  return {
    mode: { ...MODES.workflow, killAfterMs: PATIENCE_MS },
    async when(main: StepProcess): Promise<void> {
      await main.line(pattern);
      [sentAt, slack] = [performance.now(), slackMs(main)];
    },
    /** Subtracts the delay that a busy machine may add. */
    tookMs: ({ main }: Played) => (main.endedAt ?? Infinity) - sentAt - slack,
  };
}

/** Addresses the service by a host name, so that every connection needs a lookup. */
function byName(sandbox: Sandbox): Texts {
  const url = sandbox.url.replace('127.0.0.1', 'localhost');
  sandbox.world.backendUrl = url;
  return { 'base-url': url };
}

/** Opens a FIFO without a writer for each lookup, which blocks a thread forever. */
function hanging(fault: string, after: After) {
  const fifo = join(folderForTest(after), 'fifo');
  execFileSync('mkfifo', [fifo]);
  return { env: withFault(fault, { FIFO: fifo }) };
}

describe.skipIf(process.platform === 'win32').concurrent('a process whose name lookups hang', () => {
  it('exits within 1.5 s of a signal if it has no run to cancel', async ({ onTestFinished: after }) => {
    const { tookMs, ...interrupt } = interruptAt(/^lookup of localhost hangs/);
    const played = await playProcess(action, {
      job: hanging('lookups that hang', after),
      inputs: (sandbox) => ({ ...byName(sandbox), pipeline: 'orders' }),
      ...interrupt,
    });
    // Main has nothing to cancel, so its final message follows the signal at once.
    expect(tookMs(played)).toBeLessThan(1_500);
    expect(played.main.exitCode).not.toBe(0);
    expect(played.main.annotations.at(-1)?.message).toContain('no run of orders');
    expect(played.main.files.outputs).toMatchObject({ 'job-status': 'not_queued', outcome: 'cancelled' });
  });

  it('exits before the runner kills it if it cannot cancel its run', async ({ onTestFinished: after }) => {
    const { tookMs, ...interrupt } = interruptAt(/is queued/);
    const played = await playProcess(action, {
      job: hanging('lookups that hang after SIGINT', after),
      inputs: byName,
      ...interrupt,
    });
    const { main, post, statuses } = played;
    expect(tookMs(played)).toBeLessThan(GONE_WITHIN_MS);
    expect(main.exitCode).not.toBe(0);
    expect(main).toMatchObject({ annotations: [{ level: 'error' }], files: { outputs: { outcome: 'cancelled' } } });
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(statuses).toEqual(['cancelled']);
  });
});

// Windows does not report that a parent process has exited.
describe.skipIf(process.platform === 'win32').concurrent('a process whose runner dies', () => {
  it('cancels its run without a signal and exits', async ({ onTestFinished: after }) => {
    const { main, statuses } = await playProcess(action, {
      // The signal kills only Bash, which starts main as a child process.
      job: { node: nodeInBash(after, '; exit') },
      mode: { ...MODES['act-host'], post: 'skipped' },
    });
    expect(main.files.outputs).toMatchObject({ message: expect.stringContaining('its runner died') as string });
    expect(statuses).toEqual(['cancelled']);
  });
});

describe.concurrent('a main step', () => {
  it.each(['an uncaught exception', 'an unhandled rejection'])(
    'fails and names the pipeline of an unconfirmed trigger after %s',
    async (fault) => {
      const { main, post, runs } = await playProcess(action, {
        rules: [{ kind: 'trigger', how: { do: 'silence', point: 'after-commit' } }],
        job: { env: withFault(fault) },
        inputs: { pipeline: 'endless' },
      });
      const message = expect.stringMatching(/run of "?Endless"? may/i) as string;
      expect(runs).toHaveLength(1);
      expect(main).toMatchObject({ exitCode: 1, annotations: [{ level: 'error', message }] });
      expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    },
  );
});

describe.concurrent('an old version of Node.js', () => {
  const old = { job: { env: withFault('Node.js 16.20.2') } };

  it('makes main name the version in its first line and fail before its first request, and post stay silent', async () => {
    const { main, post, calls } = await playProcess(action, old);
    expect(main).toMatchObject({ exitCode: 1, files: { broken: [] } });
    expect(main.lines).toEqual([expect.stringMatching(/^::error title=run-pipeline::.*20\.16 or newer.*16\.20\.2/)]);
    expect(calls).toEqual([]);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('makes the cancel action fail before its first request', async () => {
    const { main, calls } = await playProcess(action, { ...old, entry: 'cancel', inputs: { 'job-id': UNKNOWN_ID } });
    expect(main).toMatchObject({ exitCode: 1, annotations: [{ level: 'error' }] });
    expect(calls).toEqual([]);
  });
});
