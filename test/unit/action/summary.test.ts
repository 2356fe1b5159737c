import { describe, expect, it } from 'vitest';
import { createSummaryWriter, summaryOf } from '../../../src/action/summary.ts';
import type { RunState } from '../../../src/run/run-state.ts';
import { aRun, settings } from '../../support/action.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { JOB, PIPELINE } from '../../support/service.ts';

const FILE = '/runner/summary';
const { plan } = settings();
const FAILED: Partial<RunState> = {
  standing: { at: 'ended', status: 'failed' },
  status: 'failed',
  endedAt: 62_000,
};

/** What a browser shows for the entities in a text. */
function shown(markdown: string): string {
  return markdown
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('\u200B', '');
}

describe('the job summary', () => {
  it('says of one run what became of it, and what to do', () => {
    expect(shown(summaryOf([aRun({ ...FAILED, statusMessage: 'disk full' })], plan, []))).toBe(
      [
        '### Pipeline run',
        '',
        '| Pipeline | Run | Status | Outcome | Duration |',
        '| --- | --- | --- | --- | --- |',
        `| orders | \`${JOB}\` | failed | failed | 1m 2s |`,
        '',
        `Run ${JOB} of orders failed after 1m 2s: disk full. Open the run in the application for its log; once the cause is fixed, run this step again.`,
        '',
      ].join('\n'),
    );
  });

  it('says why nothing was triggered', () => {
    const run = aRun({
      jobId: undefined,
      status: undefined,
      startedAt: undefined,
      standing: { at: 'not_queued' },
    });
    const text = shown(summaryOf([run], plan, ['Could not find the pipeline "orders".']));
    expect(text).toContain('| orders | – | not_queued | not_triggered | – |');
    expect(text).toContain('\nCould not find the pipeline "orders".\n');
    expect(text).not.toContain('No run of');
  });

  it('has what needs attention first, and nothing about what went well', () => {
    const good = aRun({
      standing: { at: 'ended', status: 'completed' },
      status: 'completed',
      endedAt: 5_000,
    });
    const bad = aRun({ ...FAILED, pipeline: { id: PIPELINE, name: 'customers' } });
    const text = shown(summaryOf([good, bad], plan, []));
    expect(text).toContain('1 of 2 runs succeeded; 1 failed (customers).');
    expect(text.indexOf('| customers |')).toBeLessThan(text.indexOf('| orders |'));
    expect(text).not.toContain('of orders completed');
  });

  it('stays a table, and text, whatever the service says', () => {
    const name = '| x | <img src=x> @octocat [a](b)\n### big `';
    const run = aRun({ ...FAILED, pipeline: { id: PIPELINE, name }, statusMessage: `${name}\n\n<script>` });
    const lines = summaryOf([run], plan, []).split('\n');
    expect(lines).toHaveLength(8);
    expect(lines[4]?.match(/\|/g)).toHaveLength(6);
    expect(lines.slice(4).join('\n')).not.toMatch(/[<>@[\]]|###/);
  });

  it('stays far below the megabyte that a runner takes', () => {
    const noisy = 'x|<'.repeat(500);
    const runs = Array.from({ length: 2_000 }, () =>
      aRun({ ...FAILED, pipeline: { id: PIPELINE, name: noisy }, statusMessage: noisy }),
    );
    const text = summaryOf(runs, plan, []);
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
    expect(text).toContain('… and 1500 more runs, which the log names.');
  });
});

describe('the writer of the job summary', () => {
  it('puts a second showing in the place of the first, behind what others wrote', () => {
    const files = memoryFiles({ [FILE]: 'others\n' });
    const writer = createSummaryWriter(files, FILE);
    writer.show('one');
    writer.show('two');
    expect(files.text(FILE)).toBe('others\ntwo\n');
  });

  it.each([undefined, ''])('writes nothing without a file (%j)', (path) => {
    const files = memoryFiles();
    createSummaryWriter(files, path).show('one');
    expect(files.paths).toEqual([]);
  });

  it('throws when the file takes nothing', () => {
    const files = memoryFiles();
    files.refuse(FILE);
    expect(() => createSummaryWriter(files, FILE).show('one')).toThrow('ENOSPC');
  });
});
