import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../sandbox/server/index.ts';
import { onStage, useAction } from '../support/e2e.ts';
import { folderForTest } from '../support/e2e-record.ts';

const action = useAction();
const reader = join(import.meta.dirname, '..', 'support', 'slow-reader.mjs');
const node = process.env['ACTION_NODE'] ?? process.execPath;

const MANY = 400;
const NAMES = Array.from({ length: MANY }, (_, index) => `Pipeline ${index + 1}`);

interface Read {
  readonly exitCode: string;
  /** All that reached the reader. */
  readonly log: string;
  readonly outputs: string;
  readonly state: string;
}

/** Runs main for many pipelines behind a pipe whose reader takes 64 KB/s. */
async function readSlowly(
  folder: string,
  { key, url }: Sandbox,
  pollInterval: string,
  onStart: (pid: () => number) => void = () => undefined,
): Promise<Read> {
  const file = (name: string): string => join(folder, name);
  const env = {
    'INPUT_API-KEY': key,
    'INPUT_BASE-URL': url,
    INPUT_PIPELINE: NAMES.join('\n'),
    'INPUT_POLL-INTERVAL': pollInterval,
    GITHUB_OUTPUT: file('output'),
    GITHUB_STATE: file('state'),
    RUNNER_TEMP: folder,
  };
  // A shell, because what Node gives its children as pipes are sockets, which hold far more than a pipe. `env`, because
  // some shells drop variables whose names contain a hyphen.
  const script = 'code=$1 node=$2 reader=$3; shift 3; { env "$@"; echo $? >"$code"; } | "$node" "$reader"';
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const main = join(action.folder, 'dist', 'main', 'index.js');
  const args = ['-c', script, 'sh', file('code'), node, reader, ...variables, node, main];
  const done = promisify(execFile)('sh', args, { maxBuffer: 10_000_000 });
  const textOf = (name: string): string => readFileSync(file(name), 'utf8');
  onStart(() => Number(/"pid":(\d+)/.exec(textOf('state'))?.[1]));
  const { stdout } = await done;
  return { exitCode: textOf('code').trim(), log: stdout, outputs: textOf('output'), state: textOf('state') };
}

const pipelines = (scenario: string) => NAMES.map((name) => ({ name, scenario }));

function idsIn({ world }: Sandbox): readonly string[] {
  return world.jobs.map(({ id }) => id);
}

describe.skipIf(process.platform === 'win32').concurrent(`the log of ${MANY} runs, read at 64 KB/s`, () => {
  it('is complete when the step ends', async ({ onTestFinished: after }) => {
    const folder = folderForTest(after);
    const model = { pipelines: pipelines('broken') };
    await onStage(action, { service: { model } }, async ({ sandbox }) => {
      const { exitCode, log, outputs } = await readSlowly(folder, sandbox, '100ms');
      expect(exitCode).toBe('1');
      expect(outputs).toContain('outcome=failed');
      expect(log.match(/^::error /gm)).toHaveLength(8);
      expect(log.trimEnd().split('\n').at(-1)).toMatch(`0 of ${MANY} runs succeeded`);
    });
  });

  it('has errors and the ids of all open runs when a signal leaves no time for the rest', async ({
    onTestFinished: after,
  }) => {
    const folder = folderForTest(after);
    const options: SandboxOptions = {
      model: { pipelines: pipelines('endless'), speed: 1 },
      rules: [{ kind: 'cancel', how: { do: 'silence', point: 'before-commit' } }],
    };
    await onStage(action, { service: options }, async ({ sandbox }) => {
      const { exitCode, log, outputs, state } = await readSlowly(folder, sandbox, '1h', (pid) => {
        void sandbox.end('trigger', MANY).then(() => {
          process.kill(pid(), 'SIGINT');
        });
      });
      expect(exitCode).toBe('1');
      expect(outputs).toContain('outcome=cancelled');
      expect(state).toContain('"kind":"closed"');
      expect(log.match(/^::error /gm)).toHaveLength(8);
      const open = log.split('\n').find((line) => line.startsWith('Runs that may still be in progress'));
      expect(idsIn(sandbox)).toHaveLength(MANY);
      for (const id of idsIn(sandbox)) expect(open).toContain(id);
    });
  });
});
