// Tests the command line and the log of `npm run sandbox`.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PIPELINE_IDS, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { StepProcess } from '../../../sandbox/runner/step-process.ts';

const CLI = join(import.meta.dirname, '../../../sandbox/cli.ts');

function run(...args: string[]): StepProcess {
  const child = new StepProcess([process.execPath, CLI, ...args], { cwd: process.cwd(), env: process.env }, () => {});
  onTestFinished(() => child.signal('SIGKILL'));
  return child;
}

it('the sandbox prints its address, its pipelines and a command, logs requests, and exits after SIGINT', async () => {
  const child = run('--port', '0');
  await child.line(/^Requests/);
  const text = child.lines.join('\n');
  const url = /listens at (\S+)/.exec(text)?.[1] ?? '';
  for (const id of Object.values(PIPELINE_IDS)) expect(text).toContain(id);
  expect(text).toContain(`env 'INPUT_API-KEY=${SANDBOX_KEY}' 'INPUT_BASE-URL=${url}'`);
  expect((await fetch(`${url}/rest/v1/jobs`)).status).toBe(401);
  await child.line(/read 1: GET \/rest\/v1\/jobs -> 401 in \d+ ms$/);
  await child.line(/VIOLATION missing_apikey/);
  child.signal('SIGINT');
  expect((await child.ended).exitCode).toBe(0);
});

it.each([
  [['--help'], 0, /--port <number>/],
  [['--port', 'x'], 1, /^--port is "x", not a number/],
])('the sandbox with the arguments %j exits with code %i', async (args, exitCode, text) => {
  const child = run(...args);
  expect((await child.ended).exitCode).toBe(exitCode);
  expect(child.lines.join('\n')).toMatch(text);
});
