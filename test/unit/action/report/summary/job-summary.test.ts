// The job summary: its table and remarks, its size, and its place among the summaries of other steps.
import { describe, expect, it } from 'vitest';
import { createSummaryWriter, summaryOf } from '../../../../../src/action/report/summary/job-summary.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { aRun, finished, type Inputs, NO_RUN, settings } from '../../../../support/action.ts';
import { memoryFiles } from '../../../../support/memory-files.ts';
import { PIPELINE } from '../../../../support/service.ts';

const AT = { now: 62_000, wall: Date.UTC(2026, 0, 5, 12, 1, 2) };
const FAILED = finished('failed', 62_000);
const GOOD = finished('completed', 5_000);
const WARNED = finished('completed_with_warning', 62_000);

function summary(runs: readonly RunState[], inputs: Inputs = {}, problems: readonly string[] = []): string {
  const { plan, runUrl } = settings(inputs);
  return summaryOf({ runs, plan, problems, runUrl, at: AT });
}

describe('the job summary', () => {
  it('shows why the step triggered nothing', () => {
    const run = aRun({ ...NO_RUN, phase: { at: 'not_queued' } });
    const [, , , , row, , remark] = summary([run], {}, ['No such pipeline.']).split('\n');
    expect([row, remark]).toEqual(['| orders | ⛔ not triggered | not&#95;queued | – | – |', 'No such pipeline&#46;']);
  });

  it('lists all attempts with their durations, starting with runs that need attention', () => {
    const earlier = [aRun({ ...WARNED, startedAt: 2_000 })];
    const runs = [aRun({ ...GOOD, startedAt: undefined }), aRun({ ...GOOD, attempt: 2, earlier })];
    const rows = summary(runs, { 'max-attempts': '2', 'succeed-on': 'completed' }).match(/orders, .*(?= \| `)/g);
    expect(rows).toEqual([
      'orders, attempt 1 | ❌ failed | completed&#95;with&#95;warning | 1m',
      'orders, attempt 2 | ✅ succeeded | completed | 5s',
      'orders, attempt 1 | ✅ succeeded | completed | –',
    ]);
  });

  it.each<[string, Partial<RunState>, Inputs, RegExp, boolean]>([
    ['a failure', FAILED, {}, /^### ❌ Pipeline run: orders\n/, true],
    ['warnings', WARNED, {}, /^### ⚠️ Pipeline run: orders\n/, true],
    ['a run that is not awaited', { phase: { at: 'detached' } }, { wait: 'false' }, /^### 🚀 Pipeline run/, false],
    ['a dry run', { ...NO_RUN, phase: { at: 'dry_run' } }, { 'dry-run': 'true' }, /^### 📝 Dry run: /, false],
    ['a run without a final status', { phase: { at: 'lost' } }, {}, /^### ❓ Pipeline run/, true],
  ])('announces %s, and has a timeline only if the step waits', (_, fields, inputs, headline, hasTimeline) => {
    const text = summary([aRun(fields)], inputs);
    expect(text).toMatch(headline);
    expect(text.includes('mermaid')).toBe(hasTimeline);
  });

  it.each([
    ['names and messages', 'x|<'.repeat(500), {}],
    ['links', 'x', { 'run-url': `https://app.example.test/{job-id}?${'&'.repeat(1_900)}` }],
  ])('stays far below the 1 MiB limit with long %s', (_, long, inputs) => {
    const run = aRun({ ...FAILED, pipeline: { id: PIPELINE, name: long }, statusMessage: long });
    const text = summary(Array(2_000).fill(run), inputs);
    expect(Buffer.byteLength(text)).toBeLessThan(800_000);
    expect(text).toMatch(/… and 1[5-9]\d\d more runs/);
    expect(text).toContain('… and 1950 more remarks');
  });
});

describe('the job summary writer', () => {
  const FILE = '/runner/summary';

  it.each([
    ['replaces its first summary and keeps those of other steps', 'file', 'others\ntwo\n'],
    ['appends each of its summaries to a character device', 'character_device', 'others\none\ntwo\n'],
  ] as const)('%s', (_, kind, content) => {
    const files = memoryFiles({ [FILE]: 'others\n' });
    files.become(FILE, kind);
    const writer = createSummaryWriter(files, FILE);
    writer.show('one');
    writer.show('two');
    expect(files.text(FILE)).toBe(content);
  });

  it.each([undefined, ''])('does nothing if the file path is %j', (path) => {
    const files = memoryFiles();
    createSummaryWriter(files, path).show('one');
    expect(files.paths).toEqual([]);
  });

  const others = memoryFiles({ [FILE]: 'others\n' });
  const full = memoryFiles({ [FILE]: 'others\n' });
  full.refuse(FILE);

  it.each([
    ['is a FIFO', others, 'fifo', 'x', 'is a FIFO'],
    ['cannot be read', { ...others, read: () => undefined }, 'file', 'x', 'be read'],
    ['is on a full disk', full, 'file', 'x', 'ENOSPC'],
    ['would exceed 1 MiB', others, 'file', 'x'.repeat(1_048_570), '1 MiB'],
  ] as const)('throws and leaves the file unchanged if the file %s', (_, files, kind, text, why) => {
    files.become(FILE, kind);
    expect(() => createSummaryWriter(files, FILE).show(text)).toThrow(why);
    expect(files.text(FILE)).toBe('others\n');
  });
});
