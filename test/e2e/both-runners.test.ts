// The same description of a step has the same fate in real processes and in virtual time.
import { describe, expect, it } from 'vitest';
import { MODES, type StepDescription } from '../../sandbox/runner/index.ts';
import { playDescription, useAction } from '../support/e2e.ts';
import { playStep } from '../support/steps.ts';
import { expectFate, fateInVirtualTime } from '../support/story.ts';

const action = useAction();

describe.concurrent.each<[string, StepDescription, fate: string]>([
  ['whose run completes', {}, 'main 0, post 0, completed'],
  ['whose run fails', { inputs: { pipeline: 'broken' } }, 'main 1, post 0, failed'],
  ['whose key is rejected', { faults: [{ what: 'key_rejected' }] }, 'main 1, post 0, no run'],
  [
    'whose service is unavailable for a moment',
    { faults: [{ call: 'read', times: 1, what: 'http_503' }] },
    'main 0, post 0, completed',
  ],
  [
    'whose trigger loses its response',
    { inputs: { pipeline: 'unpicked' }, faults: [{ call: 'trigger', what: 'lost' }] },
    'main 1, post 0, warned',
  ],
  ['that the user cancels', { mode: 'cancel' }, 'main 1, post 0, cancelled'],
  ['that is killed', { mode: 'act_cancel' }, 'main SIGKILL, post 0, cancelled'],
  [
    'that is killed and loses its state',
    { mode: { ...MODES.act_cancel, post: 'state lost' } },
    'main SIGKILL, post 0, cancelled',
  ],
  [
    'that is killed while it waits for an id',
    {
      faults: [{ call: 'trigger', what: 'silent' }],
      mode: 'act_cancel',
      at: { call: 'trigger', nth: 1, phase: 'processed' },
    },
    'main SIGKILL, post 0, warned',
  ],
  ['in a container that is cancelled', { mode: 'container_cancel' }, 'main 1, post 0, cancelled'],
  ['in a Forgejo container that is cancelled', { mode: 'forgejo_cancel' }, 'main 1, post 0, cancelled'],
  ['whose machine shuts down', { mode: 'shutdown' }, 'main 1, post none, cancelled'],
])('a step %s', (_, description, fate) => {
  it('has this fate in real processes', async () => {
    expectFate(await playDescription(action, description), fate);
  });

  it('has this fate in virtual time', async () => {
    expect(fateInVirtualTime(await playStep(description))).toBe(fate);
  });
});
