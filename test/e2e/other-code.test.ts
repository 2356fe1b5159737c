// Tests other code in the processes of a step, such as a script in NODE_OPTIONS, and outdated versions of Node.js.
import { describe, expect, it } from 'vitest';
import { otherCode, playProcess, useAction, versionOfNode } from '../support/e2e.ts';

const action = useAction();

const inMain = (deed: string) => ({ job: { env: otherCode(deed) } });
const inPost = (deed: string) => ({ job: { env: otherCode(deed, { IN_POST: '1' }) } });
const NAMES_CODE = expect.stringContaining('NODE_OPTIONS') as string;

/** Node 20 does not exit if other code replaces reallyExit during the exit. */
const LATER = versionOfNode().startsWith('v20.') ? [] : ['removes reallyExit later'];

describe.concurrent('a main step', () => {
  it.each(['exits in a signal handler', 'calls reallyExit in a signal handler'])(
    'fails and leaves its run to post when other code %s',
    async (deed) => {
      const { main, post, statuses } = await playProcess(action, { ...inMain(deed), mode: 'workflow' });
      expect(main).toMatchObject({ exitCode: 1, signal: null, annotations: [{ level: 'error', message: NAMES_CODE }] });
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
    'removes reallyExit',
    ...LATER,
  ])('that is interrupted fails when other code %s', async (deed) => {
    const { main, statuses } = await playProcess(action, { ...inMain(deed), mode: 'workflow' });
    expect(main).toMatchObject({ exitCode: 1, signal: null, annotations: [{ level: 'notice' }] });
    expect(statuses).toEqual(['cancelled']);
  });

  it('leaves no run in progress when other code throws in a signal handler', async () => {
    const scene = { ...inMain('throws in a signal handler'), mode: 'workflow' } as const;
    const { main, post, statuses } = await playProcess(action, scene);
    expect([main.exitCode, post?.exitCode, statuses]).toEqual([1, 0, ['cancelled']]);
  });

  it.each(['throws during a request', 'rejects a promise during a request'])(
    'fails and names the pipeline of an unconfirmed trigger when other code %s',
    async (deed) => {
      const { main, post, runs } = await playProcess(action, {
        rules: [{ kind: 'trigger', how: { do: 'silence', point: 'after-commit' } }],
        ...inMain(deed),
        inputs: { pipeline: 'endless' },
      });
      const message = expect.stringMatching(/^A run of Endless may/) as string;
      expect(runs).toHaveLength(1);
      expect(main).toMatchObject({ exitCode: 1, annotations: [{ level: 'error', message }] });
      expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    },
  );

  it.each([
    'exits in an earlier exit listener',
    'sets exitCode in an earlier exit listener',
    'throws in an earlier exit listener',
    'removes reallyExit',
    ...LATER,
  ])('whose run fails also fails when other code %s', async (deed) => {
    const { main } = await playProcess(action, { ...inMain(deed), inputs: { pipeline: 'broken' } });
    expect(main).toMatchObject({
      exitCode: 1,
      annotations: [{ level: 'error' }],
      files: { outputs: { outcome: 'failed' } },
    });
  });

  it.each([
    'keeps the process alive',
    'keeps the process alive and throws in an earlier exit listener',
    'removes reallyExit',
    ...LATER,
  ])('that succeeds exits with 0 when other code %s', async (deed) => {
    const { main } = await playProcess(action, inMain(deed));
    expect(main).toMatchObject({ exitCode: 0, signal: null });
  });

  it('fails when other code exits as soon as the bundle starts', async () => {
    const { main, runs } = await playProcess(action, inMain('exits as soon as the bundle starts'));
    expect([main.exitCode, runs]).toEqual([1, []]);
  });

  it('lets exit listeners of other code run if it succeeds', async () => {
    const { main, post } = await playProcess(action, inMain('prints its exit code'));
    expect(main).toMatchObject({ exitCode: 0, annotations: [] });
    expect(main.log.at(-1)).toBe('other code: exit 0');
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });
});

describe.concurrent('a post step', () => {
  it.each(['exits during a request', 'calls reallyExit during a request'])(
    'that cancels a run exits with 0 and warns when other code %s',
    async (deed) => {
      const { post } = await playProcess(action, {
        rules: [{ kind: 'cancel', how: { do: 'silence', point: 'before-commit' } }],
        ...inPost(deed),
        mode: 'act-host',
      });
      expect(post).toMatchObject({
        exitCode: 0,
        signal: null,
        annotations: [{ level: 'warning', message: NAMES_CODE }],
      });
    },
  );

  it.each(['throws during a request', 'rejects a promise during a request'])(
    'that cancels a run continues when other code %s',
    async (deed) => {
      const { post, statuses } = await playProcess(action, {
        rules: [{ kind: 'cancel', how: { do: 'delay', ms: 600 } }],
        ...inPost(deed),
        mode: 'act-host',
      });
      expect(post).toMatchObject({ exitCode: 0, annotations: [] });
      expect(post?.lines.join('\n')).toContain('Uncaught error');
      expect(statuses).toEqual(['cancelled']);
    },
  );

  it.each([
    'keeps the process alive',
    'exits in an earlier exit listener',
    'sets exitCode in an earlier exit listener',
  ])('with nothing to do exits with 0 when other code %s', async (deed) => {
    const { post } = await playProcess(action, inPost(deed));
    expect(post).toMatchObject({ exitCode: 0, signal: null, log: [] });
  });
});

describe.concurrent('an outdated version of Node.js', () => {
  it('makes main name the version in its first line and fail before its first request', async () => {
    const { main, calls } = await playProcess(action, inMain('says that Node is 16.20.2'));
    const outputs = { 'job-status': 'not_queued', outcome: 'not_triggered', results: '[]' };
    expect(main).toMatchObject({ exitCode: 1, files: { outputs, broken: [] } });
    expect(main.lines).toEqual([expect.stringMatching(/^::error title=run-pipeline::.*20\.16 or newer.*16\.20\.2/)]);
    expect(calls).toEqual([]);
  });

  it('makes post exit with 0 and without output', async () => {
    const { post } = await playProcess(action, inPost('says that Node is 16.20.2'));
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it('makes main fail even if other code sets exitCode', async () => {
    const deed = 'says that Node is 16.20.2 and sets exitCode in the last exit listener';
    const { main } = await playProcess(action, inMain(deed));
    expect(main).toMatchObject({ exitCode: 1, annotations: [{ level: 'error' }] });
  });
});
