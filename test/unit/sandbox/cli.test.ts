import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseArguments } from '../../../sandbox/cli/arguments.ts';
import { requestLine } from '../../../sandbox/cli/log.ts';
import { PIPELINE_IDS, SANDBOX_KEY } from '../../../sandbox/model/index.ts';

const CLI = fileURLToPath(new URL('../../../sandbox/cli.ts', import.meta.url));

function run(...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args]);
  let output = '';
  let check = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      check();
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      check = () => {
        const found = pattern.exec(output);
        if (found !== null) resolve(found[1] ?? '');
      };
      check();
      void ended.then(() => reject(new Error(output)));
    });
  return { child, ended, until, output: () => output };
}

it('says where it is and what there is to run, logs requests, and ends on SIGINT', async () => {
  const { child, ended, until, output } = run('--port', '0');
  const url = await until(/listens at (\S+).*Requests/s);
  expect(output()).toContain(SANDBOX_KEY);
  for (const id of Object.values(PIPELINE_IDS)) expect(output()).toContain(id);
  expect(output()).toContain(`env 'INPUT_API-KEY=${SANDBOX_KEY}' 'INPUT_BASE-URL=${url}'`);
  expect((await fetch(`${url}/rest/v1/jobs`)).status).toBe(401);
  await until(/(read 1: GET \/rest\/v1\/jobs -> 401 in \d+ ms\n.*VIOLATION missing_apikey)/);
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});

it('explains itself', async () => {
  const { ended, output } = run('--help');
  expect(await ended).toBe(0);
  expect(output()).toContain('--port');
});

it('fails with a reason', async () => {
  const { ended, output } = run('--port', 'x');
  expect(await ended).toBe(1);
  expect(output()).toBe('--port is "x", not a number from 0 to 65535\n');
});

it('reads its command line', () => {
  expect(parseArguments([])).toEqual({ help: false, port: 8787, speed: 30, prefix: '', admin: false });
  const all = ['--port', '0', '--speed=1.5', '--prefix', '/a/b', '--admin'];
  expect(parseArguments(all)).toEqual({ help: false, port: 0, speed: 1.5, prefix: '/a/b', admin: true });
});

it.each([['--port='], ['--port=65536'], ['--speed=0'], ['--speed=x'], ['--prefix=eu'], ['--prefix=/eu/'], ['--x']])(
  'refuses %s',
  (argument) => {
    expect(() => parseArguments([argument])).toThrow(argument.split('=')[0]);
  },
);

it('logs nothing that could rewrite a terminal', () => {
  const record = {
    at: 1_234,
    endedAt: null,
    kind: 'other',
    nth: 2,
    method: 'GET',
    path: '/\u009b2J',
    headers: {},
    body: '',
    connection: 1,
    reused: false,
    committedAt: null,
    answeredStatus: null,
    aborted: true,
  } as const;
  expect(requestLine(record)).toBe('    1.234 s other 2: GET /?2J -> no answer, client went away');
});
