// Records the connections, child processes and environment variables of the bundles from inside their processes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox/server/index.ts';
import {
  POLL_INTERVAL,
  playProcess,
  type Recording,
  record,
  type StepScene,
  type Surroundings,
  useAction,
} from '../support/e2e.ts';

const action = useAction();

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'limits.md'), 'utf8');
/** Names of variables, and prefixes that end with a star. */
const documented = [...page.matchAll(/`([A-Za-z_]+\*?)`(?=.*\|)/g)].flatMap(([, name]) => name ?? []);
/** Two additional variables that belong to the tests. */
const known = [...documented, 'NODE_OPTIONS', 'RECORD_TO'];

function undocumentedIn(seen: Recording): readonly string[] {
  const isKnown = (name: string): boolean =>
    known.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
  return seen.recorded('env').filter((name) => !isKnown(name));
}

const onRead = {
  inputs: { 'poll-interval': POLL_INTERVAL },
  when: (_: unknown, sandbox: Sandbox) => sandbox.end('read'),
} as const;

describe.concurrent('a step', () => {
  it.for<readonly [string, Surroundings & StepScene]>([
    ['that succeeds', {}],
    ['with debug logging and a failed run', { inputs: { pipeline: 'broken' }, job: { debug: true } }],
    ['with invalid inputs', { inputs: { timeout: '45' } }],
    ['on a hosted runner', { job: { env: { RUNNER_ENVIRONMENT: 'github-hosted', RUNNER_OS: 'Linux' } } }],
    ['that is cancelled', { ...onRead, mode: 'workflow' }],
    ['whose run is cancelled by post', { ...onRead, mode: 'act-host' }],
    ['whose run is cancelled by post without state', { ...onRead, mode: 'forgejo-state-lost' }],
  ])(
    '%s connects only to the service, starts no program, and reads only documented variables',
    async ([, scene], { onTestFinished: after }) => {
      const seen = record(after);
      const job = { ...scene.job, env: { ...seen.env, ...scene.job?.env } };
      const { sandbox, calls } = await playProcess(action, { ...scene, job });
      const { host, hostname } = new URL(sandbox.url);
      expect(seen.recorded('connect')).toEqual(calls.length === 0 ? [] : [host]);
      expect(seen.recorded('lookup').filter((name) => name !== hostname)).toEqual([]);
      expect(seen.recorded('env')).toContain('INPUT_API-KEY');
      expect(undocumentedIn(seen)).toEqual([]);
      // Without /proc, post runs a system program to find out whether main is alive.
      if (process.platform === 'linux') expect(seen.recorded('start')).toEqual([]);
    },
  );
});
