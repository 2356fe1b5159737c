// Tests machines on which writes fail, the action's code is damaged, other steps forge files, or the action has a bug.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RealIncident } from '../../sandbox/runner/index.ts';
import { startSandbox } from '../../sandbox/server/index.ts';
import {
  type After,
  folderForTest,
  journalsIn,
  POLL_INTERVAL,
  play,
  type Scene,
  useAction,
  withFault,
} from '../support/e2e.ts';
import { expectFate } from '../support/trace.ts';

const action = useAction();

/** The numbers of main's writes that complete the intent, and that contain the run's id for the first time. */
const [INTENT, ID] = [8, 9];

const diskWith = (fault: string, at: number): Scene => ({ job: { env: withFault(fault, { DISK_AT: String(at) }) } });

describe.concurrent('a step', () => {
  it.each<[string, Scene, calls: string, fate: string]>([
    ['on a full disk sends no requests', diskWith('a full disk', 1), '', 'no run, but a warning'],
    [
      'on a disk that fills up at its intent triggers nothing',
      diskWith('a full disk', INTENT),
      'exchange list',
      'no run, but a warning',
    ],
    [
      'on a disk that fills up after its intent waits for its run and fails',
      diskWith('a full disk', INTENT + 1),
      'exchange list trigger read',
      'completed',
    ],
    [
      'without any writable file sends no requests',
      { files: { state: '/nowhere/state' }, runner: { temp: 'none' } },
      '',
      'no run, but a warning',
    ],
  ])('%s', async (_, scene, calls, fate) => {
    const played = await play(action, scene);
    expectFate(played, `main 1, post 0, ${fate}`);
    expect(played.calls.join(' ')).toBe(calls);
    expect(played.main.files.broken, 'half a line is left in a file').toEqual([]);
    expect(played.main.log.join('\n')).toMatch(/ENOSPC|ENOENT/);
  });

  it.each([
    ['its intent', INTENT, false, 'no run, but a warning'],
    ["its run's id", ID, false, 'cancelled'],
    ["its run's id and loses its state", ID, true, 'cancelled'],
  ] as const)('that is killed while writing %s leaves no run without a warning', async (_, at, losesState, fate) => {
    const scene = diskWith('a kill during a write', at);
    const played = await play(action, { ...scene, inputs: { pipeline: 'endless' }, runner: { losesState } });
    expectFate(played, `main SIGKILL, post 0, ${fate}`);
  });

  it('whose journal misses the id for a moment repairs the journal before it is killed and its state is lost', async () => {
    const played = await play(action, {
      job: { env: withFault('a full disk', { DISK_AT: String(ID), DISK_UNTIL: String(ID) }) },
      inputs: { pipeline: 'endless' },
      incidents: [
        {
          what: 'act_cancel',
          at: { line: 'The step can save the state of the runs to the journal in RUNNER_TEMP again' },
        },
      ],
      runner: { losesState: true },
    });
    expectFate(played, 'main SIGKILL, post 0, cancelled');
  });

  it('whose journal vanishes does not make a second attempt, and does not recreate the journal', async () => {
    const at: RealIncident['at'] = async (main, sandbox, job) => {
      await sandbox.commit('trigger');
      for (const path of journalsIn(job)) rmSync(path);
      sandbox.release('trigger');
      await main.ended;
    };
    const played = await play(action, {
      faults: [{ call: 'trigger', times: 1, what: { holds: 'response' } }],
      inputs: { pipeline: 'broken', 'max-attempts': '2', 'retry-delay': '1ms', 'poll-interval': POLL_INTERVAL },
      incidents: [{ what: 'cancel', at }],
    });
    expect(played.statuses).toEqual(['failed']);
    expect(played.main.files.outputs['message']).toContain('ENOENT');
    expect(played.files).toEqual([]);
  });

  it.each(['an uncaught exception', 'an unhandled rejection'])(
    'with a bug that causes %s fails and warns about its pipeline',
    async (fault) => {
      const played = await play(action, {
        faults: [{ call: 'trigger', what: { holds: 'response' } }],
        job: { env: withFault(fault) },
        inputs: { pipeline: 'endless' },
      });
      expectFate(played, 'main 1, post 0, warned');
      expect(played.post?.annotations).toEqual([]);
    },
  );
});

/** Copies the action, and adds a function that damages its bundle or the chunk for proxies. */
function breakable(after: After, part: 'bundle' | 'tunnel') {
  const folder = folderForTest(after);
  cpSync(action.folder, folder, { recursive: true });
  const isPart = part === 'bundle' ? /^index\.js$/ : /^\d+\.index\.js$/;
  const files = readdirSync(join(folder, 'dist')).filter((name) => isPart.test(name));
  if (files.length !== 1) throw new Error(`dist contains ${files.length} files of the part ${part}.`);
  const file = join(folder, 'dist', files[0] ?? '');
  return {
    folder,
    damage(how: 'missing' | 'truncated') {
      if (how === 'missing') rmSync(file);
      else writeFileSync(file, 'export const start = {');
    },
  };
}

const THROUGH_PROXY: Scene = {
  inputs: { 'base-url': 'https://app.example.test' },
  job: { env: { https_proxy: 'http://127.0.0.1:9' } },
};

describe.concurrent('an action with incomplete code', () => {
  it.for([
    ['bundle', 'missing', {}],
    ['tunnel', 'truncated', THROUGH_PROXY],
  ] as const)('triggers nothing if its %s is %s', async ([part, how, scene], { onTestFinished: after }) => {
    const copy = breakable(after, part);
    copy.damage(how);
    const played = await play(copy, scene);
    expectFate(played, 'main 1, post 0, no run');
    expect(played.main.annotations).toMatchObject([{ level: 'error' }]);
    expect(played.calls).toEqual([]);
  });

  it('warns about its run if the bundle is missing in the post step', async ({ onTestFinished: after }) => {
    const copy = breakable(after, 'bundle');
    const played = await play(copy, { incidents: [{ what: 'act_cancel' }], onMainEnd: () => copy.damage('missing') });
    expectFate(played, 'main SIGKILL, post 0, warned');
  });
});

describe.concurrent('a journal forged by another step in the job', () => {
  it('does not make the post step send the key to another service', async ({ onTestFinished: after }) => {
    const thief = await startSandbox();
    after(() => void thief.close());
    const { post } = await play(action, {
      onMainEnd(_main, job) {
        const [path = 'no journal'] = journalsIn(job);
        const text = readFileSync(path, 'utf8');
        const forged = text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, thief.url);
        expect(forged).not.toBe(text);
        writeFileSync(path, forged);
        writeFileSync(path.replace(/-\w+$/, '-1'), forged.replaceAll(/-\w+"/g, '-1"'));
      },
      incidents: [{ what: 'act_cancel' }],
      runner: { losesState: true },
    });
    expect(post?.exitCode).toBe(0);
    expect(thief.requests).toEqual([]);
    expect(post?.log.join('\n')).not.toContain(thief.url);
  });
});
