import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { MODES, type StepProcess } from '../../sandbox/runner/index.ts';
import { onStage, type Played, playStep, type Scene, seenBy, useAction } from '../support/e2e.ts';

const action = useAction();

vi.setConfig({ maxConcurrency: 8, testTimeout: 180_000 });

const disk = pathToFileURL(join(import.meta.dirname, '..', 'support', 'e2e-disk.mjs')).href;

/** A machine whose disk does something at one write of main, over all its files. */
function machine(at: number, does: string): NonNullable<Scene['job']> {
  return { env: { NODE_OPTIONS: `--import=${disk}`, DISK_AT: String(at), DISK_DOES: does } };
}

const IN_PROGRESS: ReadonlySet<string> = new Set(['queued', 'picked', 'running']);

/** What must hold wherever main was killed: one run at most, settled, or told of because nobody knew its id. */
function complaints({ runs, statuses, main, post }: Played): readonly string[] {
  const told = post?.annotations.some(({ message }) => message.includes('may be in progress')) === true;
  const goesOn = statuses.some((status) => IN_PROGRESS.has(status));
  const idKnown = runs.some(({ id }) => JSON.stringify(main.files.state).includes(id));
  const checks: readonly [boolean, string][] = [
    [runs.length <= 1, 'there are two runs'],
    [post?.exitCode === 0, 'post failed'],
    [!goesOn || told, 'the run goes on and nobody was told'],
    [!goesOn || !idKnown, 'the run goes on although its id was written down'],
  ];
  return checks.filter(([right]) => !right).map(([, otherwise]) => otherwise);
}

/** The life that is cut short: triggered, interrupted, cancelled, told. So many writes are more than it makes. */
const WRITES = Array.from({ length: 12 }, (_, index) => index + 1);

function killedAt(at: number, how: string, post: 'with state' | 'state lost'): Scene {
  const mode = { ...MODES.workflow, post };
  const when = (main: StepProcess): Promise<unknown> =>
    Promise.race([main.line(/is queued/).catch(() => undefined), main.ended]);
  return {
    with: { pipeline: 'endless', 'poll-interval': '1h' },
    job: machine(at, `kill-${how}`),
    interrupt: () => ({ mode, when }),
  };
}

describe.concurrent('main, killed', () => {
  const cases = WRITES.flatMap((at) => [
    ...(['before', 'half', 'after'] as const).map((how) => ({ at, how, post: 'with state' as const })),
    { at, how: 'after' as const, post: 'state lost' as const },
  ]);

  it.each(cases)('$how of its write $at, then post $post', async ({ at, how, post }) => {
    const played = await playStep(action, killedAt(at, how, post));
    expect(complaints(played), [...played.main.log, ...(played.post?.log ?? [])].join('\n')).toEqual([]);
    expect(played.main.exitCode).not.toBe(0);
  });

  it('is not killed by a write beyond its last', async () => {
    const { main } = await playStep(action, killedAt(WRITES.length + 1, 'before', 'with state'));
    expect(main).toMatchObject({ exitCode: 1, signal: null });
  });
});

describe.concurrent('a disk that is full', () => {
  it.each(WRITES.slice(0, 8).flatMap((at) => ['full', 'full-half'].map((how) => ({ at, how }))))(
    'from write $at on ($how) lets no run go on that nobody could cancel',
    async ({ at, how }) => {
      const { main, runs, statuses, post } = await playStep(action, { job: machine(at, how) });
      // Two places, a record each of main itself and of the intent; without room for one, nothing is triggered.
      const intentFits = at > 3;
      expect(runs.length).toBe(intentFits ? 1 : 0);
      if (runs.length > 0) expect(statuses).toEqual(['completed']);
      // What cannot be told to later steps is no success.
      expect(main.exitCode).toBe(1);
      expect(main.annotations).toContainEqual(expect.objectContaining({ level: 'error' }));
      expect(post?.exitCode).toBe(0);
    },
  );

  it('or away for the state from the start lets nothing be sent', async () => {
    const { main, post, sandbox } = await playStep(action, {
      job: { temp: false },
      step: { files: { state: '/nowhere/state' } },
    });
    expect(sandbox.connections()).toBe(0);
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' } } });
    expect(main.annotations[0]?.message).toContain('ENOENT');
    expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
  });

  it('or away for the state alone is made up for by the journal', async () => {
    const { statuses, post } = await playStep(action, {
      with: { pipeline: 'endless', 'poll-interval': '1h' },
      step: { files: { state: '/nowhere/state' } },
      interrupt: () => ({ mode: 'act-host', when: (process) => process.line(/is queued/) }),
    });
    expect(statuses).toEqual(['cancelled']);
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
  });
});

describe.concurrent('a torn record', () => {
  it('of another program in the state file costs none of ours', async () => {
    const { statuses, post } = await onStage(action, { job: { temp: false } }, async ({ job, sandbox, inputs }) => {
      const state = job.newFile('torn_state', 'foreign=half a rec');
      const step = job.step({ with: inputs({ pipeline: 'endless', 'poll-interval': '1h' }), files: { state } });
      const main = step.startMain();
      await main.process.line(/is queued/);
      main.process.signal('SIGKILL');
      await main.ended;
      const post = step.startPost(main.collect().state);
      await post?.ended;
      return { ...seenBy(sandbox), post: post?.log };
    });
    expect(statuses).toEqual(['cancelled']);
    expect(post?.annotations).toEqual([]);
  });
});
