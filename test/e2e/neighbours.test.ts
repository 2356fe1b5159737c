import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addKey } from '../../sandbox/model/index.ts';
import { MODES, runStep, type StepProcess } from '../../sandbox/runner/index.ts';
import { startSandbox } from '../../sandbox/server/index.ts';
import { onStage, playStep, type Stage, seenBy, useAction } from '../support/e2e.ts';

const action = useAction();

const ENDLESS = { pipeline: 'endless', 'poll-interval': '1h' };
const queued = (main: StepProcess): Promise<string> => main.line(/is queued/);
const KILLED = { mode: 'act-host', when: queued } as const;
const KILLED_STATE_LOST = { mode: { ...MODES['act-host'], post: 'state lost' }, when: queued } as const;

/** The journal that main has left in RUNNER_TEMP. */
function journalIn({ job }: Stage): { readonly name: string; readonly text: string } {
  const name = readdirSync(job.temp).find((each) => each.endsWith('.journal')) ?? '';
  return { name, text: readFileSync(join(job.temp, name), 'utf8') };
}

describe.concurrent('two steps of one job', () => {
  it('do not mix: the post of one that was killed cancels its own run alone', async () => {
    await onStage(action, {}, async ({ job, sandbox, inputs }) => {
      const first = job.step({ with: inputs(ENDLESS) });
      const firstMain = first.startMain();
      await queued(firstMain.process);
      const second = await runStep(job, { with: inputs({ ...ENDLESS, pipeline: 'unpicked' }) }, KILLED);
      expect(second.post?.log).toContainEqual(expect.stringContaining('Unpicked'));
      expect(seenBy(sandbox).statuses).toEqual(['running', 'cancelled']);
      expect(firstMain.process.alive).toBe(true);
      firstMain.process.signal('SIGINT');
      await firstMain.ended;
      const post = first.startPost(firstMain.collect().state);
      await post?.ended;
      expect(post?.log.lines).toEqual([]);
      expect(seenBy(sandbox).statuses).toEqual(['cancelled', 'cancelled']);
    });
  });

  it('keep their own policies when the runner has lost the state of both', async () => {
    await onStage(action, {}, async ({ job, sandbox, inputs }) => {
      const left = await runStep(
        job,
        { with: inputs({ ...ENDLESS, 'on-cancel': 'leave' }) },
        { ...KILLED, mode: { ...MODES['act-host'], post: 'skipped' } },
      );
      expect(left.post).toBeUndefined();
      const { post } = await runStep(job, { with: inputs({ ...ENDLESS, pipeline: 'unpicked' }) }, KILLED_STATE_LOST);
      expect(post?.exitCode).toBe(0);
      expect(seenBy(sandbox).statuses).toEqual(['running', 'cancelled']);
    });
  });

  it('cancel a run once: a second post that finds the same journal has nothing to do', async () => {
    await onStage(action, {}, async ({ job, sandbox, inputs }) => {
      const step = job.step({ with: inputs(ENDLESS) });
      const main = step.startMain();
      await queued(main.process);
      main.process.signal('SIGKILL');
      await main.ended;
      for (const times of [1, 2]) {
        const post = step.startPost({});
        await post?.ended;
        expect(post?.log.shown.join('\n').includes('was cancelled')).toBe(times === 1);
      }
      expect(seenBy(sandbox).calls.filter((kind) => kind === 'cancel')).toHaveLength(1);
    });
  });

  it('of which one has done without RUNNER_TEMP: its state is enough', async () => {
    const { statuses, post } = await playStep(action, { job: { temp: false }, with: ENDLESS, interrupt: () => KILLED });
    expect(statuses).toEqual(['cancelled']);
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
  });
});

describe.concurrent('inputs that are evaluated again for post', () => {
  it('do not lead it to another service', async () => {
    const other = await startSandbox();
    try {
      const { statuses } = await playStep(action, {
        with: ENDLESS,
        step: { withInPost: { 'base-url': other.url, 'on-cancel': 'leave', pipeline: '' } },
        interrupt: () => KILLED,
      });
      expect(statuses).toEqual(['cancelled']);
      expect(other.connections()).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('may bring another key of the workspace', async () => {
    await onStage(action, {}, async ({ job, sandbox, inputs }) => {
      addKey(sandbox.world, 'ak_rotated');
      const step = { with: inputs(ENDLESS), withInPost: { 'api-key': 'ak_rotated' } };
      await runStep(job, step, KILLED);
      expect(seenBy(sandbox).statuses).toEqual(['cancelled']);
    });
  });

  it.each(['', 'ak_revoked'])('may bring no key that works (%j): then post warns with the id', async (key) => {
    const { runs, statuses, post } = await playStep(action, {
      job: { debug: true },
      with: ENDLESS,
      // A rejected key is tried again until time is up, which a signal brings forward.
      step: {
        withInPost: { 'api-key': key },
        onPostStart: (process) =>
          void process.line(/bootstrap → 401/).then(
            () => process.signal('SIGINT'),
            () => undefined,
          ),
      },
      interrupt: () => KILLED,
    });
    expect(statuses).toEqual(['running']);
    expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
    expect(post?.annotations[0]?.message).toContain(runs[0]?.id);
    expect(post?.files.summary).toContain(runs[0]?.id);
  });
});

describe.concurrent('a journal that somebody else in the job has laid', () => {
  it('does not get the key, wherever it leads', async () => {
    const thief = await startSandbox();
    try {
      await onStage(action, {}, async (stage) => {
        const { job, sandbox, inputs } = stage;
        const step = job.step({ with: inputs(ENDLESS) });
        const main = step.startMain();
        await queued(main.process);
        main.process.signal('SIGKILL');
        await main.ended;
        const { name, text } = journalIn(stage);
        writeFileSync(join(job.temp, name), text.replaceAll(sandbox.url, thief.url));
        const forged = name.replace(/-\w+\.journal$/, '-1.journal');
        const copy = text.replaceAll(name, forged).replaceAll(sandbox.url, thief.url);
        writeFileSync(join(job.temp, forged), copy);
        const post = step.startPost({});
        const ended = await post?.ended;
        expect(ended?.exitCode).toBe(0);
        expect(thief.connections()).toBe(0);
        expect(post?.log.lines.join('\n')).not.toContain(thief.url);
      });
    } finally {
      await thief.close();
    }
  });

  it('does no harm when it is not even text', async () => {
    await onStage(action, {}, async (stage) => {
      const { job, sandbox, inputs } = stage;
      const step = job.step({ with: inputs(ENDLESS) });
      const main = step.startMain();
      await queued(main.process);
      main.process.signal('SIGKILL');
      await main.ended;
      const { name } = journalIn(stage);
      writeFileSync(join(job.temp, name.replace(/-\w+\.journal$/, '-1.journal')), Buffer.alloc(4_096, 0xff));
      const ended = await step.startPost({})?.ended;
      expect(ended?.exitCode).toBe(0);
      expect(seenBy(sandbox).statuses).toEqual(['cancelled']);
    });
  });
});
