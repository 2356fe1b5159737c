import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { playStep, useAction } from '../support/e2e.ts';

// A checkout of the action (`uses: ./`) that something cleans or tears while the job runs.

const action = useAction();
const copies: string[] = [];
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true });
});

/** A copy of the action, and what breaks one of its chunks. */
function breakable(chunkName = 'start'): {
  readonly folder: string;
  readonly lose: () => void;
  readonly tear: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  copies.push(folder);
  cpSync(action.folder, folder, { recursive: true });
  const chunk = join(folder, 'dist', chunkName);
  return {
    folder,
    lose: () => rmSync(chunk, { recursive: true }),
    tear: () => writeFileSync(join(chunk, 'index.js'), 'export const start = {'),
  };
}

describe.concurrent('a step whose code is incomplete', () => {
  it.each(['lose', 'tear'] as const)('fails in main, and triggers nothing (%s)', async (how) => {
    const copy = breakable();
    copy[how]();
    const { main, post, calls } = await playStep(copy);
    expect(main).toMatchObject({
      exitCode: 1,
      annotations: [{ level: 'error', message: expect.stringContaining('could not be loaded') as string }],
      files: { outputs: { outcome: 'not_triggered' }, broken: [] },
    });
    expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
    expect(calls).toEqual([]);
  });

  it.each([
    ['start', 'lose'],
    ['start', 'tear'],
    ['http', 'lose'],
    ['http', 'tear'],
  ] as const)('names its run in post (%s, %s)', async (chunk, how) => {
    const copy = breakable(chunk);
    const { post, runs } = await playStep(copy, {
      with: { pipeline: 'endless', 'poll-interval': '1h' },
      interrupt: () => ({
        mode: 'act-host',
        when: async (process) => {
          await process.line(/is queued/);
          copy[how]();
        },
      }),
    });
    const id = runs[0]?.id ?? '';
    expect(id).not.toBe('');
    expect(post).toMatchObject({
      exitCode: 0,
      annotations: [{ level: 'warning', message: expect.stringContaining(id) as string }],
    });
  });
});
