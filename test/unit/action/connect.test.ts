// What every step does before it connects to the service.
import { expect, it } from 'vitest';
import { cancelStep } from '../../../src/action/cancel-step.ts';
import { runProcess } from '../../../src/action/process.ts';
import { listenForInterruption } from '../../../src/action/signals.ts';
import type { Fate } from '../../support/network.ts';
import { existingRun, playMain, playPost } from '../../support/steps.ts';
import { type FakeOptions, type FakeWorld, fakeWorld } from '../../support/world.ts';

async function playCancel(options: FakeOptions): Promise<FakeWorld> {
  const { service, id } = existingRun('endless');
  const fake = fakeWorld({ service, inputs: { 'job-id': id }, ...options });
  const interruption = listenForInterruption(fake.world);
  runProcess(fake.world, cancelStep(fake.world, interruption), interruption, 1);
  await fake.ended();
  return fake;
}

async function playPostOfKilledMain(options: FakeOptions): Promise<FakeWorld> {
  const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) => it.at(5_000, () => it.kill()));
  return playPost(main, options);
}

it.each([
  ['set NODE_EXTRA_CA_CERTS to the path of the CA certificate', ''],
  ['the file in NODE_EXTRA_CA_CERTS, which is already set,', '/etc/ca.pem'],
])('the advice for an incomplete certificate chain has three causes and says: %s', async (advice, path) => {
  const network = (): Fate => ({ fails: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', isConnected: false });
  const { annotations } = await playMain({ env: { NODE_EXTRA_CA_CERTS: path }, network });
  expect(annotations[0]?.message).toMatch(/proxy.*internal CA.*does not send its intermediate certificate/);
  expect(annotations[0]?.message).toContain(advice);
});

it.each<[string, (options: FakeOptions) => Promise<FakeWorld>]>([
  ['main step', playMain],
  ['post step', playPostOfKilledMain],
  ['cancel action', playCancel],
])("the %s masks a proxy's password before its first request", async (_step, play) => {
  const effects: string[] = [];
  const { masked } = await play({
    env: { https_proxy: 'http://user:p%40ss@proxy.test' },
    onEffect: (effect) => effects.push(effect),
  });
  expect(effects).toContain('request exchange');
  const count = effects.slice(0, effects.indexOf('request exchange')).filter((effect) => effect === 'mask').length;
  expect(masked.slice(0, count)).toEqual(expect.arrayContaining(['p%40ss', 'p@ss']));
});
