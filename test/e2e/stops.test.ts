// Stops the main step at real instants, as runners do, besides those in both-runners.test.ts. The simulation stops it at all
// other instants.
import { describe, expect, it } from 'vitest';
import { type CallKind, statusIs } from '../../sandbox/faults.ts';
import { MODES, type ModeName, type RealIncident } from '../../sandbox/runner/index.ts';
import { POLL_INTERVAL, play, type Scene, useAction } from '../support/e2e.ts';
import { expectFate } from '../support/trace.ts';

const action = useAction();

describe.concurrent('a step', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('that receives %s cancels its run and reports the signal', async (name) => {
    const { main, statuses } = await play(action, { incidents: [{ what: { ...MODES.cancel, signals: [[name, 0]] } }] });
    expect(main).toMatchObject({ exitCode: 1, signal: null });
    const message = expect.stringContaining(name) as string;
    expect(main.annotations).toMatchObject([{ level: 'notice', title: 'run-pipeline: Unpicked', message }]);
    expect(statuses).toEqual(['cancelled']);
  });

  it.each([
    ['when its stdout closes without a signal', 'always'],
    ['when its machine shuts down', 'shutdown'],
  ] as const)('cancels its run without a post step %s', async (_, mode) => {
    const played = await play(action, {
      // Every read shows a change, and every change adds a line to the log.
      faults: [{ call: 'read', every: 2, what: statusIs('picked') }],
      inputs: { 'poll-interval': POLL_INTERVAL },
      incidents: [{ what: mode }],
    });
    expectFate(played, 'main 1, post none, cancelled');
    expect(played.main.files.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
  });
});

/** Holds the first request of a kind until main reports the interruption or ends. */
function during(call: CallKind, holds: 'request' | 'response', inputs = {}) {
  const at: RealIncident['at'] = async (main, sandbox) => {
    await (holds === 'response' ? sandbox.commit(call) : sandbox.arrival(call));
    void main
      .line('Step interrupted')
      .catch(() => undefined)
      .then(() => sandbox.release(call, 1));
  };
  const scene: Scene = { faults: [{ call, times: 1, what: { holds } }], inputs };
  return { at, scene };
}

const WAYS: readonly (readonly [string, ModeName, losesState: boolean])[] = [
  ['by SIGINT', 'cancel', false],
  ['by SIGKILL', 'act_cancel', false],
  ['by SIGKILL and loses its state', 'act_cancel', true],
  ['by a post step beside it', 'container_cancel', false],
  ['by a post step beside it and loses its state', 'container_cancel', true],
];

describe.concurrent.each<[instant: string, ReturnType<typeof during>, fate: string, fateAfterKill: string]>([
  ['during its key exchange', during('exchange', 'response'), 'no run', 'no run'],
  // A killed process cannot receive the id, so the post step reports the pipeline.
  ['before the response to its trigger', during('trigger', 'response'), 'cancelled', 'warned'],
  ['during a cancel', during('cancel', 'request', { 'queue-timeout': '1s' }), 'cancelled', 'cancelled'],
])('a step that is stopped %s', (_, { at, scene }, fate, fateAfterKill) => {
  it.each(WAYS)('%s leaves no run without a warning', async (_way, what, losesState) => {
    const played = await play(action, { ...scene, incidents: [{ what, at }], runner: { losesState } });
    const expected = what === 'act_cancel' ? `main SIGKILL, post 0, ${fateAfterKill}` : `main 1, post 0, ${fate}`;
    expectFate(played, expected);
  });
});
