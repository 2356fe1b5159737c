// Tests a main process that is killed at each of its writes, full disks, and unusable state files.
import { describe, expect, it, vi } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import { broken, inProgress, logOf, type Played, playProcess, preload, unreported, useAction } from '../support/e2e.ts';

const action = useAction();

vi.setConfig({ maxConcurrency: 8 });

/** Configures a disk that fails at one of main's writes, counted across all files, or is full from that write on. */
const machine = (at: number, does: string) => ({ env: preload('disk', { DISK_AT: String(at), DISK_DOES: does }) });

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** Lists broken promises. At most one run exists. It is cancelled, unless its id is unrecorded and a warning names it. */
function faultsIn(played: Played): readonly string[] {
  const { runs, main, post } = played;
  // Half of a record may contain the id, but post ignores it.
  const records = Object.values(main.files.state).filter(isJson);
  const isRecorded = (id: string): boolean => records.some((record) => record.includes(id));
  return broken([
    [runs.length <= 1, 'there are two runs'],
    [main.exitCode !== 0, 'main succeeded'],
    [post?.exitCode === 0, 'post failed'],
    [unreported(played, isRecorded).length === 0, 'no warning names the run in progress'],
    [!inProgress(played).some(({ id }) => isRecorded(id)), 'the run is in progress although its id was recorded'],
  ]);
}

/** The numbers of more writes than main makes when it triggers a run, is interrupted, cancels and reports. */
const WRITES = Array.from({ length: 24 }, (_, index) => index + 1);

function playKilled(at: number, post: 'with state' | 'state lost'): Promise<Played> {
  return playProcess(action, { job: machine(at, 'kill'), mode: { ...MODES.workflow, post }, mayExitFirst: true });
}

describe.concurrent('a main process', () => {
  it.each(WRITES.flatMap((at) => (['with state', 'without state'] as const).map((post) => ({ at, post }))))(
    'that is killed halfway through write $at leaves no unreported run in progress after a post step $post',
    async ({ at, post }) => {
      const played = await playKilled(at, post === 'without state' ? 'state lost' : post);
      expect(faultsIn(played), logOf(played)).toEqual([]);
    },
  );

  it('makes no more writes than these tests cover', async () => {
    const { main } = await playKilled(WRITES.length + 1, 'with state');
    expect(main).toMatchObject({ exitCode: 1, signal: null });
  });
});

/** The write that completes the intent. Before it, main creates the journal, and writes its first record and outputs. */
const INTENT = 8;

describe.concurrent('a disk', () => {
  it.each(WRITES.slice(0, 12))(
    'that is full from write %i onward makes the step fail and prevents a trigger that main cannot record',
    async (at) => {
      const { main, statuses, post } = await playProcess(action, { job: machine(at, 'full') });
      expect(statuses).toEqual(at > INTENT ? ['completed'] : []);
      expect(main.exitCode).toBe(1);
      expect(main.annotations).toContainEqual(expect.objectContaining({ level: 'error' }));
      expect(post?.exitCode).toBe(0);
    },
  );
});

it('a state file that is not writable prevents every request if no journal is writable either', async () => {
  const step = { files: { state: '/nowhere/state' } };
  const { main, post, sandbox } = await playProcess(action, { job: { temp: false }, step });
  expect(sandbox.connections()).toBe(0);
  expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' } } });
  expect(main.annotations[0]?.message).toContain('ENOENT');
  expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
});
