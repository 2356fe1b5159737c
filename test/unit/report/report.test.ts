import { describe, expect, it } from 'vitest';
import { aReport, aRun, finished, JOB, manyRuns, NO_RUN, PIPELINE, stopBy } from './scene.ts';

const WAITING = { ...NO_RUN, phase: { at: 'waiting' } } as const;

describe('the report of a step', () => {
  it('writes an output that stays correct after a kill, and then each new value immediately', () => {
    const { change, fake, report } = aReport([aRun({ ...WAITING, pipeline: undefined })]);
    report.prove();
    expect(fake.outputs).toEqual({ 'job-status': 'unknown' });
    change({ pipeline: { id: PIPELINE, name: '', apiName: '' } });
    expect(fake.outputs).toEqual({ 'job-status': 'unknown', 'pipeline-id': PIPELINE });
    change({ phase: { at: 'in_progress' }, jobId: JOB, status: 'queued' });
    expect(fake.outputs).toEqual({ 'job-status': 'queued', 'pipeline-id': PIPELINE, 'job-id': JOB });
  });

  it('writes the ids of several runs within a second, even after a stop', async () => {
    const { change, fake } = aReport([aRun(WAITING), aRun(WAITING)]);
    change({ phase: { at: 'in_progress' }, jobId: JOB, status: 'queued' });
    change(stopBy('interruption'));
    expect(fake.outputs).toEqual({});
    await fake.clock.advance(1_000);
    expect(fake.outputs['job-id']).toBe(JOB);
  });

  it('writes no outputs between a stop and its cancels', () => {
    const { change, fake } = aReport([aRun()]);
    change(stopBy('interruption'));
    expect([fake.outputs, fake.log]).toEqual([{}, []]);
  });

  it('warns if an early write fails, and fails the step only if the last write fails', () => {
    const { change, end, fake } = aReport([aRun()]);
    const path = fake.world.env['GITHUB_OUTPUT'] ?? '';
    fake.files.refuse(path);
    change({ status: 'picked' });
    const message = expect.stringMatching(
      /^Could not write the outputs: .*The step will try again before it finishes\.$/,
    );
    expect(fake.annotations).toEqual([{ level: 'warning', title: 'run-pipeline', message }]);
    change(finished('completed'));
    expect(fake.annotations.map(({ level }) => level)).toEqual(['warning']);
    expect(end()).toBe(false);
    expect(fake.annotations.map(({ level }) => level)).toEqual(['warning', 'error']);
    fake.files.accept(path);
    expect(end()).toBe(true);
    expect(fake.outputs['outcome']).toBe('succeeded');
  });

  it('shows the cause at the end of a long message wherever it shows the message', () => {
    const frames = Array.from({ length: 60 }, (_, nth) => `  File "/app/load.py", line ${nth}, in step_${nth}`);
    const cause = 'psycopg.errors.DiskFull: could not extend file';
    const { change, end, fake } = aReport([aRun()]);
    change({ ...finished('failed'), message: ['Traceback:', ...frames, cause].join('\n') });
    end();
    expect(fake.outputs['message']).toContain(`${cause}.`);
    expect(fake.outputs['status-message']).toMatch(new RegExp(`^Traceback: .*… *.*${cause}$`));
    expect(fake.annotations[0]?.message).toContain(`${cause}.`);
    expect(fake.summary.replaceAll(/&#\d+;/g, '?')).toContain('psycopg?errors?DiskFull? could not extend file');
    expect(fake.log.slice(1, 63)).toEqual(['  Traceback:', ...frames.map((frame) => `  ${frame}`), `  ${cause}`]);
  });

  it('warns before the trigger that tables will be dropped', () => {
    const { announce, fake } = aReport([aRun(WAITING)], { resetTarget: true, fullResync: true });
    announce();
    const message = expect.stringContaining(PIPELINE);
    expect(fake.annotations).toEqual([{ level: 'warning', title: 'run-pipeline: reset-target', message }]);
    expect(fake.log).toContain('Options: full resync, tables dropped and recreated');
    const tried = aReport([aRun(WAITING)], { resetTarget: true, fullResync: true, dryRun: true });
    tried.announce();
    expect(tried.fake.annotations).toEqual([]);
  });

  it('adds nothing to the summary if nothing has changed since it was written', () => {
    const { end, fake, report } = aReport([aRun(finished('completed'))]);
    end();
    const before = fake.summary;
    report.writeSummary();
    expect(fake.summary).toBe(before);
  });

  it('lists at most 20 runs before the first trigger', () => {
    const { announce, fake } = aReport(manyRuns(40, WAITING), { maxAttempts: 2, wait: true });
    announce('');
    expect(fake.log.filter((line) => line.startsWith('Pipeline: '))).toHaveLength(20);
    expect(fake.log).toContain('… and 20 more');
    expect(fake.log).toContainEqual(
      expect.stringMatching(
        /with the status "failed" or "timed_out", the step starts another attempt after 1m, up to 2 attempts in total/,
      ),
    );
  });

  it('prints annotations before any list, and says how many runs the results output omits', () => {
    const { end, fake } = aReport([...manyRuns(200, finished('completed')), ...manyRuns(20, finished('failed'))]);
    end();
    expect(fake.annotations).toHaveLength(8);
    const ending = fake.log.slice(-23);
    expect(ending[0]).toMatch(/the results output omits \d+ of 220 runs/);
    expect(ending[1]).toMatch(/^200 of 220 runs succeeded; 20 failed \(pipeline 0, .* and 15 more\)\.$/);
    expect(ending.slice(2)).toEqual(['Pipelines to run again:', ...Array.from({ length: 20 }, () => '  orders')]);
  });

  it('prints the only known id if several runs may still be running', () => {
    const { end, fake } = aReport([aRun({ phase: { at: 'left' } }), aRun({ ...NO_RUN, phase: { at: 'unknown' } })]);
    end();
    expect(fake.log).toContain(`Runs that may still be running: ${JOB}`);
  });

  it('warns if the summary cannot be written', () => {
    const { end, fake } = aReport([aRun(finished('completed'))]);
    fake.files.refuse(fake.world.env['GITHUB_STEP_SUMMARY'] ?? '');
    expect(end()).toBe(true);
    expect(fake.annotations).toMatchObject([{ level: 'warning', message: expect.stringContaining('job summary') }]);
  });
});
