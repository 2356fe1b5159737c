import { describe, expect, it } from 'vitest';
import { codeBlock, codeLink, cutToColumns, plain } from '../../../src/report/markdown.ts';
import { addToSummary, summaryOf, writeSummary } from '../../../src/report/summary.ts';
import type { Plan } from '../../../src/run/plan.ts';
import type { RunState } from '../../../src/run/state.ts';
import { fakeWorld } from '../../support/world.ts';
import { aRun, finished, JOB, NO_RUN, PIPELINE, PLAN } from './scene.ts';

const AT = { now: 90_000, wall: Date.UTC(2026, 0, 5, 12) };
const FAILED = finished('failed', 62_000);

function summary(runs: readonly RunState[], plan: Partial<Plan> = {}, runUrl = ''): string {
  return summaryOf(runs, { ...PLAN, ...plan }, runUrl, AT);
}

describe('the job summary', () => {
  it('lists all attempts, with unsuccessful runs first', () => {
    const again = aRun({ ...finished('completed', 65_000), startedAt: 60_000, attempt: 2, earlier: [aRun(FAILED)] });
    const warned = aRun(finished('completed_with_warning'));
    const rows = summary([again, warned, aRun(FAILED)], { maxAttempts: 2 }).match(/Orders, .*(?= \| `)/g);
    expect(rows).toEqual([
      'Orders, attempt 1 | ❌ failed | failed | 1m 2s',
      'Orders, attempt 1 | ⚠️ succeeded | completed&#95;with&#95;warning | 1m 30s',
      'Orders, attempt 1 | ❌ failed | failed | 1m 2s',
      'Orders, attempt 2 | ✅ succeeded | completed | 5s',
    ]);
  });

  it.each<[string, Partial<RunState>, Partial<Plan>, RegExp, boolean]>([
    ['❌', FAILED, {}, /^### ❌ Pipeline run: Orders\n/, true],
    ['⚠️', finished('completed_with_warning'), {}, /^### ⚠️ Pipeline run: Orders\n/, true],
    ['❌', finished('completed_with_warning'), { succeedOn: ['completed'] }, /^### ❌ Pipeline run: Orders\n/, true],
    ['🚀', { phase: { at: 'detached' } }, { wait: false }, /^### 🚀 Pipeline run/, false],
    ['📝', { ...NO_RUN, phase: { at: 'dry_run' } }, { dryRun: true }, /^### 📝 Dry run: /, false],
  ])('begins with %s and has a timeline only if the step waits', (_, fields, plan, headline, hasTimeline) => {
    const text = summary([aRun(fields)], plan);
    expect(text).toMatch(headline);
    expect(text.includes('mermaid')).toBe(hasTimeline);
    expect(text).not.toContain('\n\n\n');
  });

  it('shows an unknown status in quotes', () => {
    const text = summary([aRun({ phase: { at: 'left' }, status: 'paused' })]);
    expect(text).toContain('| &#34;paused&#34; |');
  });

  it.each([
    ['names and messages', '|<'.repeat(500), ''],
    ['links', 'x', `https://app.example.test/{job-id}?${'&'.repeat(1_900)}`],
  ])('stays far below 1 MiB with long %s', (_, long, runUrl) => {
    const run = aRun({ ...FAILED, pipeline: { id: PIPELINE, name: long, apiName: '' }, message: long });
    const text = summary(Array(700).fill(run), {}, runUrl);
    expect(Buffer.byteLength(text)).toBeLessThan(800_000);
    expect(text).toMatch(/… and [\d]+ more (?:runs|remarks) \(see the log\)\./);
  });
});

describe('the job summary file', () => {
  it('is appended to', () => {
    const fake = fakeWorld();
    writeSummary(fake.world, 'one\n');
    addToSummary(fake.world, 'Pipeline runs after the job', ['Run x was cancelled.']);
    expect(fake.summary).toBe('one\n### Pipeline runs after the job\n\nRun x was cancelled&#46;\n\n');
  });

  it('never exceeds 1 MiB', () => {
    const fake = fakeWorld();
    writeSummary(fake.world, 'x'.repeat(1_048_576));
    writeSummary(fake.world, 'x');
    expect(fake.summary).toHaveLength(1_048_576);
    expect(fake.annotations).toMatchObject([{ level: 'warning', message: expect.stringContaining('1 MiB') }]);
  });

  it.each(['', undefined])('is not needed: GITHUB_STEP_SUMMARY is %j', (path) => {
    const fake = fakeWorld({ env: { GITHUB_STEP_SUMMARY: path } });
    writeSummary(fake.world, 'one\n');
    expect(fake.annotations).toEqual([]);
  });
});

const HOSTILE = [
  '[click](https://evil.test) ![x](https://evil.test/x.png) me@evil.test',
  '<img src=x onerror=alert(1)><!-- --> &lt;b&gt; &#60; </td></table>',
  'a\\|b\\ `x` ``y`` ~~~ **a** _b_ ~~c~~ $x$ ${y} :rocket:',
  '# heading > x 1. one 2) two [!WARNING] - item + item',
];

describe('external text in Markdown', () => {
  it.each(HOSTILE)('appears literally: %s', (text) => {
    const markdown = plain(text);
    expect(markdown).not.toMatch(/[<>[\]()|`*_~!"'$\\@{}:.]/);
    const shown = markdown.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
    expect(shown.replaceAll('\u200B', '')).toBe(text);
  });

  it('creates no mentions or links to issues, and stays on one line', () => {
    expect(plain('@octocat\norg/repo#12')).toBe('&#64;&#8203;octocat org&#47;repo&#35;&#8203;12');
  });

  it('cannot end a block of code', () => {
    expect(codeBlock(['a', '```` b `'])).toBe('`````text\na\n```` b `\n`````');
  });

  it('cannot end a link or a table cell', () => {
    const link = codeLink(JOB, "https://app.example.test/(a)|b*'!?c=1&copy=2&lt;#[x]\\^");
    const encoded = 'https://app.example.test/%28a%29%7Cb%2A%27%21?c=1&amp;copy=2&amp;lt;#%5Bx%5D%5C%5E';
    expect(link).toBe(`[\`${JOB}\`](${encoded})`);
  });

  it.each([
    ['12345', '12345'],
    ['日本語', '日本…'],
    ['abc def', 'abc…'],
    ['🚀🚀🚀', '🚀🚀…'],
  ])('%s is cut to five columns as %s', (text, cut) => {
    expect(cutToColumns(text, 5)).toBe(cut);
  });
});
