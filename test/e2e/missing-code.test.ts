// A checkout of the action (`uses: ./`) that loses code while the job runs.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type After, folderForTest, playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

type Damage = 'lost' | 'torn';

/** A copy of the action, and what damages one of its chunks. */
function breakable(after: After, chunkName = 'start') {
  const folder = folderForTest(after);
  cpSync(action.folder, folder, { recursive: true });
  const chunk = join(folder, 'dist', chunkName);
  return {
    folder,
    damage(how: Damage) {
      if (how === 'lost') rmSync(chunk, { recursive: true });
      else writeFileSync(join(chunk, 'index.js'), 'export const start = {');
    },
  };
}

describe.concurrent('a step whose code is incomplete', () => {
  it.for<Damage>(['lost', 'torn'])(
    'triggers nothing if a chunk of main is %s',
    async (how, { onTestFinished: after }) => {
      const copy = breakable(after);
      copy.damage(how);
      const { main, post, calls } = await playProcess(copy);
      expect(main).toMatchObject({
        exitCode: 1,
        annotations: [{ level: 'error', message: expect.stringContaining('could not be loaded') as string }],
        files: { outputs: { outcome: 'not_triggered' }, broken: [] },
      });
      expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
      expect(calls).toEqual([]);
    },
  );

  it.for<readonly [string, Damage]>([
    ['start', 'lost'],
    ['start', 'torn'],
    ['http', 'lost'],
    ['http', 'torn'],
  ])('names its run in post if the chunk %s of post is %s', async ([chunk, how], { onTestFinished: after }) => {
    const copy = breakable(after, chunk);
    const { post, runs } = await playProcess(copy, {
      mode: 'act-host',
      when: (main) => main.line(/is queued/).then(() => copy.damage(how)),
    });
    expect(runs).toHaveLength(1);
    expect(post).toMatchObject({
      exitCode: 0,
      annotations: [{ level: 'warning', message: expect.stringContaining(runs[0]?.id ?? 'no run') as string }],
    });
  });
});
