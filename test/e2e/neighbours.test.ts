// Tests changes that other steps can make between main and post, to the inputs and to the journals in RUNNER_TEMP.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addKey } from '../../sandbox/model/index.ts';
import { MODES } from '../../sandbox/runner/index.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server/index.ts';
import { type After, journalsIn, onLine, onStage, playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

/** Starts another service, which runs until the test has finished. */
async function startOther(after: After): Promise<Sandbox> {
  const other = await startSandbox();
  after(() => void other.close());
  return other;
}

describe.concurrent('inputs that change before post', () => {
  it('do not make post use another service', async ({ onTestFinished: after }) => {
    const other = await startOther(after);
    const { statuses } = await playProcess(action, {
      step: { withInPost: { 'base-url': other.url, 'on-cancel': 'leave', pipeline: '' } },
      mode: 'act-host',
    });
    expect(statuses).toEqual(['cancelled']);
    expect(other.connections()).toBe(0);
  });

  it('may contain another key for the workspace', async () => {
    await onStage(action, {}, async ({ sandbox, play }) => {
      addKey(sandbox.world, 'ak_rotated');
      const { statuses } = await play({ step: { withInPost: { 'api-key': 'ak_rotated' } }, mode: 'act-host' });
      expect(statuses).toEqual(['cancelled']);
    });
  });

  it.each([
    ['an empty key', ''],
    ['a revoked key', 'ak_revoked'],
  ])('make post name the run in a warning if they contain %s', async (_what, key) => {
    const { runs, statuses, post } = await playProcess(action, {
      job: { debug: true },
      step: {
        withInPost: { 'api-key': key },
        // Post retries a rejected key until its time limit, which a signal brings closer.
        onPostStart: (process) => onLine(process, /bootstrap: HTTP 401/, () => process.signal('SIGINT')),
      },
      mode: 'act-host',
    });
    const id = runs[0]?.id ?? 'no run';
    expect(statuses).toEqual(['running']);
    expect(post).toMatchObject({ exitCode: 0, annotations: [{ level: 'warning' }] });
    expect(post?.annotations[0]?.message).toContain(id);
    expect(post?.files.summary).toContain(id);
  });
});

describe.concurrent('a journal forged by another step of the job', () => {
  it('does not make post connect to another service', async ({ onTestFinished: after }) => {
    const thief = await startOther(after);
    const { post } = await playProcess(action, {
      step: (job) => ({
        onMainEnd() {
          const [path = 'no journal'] = journalsIn(job);
          const text = readFileSync(path, 'utf8');
          const forged = text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, thief.url);
          expect(forged).not.toBe(text);
          writeFileSync(path, forged);
          const another = forged.replaceAll(/-\w+\.journal/g, '-1.journal');
          writeFileSync(path.replace(/-\w+\.journal$/, '-1.journal'), another);
        },
      }),
      mode: { ...MODES['act-host'], post: 'state lost' },
    });
    expect(post?.exitCode).toBe(0);
    expect(thief.connections()).toBe(0);
    expect(post?.lines.join('\n')).not.toContain(thief.url);
  });
});
