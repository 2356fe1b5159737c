// Tests a checkout of the action (`uses: ./`) whose code is damaged before or during a step.
import { describe, expect, it } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import { breakable, playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

type Part = 'bundle' | 'http';
type Damage = 'missing' | 'truncated';

describe.concurrent('a step whose code is incomplete', () => {
  it.for<readonly [Part, Damage]>([
    ['bundle', 'missing'],
    ['bundle', 'truncated'],
    ['http', 'missing'],
    ['http', 'truncated'],
  ])('triggers nothing if the part "%s" is %s in main', async ([chunk, how], { onTestFinished: after }) => {
    const copy = breakable(action, after, chunk);
    copy.damage(how);
    const { main, post, calls } = await playProcess(copy);
    expect(main).toMatchObject({ exitCode: 1, annotations: [{ level: 'error' }], files: { broken: [] } });
    expect(main.files.outputs['outcome']).toBe(chunk === 'bundle' ? undefined : 'not_triggered');
    expect(post?.exitCode).toBe(0);
    expect(calls).toEqual([]);
  });

  it.for(['missing', 'truncated'] as const)(
    'warns about its run if the bundle is %s in a post step',
    async (how, { onTestFinished: after }) => {
      const copy = breakable(action, after, 'bundle');
      const played = await playProcess(copy, {
        mode: MODES['act-host'],
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
