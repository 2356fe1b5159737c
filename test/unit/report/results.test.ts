import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outputsOf } from '../../../src/report/outputs.ts';
import { resultsOf } from '../../../src/report/results.ts';
import { aRun, EXISTING, finished, JOB, manyRuns, NO_RUN, PLAN } from './scene.ts';

const RETRIES = { ...PLAN, maxAttempts: 2 };

describe('the output results', () => {
  const entriesOf = (json: string) => JSON.parse(json) as readonly Readonly<Record<string, unknown>>[];
  const long = { message: 'ü'.repeat(2_000) };

  it('is one line with an entry per run, with its attempts', () => {
    const again = aRun({ ...finished('completed'), attempt: 2, earlier: [aRun(finished('failed'))] });
    const existing = aRun({ ...EXISTING, ...finished('completed') });
    const failed = aRun({ ...finished('failed'), message: 'x\n]' });
    const json = resultsOf([again, failed, aRun(NO_RUN), existing], RETRIES);
    expect(json).not.toContain('\n');
    const attempt = { 'job-id': JOB, duration: '90' };
    expect(entriesOf(json)).toMatchObject([
      {
        pipeline: 'orders',
        outcome: 'succeeded',
        error: '',
        attempts: [
          { ...attempt, 'job-status': 'failed' },
          { ...attempt, 'job-status': 'completed' },
        ],
      },
      { outcome: 'failed', 'status-message': 'x ]', error: expect.stringContaining(': x ]. ') },
      {
        outcome: 'not_triggered',
        error: 'No run of Orders was triggered because another entry in the pipeline input is invalid.',
        attempts: [{ 'job-id': '', 'job-status': 'not_queued', duration: '' }],
      },
      { pipeline: '', 'job-id': JOB },
    ]);
    expect(entriesOf(resultsOf([again], PLAN))[0]).not.toHaveProperty('attempts');
  });

  it('has the keys of all outputs, except for the link in shortened entries', () => {
    const keys = ['pipeline', ...Object.keys(outputsOf([], PLAN)), 'error'];
    const runs = manyRuns(60, { ...finished('completed'), ...long });
    const entries = entriesOf(resultsOf(runs, { ...PLAN, runUrl: 'https://app.example.test/{job-id}' }));
    expect([entries[0], entries.at(-1)].map((entry) => [entry?.['message'] === '', Object.keys(entry ?? {})])).toEqual([
      [false, keys],
      [true, keys.filter((key) => key !== 'run-url')],
    ]);
    expect(entries[0]?.['run-url']).toBe(`https://app.example.test/${entries[0]?.['job-id']}`);
  });

  it('has the keys that docs/using.md lists', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/using.md'), 'utf8');
    const [sentence = ''] = /Each entry has the keys [^.]*/.exec(page) ?? [];
    const listed = [...sentence.matchAll(/`([\w-]+)`/g)].map(([, key]) => key);
    const [entry = {}] = entriesOf(resultsOf([aRun()], PLAN));
    expect(listed.sort()).toEqual(Object.keys(entry).sort());
  });

  it('shortens the entries of successful runs first', () => {
    const good = manyRuns(57, finished('completed'));
    const bad = manyRuns(3, { ...finished('failed'), ...long });
    const json = resultsOf([...good, ...bad], RETRIES);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(30_000);
    expect(entriesOf(json)).toHaveLength(60);
    expect(entriesOf(json).at(-1)).toHaveProperty('attempts');
    expect(entriesOf(json).at(-1)?.['error']).toContain('ü');
    expect(entriesOf(json)[56]).toMatchObject({ outcome: 'succeeded', message: '', 'job-id': expect.any(String) });
  });

  it('leaves out the entries of successful runs first', () => {
    const bad = manyRuns(20, { ...finished('failed'), ...long });
    const good = manyRuns(400, { ...finished('completed'), ...long });
    const json = resultsOf([...bad, ...good, ...bad], RETRIES);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(30_000);
    expect(Buffer.byteLength(json)).toBeGreaterThan(29_000);
    expect(entriesOf(json).filter(({ outcome }) => outcome === 'failed')).toHaveLength(40);
    expect(entriesOf(json)[0]).toMatchObject({ error: 'see the log', message: '', 'job-id': expect.any(String) });
  });
});
