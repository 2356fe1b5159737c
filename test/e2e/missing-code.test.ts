// Tests a checkout of the action (`uses: ./`) that loses code while the job runs.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import { type After, folderForTest, playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

type Damage = 'lost' | 'torn';

/** A copy of the action, with a function that damages one of its chunks. */
function breakable(after: After, chunkName: string) {
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
  it.for<readonly [string, Damage]>([
    ['start', 'lost'],
    ['start', 'torn'],
    ['http', 'lost'],
    ['http', 'torn'],
  ])('triggers nothing if the chunk %s of main is %s', async ([chunk, how], { onTestFinished: after }) => {
    const copy = breakable(after, chunk);
    copy.damage(how);
    const { main, post, calls } = await playProcess(copy);
    expect(main).toMatchObject({
      exitCode: 1,
      annotations: [{ level: 'error' }],
      files: { outputs: { outcome: 'not_triggered' }, broken: [] },
    });
    expect(post?.exitCode).toBe(0);
    expect(calls).toEqual([]);
  });

  it.for<readonly [string, Damage, 'with state' | 'state lost']>([
    ['start', 'lost', 'with state'],
    ['start', 'torn', 'with state'],
    ['http', 'lost', 'with state'],
    ['http', 'torn', 'with state'],
    ['start', 'lost', 'state lost'],
  ])(
    'names its run in post if the chunk %s of post is %s, %s',
    async ([chunk, how, post], { onTestFinished: after }) => {
      const copy = breakable(after, chunk);
      const played = await playProcess(copy, {
        mode: { ...MODES['act-host'], post },
        when: (main) => main.line(/is queued/).then(() => copy.damage(how)),
      });
      expect(played.runs).toHaveLength(1);
      expect(played.post).toMatchObject({
        exitCode: 0,
        annotations: [{ level: 'warning', message: expect.stringContaining(played.runs[0]?.id ?? 'no run') as string }],
      });
    },
  );
});
