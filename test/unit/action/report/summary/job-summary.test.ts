import { describe, expect, it } from 'vitest';
import { summaryOf } from '../../../../../src/action/report/summary/job-summary.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { aRun, type Inputs, settings } from '../../../../support/action.ts';
import { JOB, PIPELINE } from '../../../../support/service.ts';

const AT = { now: 62_000, wall: Date.UTC(2026, 0, 5, 12, 1, 2) };
const FAILED: Partial<RunState> = { phase: { at: 'finished', status: 'failed' }, status: 'failed', endedAt: 62_000 };
const FIX = 'Open the run in the application for its log; once the cause is fixed, run the pipeline again.';

function summary(runs: readonly RunState[], inputs: Inputs = {}, problems: readonly string[] = []): string {
  const { plan, runUrl } = settings(inputs);
  return summaryOf({ runs, plan, problems, runUrl, at: AT });
}

/** What a browser shows for the entities in a text. */
function shown(markdown: string): string {
  return markdown.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll('\u200B', '');
}

/** Without the timeline. */
function tableAndNotes(markdown: string): string {
  return shown(markdown.split('```mermaid')[0] ?? '').trimEnd();
}

describe('the job summary', () => {
  it('says of one run what became of it, and what to do', () => {
    expect(tableAndNotes(summary([aRun({ ...FAILED, statusMessage: 'disk full' })]))).toBe(
      [
        '### ❌ Pipeline run: orders',
        '',
        '| Pipeline | Outcome | Status | Duration | Run |',
        '| --- | --- | --- | --- | --- |',
        `| orders | ❌ failed | failed | 1m 2s | \`${JOB}\` |`,
        '',
        `Run ${JOB} of orders failed after 1m 2s: disk full. ${FIX}`,
      ].join('\n'),
    );
  });

  it('links the run where an address is given', () => {
    const text = summary([aRun(FAILED)], { 'run-url': 'https://app.example.test/runs/{job-id}?of=(a|b)&x=1' });
    expect(text).toContain(`[\`${JOB}\`](https://app.example.test/runs/${JOB}?of=%28a%7Cb%29&amp;x=1) |`);
  });

  it('says why nothing was triggered', () => {
    const run = aRun({ jobId: undefined, status: undefined, startedAt: undefined, phase: { at: 'not_queued' } });
    const text = shown(summary([run], {}, ['Could not find the pipeline "orders".']));
    expect(text).toContain('| orders | ⛔ not triggered | not_queued | – | – |');
    expect(text).toContain('\nCould not find the pipeline "orders".\n');
    expect(text).not.toContain('No run of');
    expect(text).not.toContain('mermaid');
  });

  it('has what needs attention first, and nothing about what went well', () => {
    const good = aRun({ phase: { at: 'finished', status: 'completed' }, status: 'completed', endedAt: 5_000 });
    const bad = aRun({ ...FAILED, pipeline: { id: PIPELINE, name: 'customers' } });
    const text = tableAndNotes(summary([good, bad]));
    expect(text).toContain('### ❌ 2 pipeline runs');
    expect(text).toContain('1 of 2 runs succeeded; 1 failed (customers).');
    expect(text.indexOf('| customers |')).toBeLessThan(text.indexOf('| orders |'));
    expect(text).not.toContain('of orders completed');
  });

  it('marks what completed with warnings, and what nobody waited for', () => {
    const warned = aRun({
      phase: { at: 'finished', status: 'completed_with_warning' },
      status: 'completed_with_warning',
      endedAt: 5_000,
    });
    expect(summary([warned])).toMatch(/^### ⚠️ Pipeline run/);
    const text = summary([aRun({ phase: { at: 'detached' } })], { wait: 'false' });
    expect(text).toMatch(/^### 🚀 Pipeline run/);
    expect(text).not.toContain('mermaid');
  });

  it('of a dry run says that nothing was triggered', () => {
    const text = summary([aRun({ phase: { at: 'dry_run' }, jobId: undefined, status: undefined })], {
      'dry-run': 'true',
    });
    expect(text).toMatch(/^### 📝 Pipeline run: dry run, nothing was triggered\n/);
    expect(text).not.toContain('mermaid');
  });

  it('stays a table, and text, whatever the service says', () => {
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
    ['addresses', 'x', { 'run-url': `https://app.example.test/{job-id}?${'&'.repeat(1_900)}` }],
  ])('stays far below the megabyte that a runner takes, whatever the %s', (_, noisy, inputs) => {
    const runs = Array.from({ length: 2_000 }, () =>
      aRun({ ...FAILED, pipeline: { id: PIPELINE, name: noisy }, statusMessage: noisy }),
    );
    const text = summary(runs, inputs);
    expect(Buffer.byteLength(text)).toBeLessThan(800_000);
    expect(text).toMatch(/… and 1[5-9]\d\d more runs, which the log names\./);
    expect(text).toContain('… and 1950 more remarks, which the log names.');
  });
});
