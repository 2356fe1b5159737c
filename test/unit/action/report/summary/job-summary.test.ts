// The job summary: its table and remarks, its size, and its place beside the summaries of other steps.
import { describe, expect, it } from 'vitest';
import { createSummaryWriter, summaryOf } from '../../../../../src/action/report/summary/job-summary.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { aRun, type Inputs, settings } from '../../../../support/action.ts';
import { memoryFiles } from '../../../../support/memory-files.ts';
import { JOB, PIPELINE } from '../../../../support/service.ts';

const AT = { now: 62_000, wall: Date.UTC(2026, 0, 5, 12, 1, 2) };
const FAILED: Partial<RunState> = { phase: { at: 'finished', status: 'failed' }, status: 'failed', endedAt: 62_000 };
const GOOD: Partial<RunState> = { phase: { at: 'finished', status: 'completed' }, status: 'completed', endedAt: 5_000 };
const NO_RUN = { jobId: undefined, status: undefined, startedAt: undefined };

function summary(runs: readonly RunState[], inputs: Inputs = {}, problems: readonly string[] = []): string {
  const { plan, runUrl } = settings(inputs);
  return summaryOf({ runs, plan, problems, runUrl, at: AT });
}

/** Returns the lines without the timeline and with decoded entities, as a browser shows them. */
function shownLines(markdown: string): string[] {
  const text = (markdown.split('```mermaid')[0] ?? '').trimEnd();
  return text
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('\u200B', '')
    .split('\n');
}

describe('the job summary', () => {
  it('shows the outcome of one run and the next action', () => {
    expect(shownLines(summary([aRun({ ...FAILED, statusMessage: 'disk full' })]))).toEqual([
      '### ❌ Pipeline run: orders',
      '',
      '| Pipeline | Outcome | Status | Duration | Run |',
      '| --- | --- | --- | --- | --- |',
      `| orders | ❌ failed | failed | 1m 2s | \`${JOB}\` |`,
      '',
      expect.stringMatching(/^Run .* failed after 1m 2s: disk full\. Open the log /),
    ]);
  });

  it('shows why the step triggered nothing', () => {
    const run = aRun({ ...NO_RUN, phase: { at: 'not_queued' } });
    const lines = shownLines(summary([run], {}, ['No such pipeline.']));
    expect(lines.slice(4)).toEqual(['| orders | ⛔ not triggered | not_queued | – | – |', '', 'No such pipeline.']);
  });

  it('shows runs that need attention first and has no remarks about the others', () => {
    const bad = aRun({ ...FAILED, pipeline: { id: PIPELINE, name: 'customers' } });
    const lines = shownLines(summary([aRun(GOOD), bad]));
    expect(lines[0]).toBe('### ❌ 2 pipeline runs');
    expect(lines[2]).toBe('1 of 2 runs succeeded; 1 failed (customers).');
    expect(lines.slice(6, 8)).toEqual([
      expect.stringMatching(/^\| customers /),
      expect.stringMatching(/^\| orders \| ✅ /),
    ]);
    expect(lines.slice(9)).toEqual([expect.stringContaining('of customers failed')]);
  });

  const warned = { at: 'finished', status: 'completed_with_warning' } as const;

  it.each<[string, Partial<RunState>, Inputs, RegExp, boolean]>([
    ['warnings', { ...GOOD, phase: warned, status: warned.status }, {}, /^### ⚠️ Pipeline run: orders\n/, true],
    ['a run that is not awaited', { phase: { at: 'detached' } }, { wait: 'false' }, /^### 🚀 Pipeline run/, false],
    ['a dry run', { ...NO_RUN, phase: { at: 'dry_run' } }, { 'dry-run': 'true' }, /^### 📝 .*: dry run, /, false],
    ['a run without a final status', { phase: { at: 'lost' } }, {}, /^### ❓ Pipeline run/, true],
  ])('marks %s and has a timeline only if the step waits', (_, fields, inputs, headline, hasTimeline) => {
    const text = summary([aRun(fields)], inputs);
    expect(text).toMatch(headline);
    expect(text.includes('mermaid')).toBe(hasTimeline);
  });

  it('remains a valid table with hostile text from the service', () => {
    const name = '| x | <img src=x> @octocat [a](b)\n### big `';
    const run = aRun({ ...FAILED, pipeline: { id: PIPELINE, name }, statusMessage: `${name}\n\n<script>` });
    const lines = (summary([run]).split('```mermaid')[0] ?? '').trimEnd().split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[4]?.match(/\|/g)).toHaveLength(6);
    expect(lines[0]?.slice(3)).not.toMatch(/[<>@[\]`]|###/);
    expect(lines[4]).not.toMatch(/[<>@[\]]|###/);
    expect(lines[6]).not.toMatch(/[<>@[\]`|]|###/);
  });

  it.each([
    ['names and messages', 'x|<'.repeat(500), {}],
    ['links', 'x', { 'run-url': `https://app.example.test/{job-id}?${'&'.repeat(1_900)}` }],
  ])('stays far below the limit of 1 MiB with long %s', (_, long, inputs) => {
    const run = aRun({ ...FAILED, pipeline: { id: PIPELINE, name: long }, statusMessage: long });
    const text = summary(Array(2_000).fill(run), inputs);
    expect(Buffer.byteLength(text)).toBeLessThan(800_000);
    expect(text).toMatch(/… and 1[5-9]\d\d more runs, which the log names\./);
    expect(text).toContain('… and 1950 more remarks, which the log names.');
  });
});

describe('the writer of the job summary', () => {
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

  it.each([undefined, ''])('does nothing if the path of the file is %j', (path) => {
    const files = memoryFiles();
    createSummaryWriter(files, path).show('one');
    expect(files.paths).toEqual([]);
  });

  const others = memoryFiles({ [FILE]: 'others\n' });
  const full = memoryFiles({ [FILE]: 'others\n' });
  full.refuse(FILE);

  it.each([
    ['is a FIFO', others, 'fifo', 'x', 'is a FIFO'],
    ['is a directory', others, 'directory', 'x', 'is a directory'],
    ['cannot be read', { ...others, read: () => undefined }, 'file', 'x', 'be read'],
    ['is on a full disk', full, 'file', 'x', 'ENOSPC'],
    ['would exceed 1 MiB', others, 'file', 'x'.repeat(1_048_570), '1 MiB'],
  ] as const)('throws and leaves the file unchanged if it %s', (_, files, kind, text, why) => {
    files.become(FILE, kind);
    expect(() => createSummaryWriter(files, FILE).show(text)).toThrow(why);
    expect(files.text(FILE)).toBe('others\n');
  });
});
