// The same description of a step has the same fate in real processes and in virtual time.
import { describe, expect, it } from 'vitest';
import type { ModeName, RunnerDescription, StepDescription } from '../../sandbox/runner/index.ts';
import { play, useAction } from '../support/e2e.ts';
import { playStep } from '../support/steps.ts';
import { expectFate, fateInVirtualTime } from '../support/trace.ts';

const action = useAction();

/** A step that ends in this way when its run is queued. */
const by = (what: ModeName, kept: RunnerDescription = {}): StepDescription => ({ incidents: [{ what }], runner: kept });

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
  ['that the user cancels', by('cancel'), 'main 1, post 0, cancelled'],
  ['that is killed', by('act_cancel'), 'main SIGKILL, post 0, cancelled'],
  ['that is killed and loses its state', by('act_cancel', { losesState: true }), 'main SIGKILL, post 0, cancelled'],
  [
    'that is killed and loses its temporary files',
    by('act_cancel', { temp: 'vanishes' }),
    'main SIGKILL, post 0, cancelled',
  ],
  [
    'that is killed and has no folder for temporary files',
    by('act_cancel', { temp: 'none' }),
    'main SIGKILL, post 0, cancelled',
  ],
  [
    'that is killed and whose post step has no key',
    by('act_cancel', { post: 'without_key' }),
    'main SIGKILL, post 0, warned',
  ],
  [
    'that is killed while it waits for an id',
    {
      faults: [{ call: 'trigger', what: 'silent' }],
      incidents: [{ what: 'act_cancel', at: { call: 'trigger', nth: 1, phase: 'processed' } }],
    },
    'main SIGKILL, post 0, warned',
  ],
  [
    'that is killed, and whose post step is killed while it cancels the run',
    {
      faults: [{ call: 'cancel', what: 'silent' }],
      incidents: [
        { what: 'act_cancel' },
        { on: 'post', what: 'kill', at: { call: 'cancel', nth: 1, phase: 'connected' } },
      ],
    },
    'main SIGKILL, post SIGKILL, cancelled',
  ],
  [
    'that does not wait, and whose job is cancelled later',
    { inputs: { pipeline: 'endless', wait: 'false' }, runner: { statusAtEnd: 'cancelled' } },
    'main 0, post 0, cancelled',
  ],
  ['in a container that is cancelled', by('container_cancel'), 'main 1, post 0, cancelled'],
  ['in a Forgejo container that is cancelled', by('forgejo_cancel'), 'main 1, post 0, cancelled'],
  ['whose machine shuts down', by('shutdown'), 'main 1, post none, cancelled'],
])('a step %s', (_, description, fate) => {
  it('has this fate in real processes', async () => {
    expectFate(await play(action, description), fate);
  });

  it('has this fate in virtual time', async () => {
    expect(fateInVirtualTime(await playStep(description))).toBe(fate);
  });
});
