// Tests `npm run demo` as a new user sees it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../sandbox/model/index.ts';

const demo = join(import.meta.dirname, '..', '..', 'sandbox', 'demo.ts');

function show(...args: readonly string[]): Promise<{ exitCode: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [demo, ...args], (error, stdout, stderr) =>
      resolve({ exitCode: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe.concurrent('the demo', () => {
  it('shows a success, a failure with its remedy and a cancellation, each on one screen', async () => {
    const { stdout, ...ended } = await show();
    expect(ended).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).not.toMatch(/ak_|::add-mask|\p{Cc}(?<!\n)/u);
    const [first, success = '', failure = '', cancel = ''] = stdout.split(/^(?=── )/m);
    expect(first).toMatch(/^.*Nothing leaves this machine\.\n\n$/);
    for (const scene of [success, failure, cancel]) expect(scene.split('\n').length).toBeLessThan(40);
    expect(success).toMatch(/^── 1 of 3\. A success.*completed.*exit code 0.*1 run queued: completed\. .* none\./s);
    expect(failure).toMatch(/A failure.*Error: .*permission denied.*fix the cause.*exit code 1.* failed\. .* none\./s);
    expect(cancel).toMatch(/A cancel.*SIGINT.*was cancelled \(exit code 1\).* cancelled\. Unfinished now: none\./s);
    expect(stdout).toMatch(/\n\nNext: .*\n$/);
  });

  it('can play one scene with other inputs', async () => {
    const { stdout, exitCode } = await show('--scene', 'cancel', '--input', 'on-cancel=leave');
    expect(stdout).toMatch(/on-cancel: leave\n.*1 run queued: running\. Unfinished now: 1\./s);
    expect(stdout).not.toContain('A failure');
    expect(exitCode).toBe(0);
  });

  it('can play a step that ends before it can be cancelled', async () => {
    const { stdout, exitCode } = await show('--scene', 'cancel', '--input', 'pipeline=penniless');
    expect(stdout).toMatch(/failed \(exit code 1\).*0 runs queued\. Unfinished now: none\./s);
    expect(stdout).not.toContain('SIGINT');
    expect(exitCode).toBe(0);
  });

  it('describes a step with several runs accurately', async () => {
    const inputs = ['--input', 'pipeline=orders\nbroken', '--input', 'max-attempts=2', '--input', 'retry-delay=1s'];
    const { stdout } = await show('--scene', 'success', ...inputs);
    expect(stdout).toMatch(/^── The scene "success", with your inputs ─/m);
    expect(stdout).toMatch(
      /^ {2}job-id {7}[-\w]{36}\n {15}[-\w]{36}\nJob summary: ".*", with a table and a timeline$/m,
    );
    expect(stdout).toMatch(/ 3 runs queued: 1 completed, 2 failed\. Unfinished now: none\./);
  });

  it('does not mention a timeline or set a poll interval for a dry run', async () => {
    const { stdout } = await show('--scene', 'success', '--input', 'dry-run=true');
    expect(stdout).toMatch(/^Job summary: "[^"]*", with a table$/m);
    expect(stdout).toMatch(/ 0 runs queued\. Unfinished now: none\./);
    expect(stdout).not.toContain('poll-interval');
  });

  it('lists every pipeline of the sandbox in its help', async () => {
    const { stdout } = await show('--help');
    for (const name of Object.keys(PIPELINE_IDS)) expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\w`, 'm'));
  });

  it.each([
    [['--scene', 'nothing'], 'Unknown scene "nothing". The scenes are: success, failure, cancel'],
    [['--input', 'pipeline'], '--input must be name=value, not "pipeline"'],
    [['--input', 'piepline=orders'], 'The action has no input piepline'],
    [['--input', 'base-url=https://app.example.com'], 'In the demo, base-url must be a loopback address'],
  ])('rejects the options %j', async (args, problem) => {
    const stderr = `${problem}\nAll options: npm run demo -- --help\n`;
    expect(await show(...args)).toEqual({ exitCode: 1, stdout: '', stderr });
  });
});
