import { describe, expect, it } from 'vitest';
import { playStep, useAction } from '../support/e2e.ts';
import { otherCode } from '../support/other-code.ts';

const action = useAction();

const ENDLESS = { pipeline: 'endless', 'poll-interval': '1h' };
const SIGINT = {
  mode: 'workflow',
  when: (process: { line: (p: RegExp) => Promise<unknown> }) => process.line(/is queued/),
} as const;

describe.concurrent('a main step', () => {
  it.each(['exits in a signal handler', 'really exits in a signal handler'])(
    'fails and leaves its run to post when other code %s',
    async (deed) => {
      const { main, post, statuses } = await playStep(action, {
        job: { env: otherCode(deed) },
        with: ENDLESS,
        interrupt: () => SIGINT,
      });
      expect(main).toMatchObject({ exitCode: 1, signal: null });
      expect(main.annotations).toMatchObject([
        { level: 'error', message: expect.stringContaining('NODE_OPTIONS') as string },
      ]);
      expect(statuses).toEqual(['cancelled']);
      expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    },
  );

  it.each([
    'exits in an earlier exit listener',
    'exits in a later exit listener',
    'sets exitCode in an earlier exit listener',
    'sets exitCode in a later exit listener',
    'sets exitCode in a signal handler',
  ])('that was interrupted fails when other code %s', async (deed) => {
    const { main, statuses } = await playStep(action, {
      job: { env: otherCode(deed) },
      with: ENDLESS,
      interrupt: () => SIGINT,
    });
    expect(main).toMatchObject({ exitCode: 1, signal: null, annotations: [{ level: 'notice' }] });
    expect(statuses).toEqual(['cancelled']);
  });

  it('leaves no run behind when other code throws in a signal handler', async () => {
    const { main, post, statuses } = await playStep(action, {
      job: { env: otherCode('throws in a signal handler') },
      with: ENDLESS,
      interrupt: () => SIGINT,
    });
    expect([main.exitCode, post?.exitCode, statuses]).toEqual([1, 0, ['cancelled']]);
  });

  it.each([
    'exits in an earlier exit listener',
    'sets exitCode in an earlier exit listener',
    'throws in an earlier exit listener',
  ])('whose run failed fails when other code %s', async (deed) => {
    const { main } = await playStep(action, { job: { env: otherCode(deed) }, with: { pipeline: 'broken' } });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'failed' } } });
    expect(main.annotations).toHaveLength(1);
  });

  it.each(['keeps the process alive', 'keeps the process alive and throws in an earlier exit listener'])(
    'that succeeds ends when other code %s',
    async (deed) => {
      const { main } = await playStep(action, { job: { env: otherCode(deed) } });
      expect(main).toMatchObject({ exitCode: 0, signal: null });
    },
  );

  it('fails when other code exits as soon as the bundle starts', async () => {
    const { main, runs } = await playStep(action, { job: { env: otherCode('exits as soon as the bundle starts') } });
    expect([main.exitCode, runs]).toEqual([1, []]);
  });

  it('succeeds, and lets exit listeners of other code run', async () => {
    const { main, post } = await playStep(action, { job: { env: otherCode('notes its exit') } });
    expect(main).toMatchObject({ exitCode: 0, annotations: [] });
    expect(main.log.at(-1)).toBe('other code sees exit 0');
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });
});

describe.concurrent('a post step', () => {
  it.each(['exits in a signal handler', 'really exits in a signal handler'])(
    'exits with 0 and warns when other code %s while it works',
    async (deed) => {
      const { post } = await playStep(action, {
        service: { rules: [{ kind: 'cancel', how: { do: 'silence', point: 'before-commit' } }] },
        job: { env: otherCode(deed, { IN_POST: '1' }) },
        with: ENDLESS,
        interrupt: () => ({ mode: 'act-host', when: (process) => process.line(/is queued/) }),
      });
      expect(post).toMatchObject({
        exitCode: 0,
        signal: null,
        annotations: [{ level: 'warning', message: expect.stringContaining('NODE_OPTIONS') as string }],
      });
    },
  );

  it.each(['throws late', 'rejects late'])('goes on when other code %s', async (deed) => {
    const { post, statuses } = await playStep(action, {
      service: { rules: [{ kind: 'cancel', how: { do: 'delay', ms: 600 } }] },
      job: { env: otherCode(deed, { IN_POST: '1' }) },
      with: ENDLESS,
      interrupt: () => ({ mode: 'act-host', when: (process) => process.line(/is queued/) }),
    });
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(post?.lines.join('\n')).toContain('Uncaught error');
    expect(statuses).toEqual(['cancelled']);
  });

  it('with nothing to do ends when other code keeps the process alive', async () => {
    const env = otherCode('keeps the process alive', { IN_POST: '1' });
    const { post } = await playStep(action, { job: { env } });
    expect(post).toMatchObject({ exitCode: 0, signal: null, log: [] });
  });

  it.each(['exits in an earlier exit listener', 'sets exitCode in an earlier exit listener'])(
    'with nothing to do exits with 0 when other code %s',
    async (deed) => {
      const { post } = await playStep(action, { job: { env: otherCode(deed, { IN_POST: '1' }) } });
      expect(post).toMatchObject({ exitCode: 0, lines: [] });
    },
  );
});

describe.concurrent('a Node.js that is too old', () => {
  it('is named in the first line of main, which fails without a request', async () => {
    const { main, calls } = await playStep(action, { job: { env: otherCode('says that Node is 16.20.2') } });
    expect(main).toMatchObject({
      exitCode: 1,
      files: { outputs: { 'job-status': 'not_queued', outcome: 'not_triggered', results: '[]' }, broken: [] },
    });
    expect(main.lines).toEqual([
      expect.stringMatching(/^::error title=run-pipeline::.*Node\.js 20\.16 or newer.*Node\.js 16\.20\.2/),
    ]);
    expect(calls).toEqual([]);
  });

  it('makes post exit with 0, without a word', async () => {
    const { post } = await playStep(action, { job: { env: otherCode('says that Node is 16.20.2', { IN_POST: '1' }) } });
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('makes main fail, whatever other code sets the exit code to', async () => {
    const { main } = await playStep(action, {
      job: { env: otherCode('says that Node is 16.20.2 and sets exitCode in the last exit listener') },
    });
    expect(main).toMatchObject({ exitCode: 1, annotations: [{ level: 'error' }] });
  });
});
