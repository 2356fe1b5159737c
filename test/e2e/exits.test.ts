// Every process ends on its own, even alongside preloaded code that never ends, and after its runner has died.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Mode, QUEUED, type RealIncident } from '../../sandbox/runner/index.ts';
import { type After, folderForTest, nodeInBash, play, type Scene, type Texts, useAction } from '../support/e2e.ts';
import { expectFate } from '../support/trace.ts';

const action = useAction();

/** The environment of a process with preloaded code that keeps a timer active, and with more such code. */
function preloading(after: After, code = ''): Texts {
  const file = join(folderForTest(after), 'preload.cjs');
  writeFileSync(file, `setInterval(() => undefined, 1_000);\n${code}\n`);
  return { NODE_OPTIONS: `--require=${file}` };
}

/** Sends this process a signal while it prints its report. Node handles the signal only once it waits for events. */
const SIGNAL_IN_REPORT = `const { write } = process.stdout;
process.stdout.write = function (...args) {
  if (/does not wait for it/.test(args[0])) process.kill(process.pid, 'SIGINT');
  return write.apply(this, args);
};`;

it('a step with wait: false that receives a signal during its report fails, and its post step cancels the run', async ({
  onTestFinished: after,
}) => {
  const env = preloading(after, SIGNAL_IN_REPORT);
  const inputs = { pipeline: 'endless', wait: 'false' };
  expectFate(
    await play(action, { inputs, job: { env }, runner: { statusAtEnd: 'failure' } }),
    'main 1, post 0, cancelled',
  );
});

const OLD_NODE = "Object.defineProperty(process.versions, 'node', { value: '18.0.0' });";

describe.concurrent('beside preloaded code that holds a timer', () => {
  it.for<readonly [string, Scene, fate: string]>([
    ['a step and its idle post step end', {}, 'main 0, post 0, completed'],
    ['a step that sends no requests ends', { inputs: { wait: 'maybe' } }, 'main 1, post 0, no run'],
    ['a step that receives SIGINT ends', { incidents: [{ what: 'cancel' }] }, 'main 1, post 0, cancelled'],
    ['a post step that cancels a run ends', { incidents: [{ what: 'act_cancel' }] }, 'main SIGKILL, post 0, cancelled'],
    ['the cancel action ends', { entry: 'cancel', inputs: { 'job-id': '' } }, 'main 0, post none, no run'],
  ])('%s', async ([, scene, fate], { onTestFinished: after }) => {
    expectFate(await play(action, { ...scene, job: { env: preloading(after) } }), fate);
  });

  it.for<readonly [string, Scene, fate: string]>([
    ['a step and its post step end', {}, 'main 1, post 0, no run'],
    ['the cancel action ends', { entry: 'cancel', inputs: { 'job-id': '' } }, 'main 1, post none, no run'],
  ])('%s if Node.js is too old', async ([, scene, fate], { onTestFinished: after }) => {
    const played = await play(action, { ...scene, job: { env: preloading(after, OLD_NODE) } });
    expectFate(played, fate);
    expect(played.main.annotations[0]?.message).toContain('needs Node.js 20.16 or newer');
  });

  it('a post step names the runs that it cannot cancel if Node.js has become too old', async ({
    onTestFinished: after,
  }) => {
    const env = preloading(after, `if (/post/.test(process.argv[1] ?? '')) ${OLD_NODE}`);
    const played = await play(action, { incidents: [{ what: 'act_cancel' }], job: { env } });
    expectFate(played, 'main SIGKILL, post 0, warned');
    const [warning] = played.post?.annotations ?? [];
    expect(warning?.message).toMatch(/^The post step cannot cancel runs\. This action needs Node\.js 20\.16/);
    expect(warning?.message).toContain(`cancel any that should not continue: ${played.runs[0]?.id}`);
  });

  it('a step and its post step end if the bundle is missing', async ({ onTestFinished: after }) => {
    const { folder } = copyOf(after);
    rmSync(join(folder, 'dist', 'index.js'));
    const played = await play({ folder }, { job: { env: preloading(after) } });
    expectFate(played, 'main 1, post 0, no run');
  });
});

function copyOf(after: After): { readonly folder: string } {
  const folder = folderForTest(after);
  cpSync(action.folder, folder, { recursive: true });
  return { folder };
}

/** A runner that does not send a signal or start a post step, and keeps stdout open. */
const DEAD: Mode = { signals: [], isAwaited: true, jobStatus: 'cancelled', post: 'skipped' };
/** Starts Node.js as a child, which gets another parent as soon as the file exists. */
const UNTIL_DEAD = '"$NODE" "$@" & until [ -e "$RUNNER_TEMP/dead" ]; do sleep 0.02; done';

describe.skipIf(process.platform === 'win32').concurrent('if the runner dies without a signal, a step', () => {
  it('triggers nothing if the bundle is still loading', async ({ onTestFinished: after }) => {
    const { folder } = copyOf(after);
    const bundle = join(folder, 'dist', 'index.js');
    const dying =
      "import { writeFileSync as w } from 'node:fs'; const p = process.ppid; w(`${process.env.RUNNER_TEMP}/dead`, ''); while (process.ppid === p);";
    writeFileSync(bundle, `${dying}\n${readFileSync(bundle, 'utf8')}`);
    const played = await play(
      { folder },
      { job: { node: nodeInBash(after, UNTIL_DEAD) }, incidents: [{ what: DEAD, at: { line: '::add-mask' } }] },
    );
    expect(played.runs).toEqual([]);
    expect(played.main.files.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'not_queued' });
  });

  it('cancels its run within seconds if it is waiting', async ({ onTestFinished: after }) => {
    const at: RealIncident['at'] = async (main, _sandbox, job) => {
      await main.line(QUEUED.line);
      writeFileSync(join(job.temp, 'dead'), '');
      const diedAt = performance.now();
      await main.line('Step interrupted');
      expect(performance.now() - diedAt).toBeLessThan(2_000 + 10 * main.startUpMs);
    };
    const played = await play(action, {
      job: { node: nodeInBash(after, UNTIL_DEAD) },
      incidents: [{ what: DEAD, at }],
    });
    expect(played.statuses).toEqual(['cancelled']);
    expect(played.main.log.join('\n')).toContain('its runner died');
  });

  it('triggers nothing if Node.js is still starting, because stdout is closed', async () => {
    const played = await play(action, { incidents: [{ what: 'always', at: { ms: 0 } }] });
    expectFate(played, 'main 1, post none, no run');
    expect(played.calls).not.toContain('trigger');
  });
});
