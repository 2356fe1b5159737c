// Checks that entry-texts.txt shows the messages of the entry points, which they print if they cannot run a step.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox/server/index.ts';
import { breakable, otherCode, playProcess, type StepScene, UNKNOWN_ID, useAction } from '../support/e2e.ts';
import { JOB } from '../support/service.ts';
import { LINE_BREAK, rewritten } from './error-texts/table.ts';

const action = useAction();

interface Row {
  readonly entry: 'main' | 'post' | 'cancel';
  readonly when: string;
  readonly scene: StepScene;
  /** What other code does in the process. */
  readonly deed?: string;
  /** A part of the bundle that is missing: `start` from the beginning, and `http` once main has been killed. */
  readonly lacks?: 'start' | 'http';
  /** Whether the step continues without an error or a warning. */
  readonly continues?: boolean;
}

/** Kills main while its run is in progress, and then changes the surroundings of post. */
const killed = (change: (sandbox: Sandbox) => unknown = () => undefined): StepScene => ({
  mode: 'act-host',
  when: (main, sandbox) => main.line(/is queued/).then(() => change(sandbox)),
});
const SCENES = { main: {}, post: killed(), cancel: { entry: 'cancel', inputs: { 'job-id': UNKNOWN_ID } } } as const;

const NOWHERE = { inputs: { 'base-url': 'http://127.0.0.1:1/', pipeline: 'orders' } };
const ROWS: readonly Row[] = [
  ...(['main', 'post', 'cancel'] as const).flatMap((entry): readonly Row[] => {
    const row = { entry, scene: SCENES[entry] };
    return [
      { ...row, when: 'the rest of the action is missing', lacks: 'start', ...(entry === 'post' && { scene: {} }) },
      { ...row, when: 'other code exits', deed: 'exits as soon as the bundle starts' },
      { ...row, when: 'Node is old', deed: 'says that Node is 16.20.2', continues: entry === 'post' },
    ];
  }),
  { entry: 'post', when: 'its HTTP client disappears', lacks: 'http', scene: killed() },
  { entry: 'main', when: 'other code unrefs its timers', deed: 'unrefs timers', scene: NOWHERE },
  {
    entry: 'post',
    when: 'other code unrefs its timers and throws',
    deed: 'unrefs timers and throws during every request',
    scene: killed((sandbox) => sandbox.away()),
  },
];

const printed = new Map<Row, string>();

describe.concurrent('the messages of an entry point', () => {
  it.for(ROWS)(
    'are one error or warning, or none if the step continues: $entry, when $when',
    async (row, { onTestFinished }) => {
      const { entry, scene, deed, lacks, continues = false } = row;
      const copy = breakable(action, onTestFinished, lacks ?? 'start');
      const env = deed === undefined ? {} : otherCode(deed, entry === 'post' ? { IN_POST: '1' } : {});
      const played = lacks === 'http' ? killed(() => copy.damage('missing')) : scene;
      if (lacks === 'start') copy.damage('missing');
      const { main, post, runs } = await playProcess(copy, { job: { env }, ...played });
      const { lines, annotations } = (entry === 'post' ? post : main) ?? { lines: [], annotations: [] };
      expect(annotations.map(({ level }) => level)).toEqual(continues ? [] : [entry === 'post' ? 'warning' : 'error']);
      const shown = lines.filter((line) => /^::(?:error|warning) |^Uncaught/.test(line)).join('\n');
      const text = shown.replaceAll(join(copy.folder, 'dist'), 'FOLDER').replaceAll(runs[0]?.id ?? JOB, JOB);
      printed.set(row, text.replaceAll('%0A', LINE_BREAK).replace(/^/gm, `${entry}: `));
    },
  );
});

it('entry-texts.txt shows these messages', async () => {
  expect(printed.size, 'the number of rows (run the whole file)').toBe(ROWS.length);
  const lines = ROWS.flatMap((row) => printed.get(row) ?? []);
  await expect(rewritten('entry-texts.txt', `${lines.join('\n')}\n`)).toMatchFileSnapshot('entry-texts.txt');
});
