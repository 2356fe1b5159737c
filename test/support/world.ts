/*
 * One process of the action in a separate world: virtual time, files in memory, a recording toolkit, and the sandbox's
 * model of the service behind `send`. `steps.ts` plays whole steps in it. A test reads what a user could see.
 */
import { SANDBOX_KEY, type World as Service } from '../../sandbox/model/index.ts';
import type { Environment } from '../../src/base/environment.ts';
import { TEMP } from './disk.ts';
import { Machine } from './machine.ts';
import { FakeProcess, type ProcessOptions } from './process.ts';

export const BASE_URL = 'https://app.example.test';

export interface FakeOptions extends Omit<ProcessOptions, 'env'> {
  /** Added to the defaults: key and address. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Environment;
  /** A process with which this one shares its machine: the clock, the files and the service. */
  readonly beside?: { readonly machine: Machine };
  /** The service. By default, a new sandbox. */
  readonly service?: Service;
}

export type FakeWorld = FakeProcess;

/** Creates a process with the environment and the files that a runner gives to each process of a step. */
export function fakeWorld({ beside, env, inputs, service, ...options }: FakeOptions = {}): FakeProcess {
  const machine = beside?.machine ?? new Machine(service);
  const folder = `/runner/${101 + machine.processes.length}`;
  const paths = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'].map((name) => [name, `${folder}/${name}`]);
  for (const [, path = ''] of paths) machine.disk.texts.set(path, '');
  const all = Object.entries({ 'api-key': SANDBOX_KEY, 'base-url': BASE_URL, ...inputs });
  return new FakeProcess(machine, {
    ...options,
    env: {
      RUNNER_TEMP: TEMP,
      ...Object.fromEntries(paths),
      ...Object.fromEntries(all.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
      ...env,
    },
  });
}
