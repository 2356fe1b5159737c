import { describe, expect, it } from 'vitest';
import { type MainParts, prepareMain } from '../../../../src/action/steps/main-step.ts';
import { createService } from '../../../../src/service/client.ts';
import { environment, keptToolkit } from '../../../support/action.ts';
import { interruptible } from '../../../support/interruption.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import { STATE_FILE } from '../../../support/post.ts';
import { answers, scriptedWire } from '../../../support/scripted-wire.ts';
import { bootstrap } from '../../../support/service.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** A step whose exchange takes a second, and whose every other answer is an empty list. */
function bench(env = environment()) {
  const clock = new VirtualClock();
  const toolkit = keptToolkit();
  const { connection, sent } = scriptedWire(clock, (_sent, nth) =>
    nth === 1 ? [{ ms: 1_000, connected: true }, ...answers(200, bootstrap())] : answers(200, []),
  );
  const parts: MainParts = {
    env: { ...env, GITHUB_STATE: STATE_FILE, GITHUB_OUTPUT: '/runner/output' },
    pid: 1,
    startedAt: 'ticks:1',
    host: 'machine',
    clock,
    random: () => 0.5,
    files: memoryFiles(),
    toolkit,
    print: () => undefined,
    interruption: interruptible().interruption,
    openService: (service) => createService({ ...service, connection, clock }),
  };
  return { step: prepareMain(parts), clock, sent, toolkit };
}

describe('a step that was told to be over, because something of our own broke', () => {
  it('triggers nothing any more, although it still goes on', async () => {
    const uuid = '00000000-0000-4000-8000-000000000001';
    const { step, clock, sent, toolkit } = bench(environment({ pipeline: uuid }));
    const run = step.run();
    await clock.advance(500);
    expect(step.crash('TypeError: x is not a function')).toBe(1);
    await clock.until(run);
    expect(sent.map(({ path }) => path).filter((path) => path.includes('rpc'))).toEqual([]);
    expect(toolkit.annotations[0]?.message).toContain('No run was queued.');
  });

  it('would have triggered it otherwise', async () => {
    const uuid = '00000000-0000-4000-8000-000000000001';
    const { step, clock, sent } = bench(environment({ pipeline: uuid }));
    await clock.until(step.run());
    expect(sent.map(({ path }) => path).filter((path) => path.includes('rpc'))).toHaveLength(1);
  });
});
