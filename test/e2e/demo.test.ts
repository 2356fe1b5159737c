// Tests the demo of the sandbox, which runs a step and prints its events.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const demo = join(import.meta.dirname, '..', '..', 'sandbox', 'demo.ts');

function show(...args: readonly string[]): Promise<{ exitCode: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [demo, ...args], (error, stdout, stderr) =>
      resolve({ exitCode: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe.concurrent('the demo', () => {
  it("shows a step's logs, outputs and summary, and the service's runs", async () => {
    const { stdout, stderr, exitCode } = await show('--pipeline', 'idle');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toMatch(/uses: run-pipeline.*Log of the step.*skipped/s);
    expect(stdout).toMatch(/Log of the post step.*nothing/s);
    expect(stdout).toMatch(/outcome +succeeded/);
    expect(stdout).toMatch(/^ {2}results {9}\[\n {18}\{.*\}\n {18}\]$/m);
    expect(stdout).toMatch(/Job summary.*\| Idle \|/s);
    expect(stdout).toMatch(/1 run queued: \S+ is skipped; in progress: none\n.*--cancel-after.*--help\n$/s);
    expect(stdout).not.toMatch(/&?#\d+;/);
    expect(stdout).not.toMatch(/ak_|::add-mask|\p{Cc}(?<!\n)/u);
  });

  const CANCELLED = ['endless', '--cancel-after', '2s'];
  it.each([
    ['the workflow is cancelled', CANCELLED, /\(SIGINT\).*was cancelled.*is cancelled; in progress: none\n/s],
    ['the account has no credits', ['penniless'], /0 runs queued; in progress: none/],
  ])('exits with code 1 if %s', async (_, args, shown) => {
    const { stdout, exitCode } = await show('--pipeline', ...args);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(shown);
  });

  it('says that a cancellation comes too late if the step has ended', async () => {
    const { exitCode, stdout } = await show('--pipeline', 'idle', '--cancel-after', '60s');
    expect(stdout).toContain('the step ended before the time of --cancel-after');
    expect(stdout).not.toContain('sends SIGINT');
    expect(exitCode).toBe(0);
  });

  it('sets only inputs that have an effect', async () => {
    const { stdout } = await show('--wait', 'false');
    expect(stdout).toMatch(/outcome +triggered/);
    expect(stdout).not.toContain('no effect');
  });

  it('explains its options', async () => {
    const stdout = expect.stringContaining('npm run demo') as string;
    expect(await show('--help')).toEqual({ exitCode: 0, stdout, stderr: '' });
  });

  it('rejects an invalid option', async () => {
    const stderr = expect.stringContaining('--cancel-after is "soon"') as string;
    expect(await show('--cancel-after', 'soon')).toEqual({ exitCode: 1, stdout: '', stderr });
  });
});
