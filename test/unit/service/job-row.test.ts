import { describe, expect, it } from 'vitest';
import { jobRows } from '../../../src/service/jobs.ts';
import type { JsonValue } from '../../../src/service/reply.ts';
import { JOB, PIPELINE } from '../../support/service.ts';

const read = (rows: JsonValue) => jobRows({ json: rows, text: '' }, JOB);

describe('an answer about a run', () => {
  it('holds its row', () => {
    expect(read([{ id: JOB.toUpperCase(), job_status: 'running', status_message: 'half', more: 1 }])).toEqual({
      kind: 'job',
      job: { id: JOB, status: 'running', statusMessage: 'half' },
    });
    expect(read([{ id: JOB, job_status: '' }])).toEqual({
      kind: 'job',
      job: { id: JOB, status: '', statusMessage: null },
    });
  });

  it('holds a message on one line, as long as any place shows it', () => {
    const message = `\n\n${'a \t'.repeat(800)}`;
    const rows = read([{ id: JOB, job_status: 'running', status_message: message }]);
    expect(rows).toMatchObject({ job: { statusMessage: `${'a '.repeat(499)}a…` } });
  });

  it('holds a status that is no final one when it is cut', () => {
    const rows = read([{ id: JOB, job_status: `completed${' '.repeat(300)}x`, status_message: null }]);
    expect(rows).toMatchObject({ job: { status: 'completed…' } });
  });

  it('holds no row', () => {
    expect(read([])).toEqual({ kind: 'none' });
  });

  it.each<[JsonValue, string]>([
    [null, 'with a body that is not a list of rows'],
    [{ id: JOB, job_status: 'running' }, 'with a body that is not a list of rows'],
    [[{ id: JOB, job_status: 'running' }, {}], 'with 2 rows instead of one'],
    [[[]], 'with a row that is not an object'],
    [[{ id: PIPELINE, job_status: 'running' }], 'with the row of another run'],
    [[{ job_status: 'running' }], 'with the row of another run'],
    [[{ id: JOB, job_status: 7 }], 'with a row that has no job_status'],
  ])('holds nonsense: %j', (rows, why) => {
    expect(read(rows)).toEqual({ kind: 'nonsense', why });
  });
});
