// Tests a main process that is killed at each of its writes, and full disks.
import { describe, expect, it, vi } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import { logOf, type Played, playProcess, preload, useAction } from '../support/e2e.ts';

const action = useAction();

vi.setConfig({ maxConcurrency: 8, testTimeout: 180_000 });

/** A machine whose disk fails at a single write of main, counted across all files. */
const machine = (at: number, does: string) => ({ env: preload('disk', { DISK_AT: String(at), DISK_DOES: does }) });

const IN_PROGRESS: ReadonlySet<string> = new Set(['queued', 'picked', 'running']);

/** The promise for any write: at most one run, which either is not in progress or is named if its id is unknown. */
function faultsIn({ runs, statuses, main, post }: Played): readonly string[] {
  const warned = post?.annotations.some(({ message }) => message.includes('may be in progress')) === true;
  const inProgress = statuses.some((status) => IN_PROGRESS.has(status));
  const idKnown = runs.some(({ id }) => JSON.stringify(main.files.state).includes(id));
  const checks: readonly [boolean, string][] = [
    [runs.length <= 1, 'there are two runs'],
    [main.exitCode !== 0, 'main succeeded'],
    [post?.exitCode === 0, 'post failed'],
    [!inProgress || warned, 'the run is in progress without a warning'],
    [!inProgress || !idKnown, 'the run is in progress although its id was recorded'],
  ];
  return checks.filter(([holds]) => !holds).map(([, otherwise]) => otherwise);
}

/** More writes than main makes when it triggers, is interrupted, cancels and reports. */
const WRITES = Array.from({ length: 12 }, (_, index) => index + 1);

function playKilled(at: number, post: 'with state' | 'state lost'): Promise<Played> {
  return playProcess(action, {
    job: machine(at, 'kill'),
    mode: { ...MODES.workflow, post },
    when: (main) => Promise.race([main.line(/is queued/).catch(() => undefined), main.ended]),
  });
}

describe.concurrent('a killed main process', () => {
  it.each(WRITES.flatMap((at) => (['with state', 'state lost'] as const).map((post) => ({ at, post }))))(
    'leaves no unknown run in progress after half of write $at, post $post',
    async ({ at, post }) => {
      const played = await playKilled(at, post);
      expect(faultsIn(played), logOf(played)).toEqual([]);
    },
  );

  it('makes only as many writes as these tests cover', async () => {
    const { main } = await playKilled(WRITES.length + 1, 'with state');
    expect(main).toMatchObject({ exitCode: 1, signal: null });
  });
});

describe.concurrent('a full disk', () => {
  it.each(WRITES.slice(0, 8))(
    'fails the step from write %i on and prevents any trigger without a record',
    async (at) => {
      const { main, statuses, post } = await playProcess(action, { job: machine(at, 'full') });
      // Main records itself and its intent in two files each. Without space for one intent, it triggers nothing.
      expect(statuses).toEqual(at > 3 ? ['completed'] : []);
      expect(main.exitCode).toBe(1);
      expect(main.annotations).toContainEqual(expect.objectContaining({ level: 'error' }));
      expect(post?.exitCode).toBe(0);
    },
  );
});

describe.concurrent('a state file', () => {
  it('prevents every request if neither the file nor a journal is writable', async () => {
    const { main, post, sandbox } = await playProcess(action, {
      job: { temp: false },
      step: { files: { state: '/nowhere/state' } },
    });
    expect(sandbox.connections()).toBe(0);
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' } } });
    expect(main.annotations[0]?.message).toContain('ENOENT');
    expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
  });

  it('is unnecessary if main can write a journal', async () => {
    const step = { files: { state: '/nowhere/state' } };
    const { statuses, post } = await playProcess(action, { step, mode: 'act-host' });
    expect(statuses).toEqual(['cancelled']);
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
  });

  it('keeps all records of main after a torn record of another program', async () => {
    const { statuses, post } = await playProcess(action, {
      job: { temp: false },
      step: (job) => ({ files: { state: job.newFile('torn_state', 'foreign=half a rec') } }),
      mode: 'act-host',
    });
    expect(statuses).toEqual(['cancelled']);
    expect(post?.annotations).toEqual([]);
  });
});
