import { describe, expect, it } from 'vitest';
import { jobNumber, pipelineNumber } from '../../../support/fake-service.ts';
import { type Played, play, SUMMARY } from './play.ts';

const OLD = jobNumber(901);

/** The table at the end of the log, cell by cell. */
function tableOf({ lines }: Played): readonly (readonly string[])[] {
  const from = lines.findIndex((line) => line.startsWith('PIPELINE'));
  const rows = lines.slice(from + 1).filter((line) => /(?:nothing|tables)$/.test(line));
  return rows.map((row) => row.split(/ {2,}/));
}

describe('a dry run', () => {
  it('says what would run, triggers nothing, and succeeds', async () => {
    const played = await play({ pipeline: `pipeline-1\n${pipelineNumber(2)}`, 'dry-run': 'true' });
    expect(played.exitCode).toBe(0);
    expect(played.calls.map(({ call }) => call)).toEqual(['connect', 'list']);
    expect(played.records).toEqual([]);
    expect(played.outputs).toMatchObject({ outcome: 'dry_run', 'job-status': 'not_queued' });
    expect(played.outputs['job-id']).toBeUndefined();
    expect(tableOf(played)).toEqual([
      ['Pipeline 1', pipelineNumber(1), 'trigger a run, incremental sync', 'nothing'],
      ['Pipeline 2', pipelineNumber(2), 'trigger a run, incremental sync', 'nothing'],
    ]);
    expect(played.log).toContain('Not checked, because');
  });

  it('is noticed where it was left in: one warning', async () => {
    const { annotations } = await play({ pipeline: 'pipeline-1', 'dry-run': 'true' });
    expect(annotations).toMatchObject([
      { level: 'warning', message: expect.stringContaining('nothing was triggered') as string },
    ]);
  });

  it('says what would be dropped, and warns of nothing that does not happen', async () => {
    const played = await play({
      pipeline: 'pipeline-1',
      'full-resync': 'true',
      'reset-target': 'true',
      'dry-run': 'true',
    });
    expect(tableOf(played)).toEqual([
      ['Pipeline 1', pipelineNumber(1), 'trigger a run, full resync', 'its destination tables'],
    ]);
    expect(played.annotations).toHaveLength(1);
    expect(played.outputs['message']).toContain('tables dropped first');
  });

  it('fails for a name or a UUID that no pipeline has', async () => {
    for (const wrong of ['pipelin-1', pipelineNumber(999)]) {
      const { exitCode, outputs, annotations } = await play({ pipeline: `pipeline-1\n${wrong}`, 'dry-run': 'true' });
      expect(exitCode).toBe(1);
      expect(outputs['outcome']).toBe('not_triggered');
      expect(annotations.map(({ level }) => level)).toContain('error');
    }
  });

  it.each([
    ['running', 'take a run that is running', 'nothing'],
    ['completed', 'take a run that is completed', 'nothing'],
    ['failed', 'trigger a run, full resync', 'its destination tables'],
  ])('of a resume says what a run that is %s would lead to', async (status, does, drops) => {
    const played = await play(
      { pipeline: 'pipeline-1', 'job-id': OLD, 'dry-run': 'true', 'full-resync': 'true', 'reset-target': 'true' },
      { script: { existing: { [OLD]: [[0, status]] } } },
    );
    expect(played.exitCode).toBe(0);
    const [row = []] = tableOf(played);
    expect(row[2]).toContain(does);
    expect(row[3]).toBe(drops);
    expect(played.triggered()).toEqual([]);
  });

  it('of runs that exist says what would be awaited', async () => {
    const played = await play(
      { pipeline: '', 'job-id': OLD, 'dry-run': 'true' },
      { script: { existing: { [OLD]: [[0, 'running']] } } },
    );
    expect(tableOf(played)).toEqual([['–', '–', `await a run that is running: ${OLD}`, 'nothing']]);
    expect(played.log).not.toContain('Not checked');
    expect(played.outputs).toMatchObject({ 'job-id': OLD, 'job-status': 'running', outcome: 'dry_run' });
  });

  it('fails for a run that cannot be read', async () => {
    const played = await play({ pipeline: '', 'job-id': OLD, 'dry-run': 'true' });
    expect(played.exitCode).toBe(1);
    expect(tableOf(played)).toEqual([['–', '–', 'fail', 'nothing']]);
    expect(played.annotations.map(({ level }) => level)).toEqual(['warning', 'error']);
  });

  it('keeps names what they are: text in a cell', async () => {
    const name = '::error::x\n  PIPELINE   \u202etxt';
    const played = await play(
      { pipeline: pipelineNumber(1), 'dry-run': 'true' },
      {
        script: {
          list: () => ({
            kind: 'pipelines',
            pipelines: [{ id: pipelineNumber(1), name, apiName: null }],
            mayBeTruncated: false,
          }),
        },
      },
    );
    expect(played.lines.filter((line) => /^\s*::/.test(line))).toEqual([]);
    expect(played.lines.some((line) => /[\r\n\u202e]/.test(line))).toBe(false);
  });

  it('says so at the head of the summary', async () => {
    const { files } = await play({ pipeline: 'pipeline-1', 'dry-run': 'true' });
    expect(files.text(SUMMARY)).toMatch(/^### .*dry run, nothing was triggered/);
  });
});
