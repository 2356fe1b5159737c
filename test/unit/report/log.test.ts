import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/run/state.ts';
import { aReport, aRun, EXISTING, finished, JOB, manyRuns, NO_RUN, NOT_FOUND, PROBLEM, stopBy } from './scene.ts';

const MINUTE = 60_000;

describe('the log', () => {
  it('shows each new status with the time since the step began', async () => {
    const { change, fake } = aReport([aRun({ status: 'queued' })]);
    await fake.clock.advance(65_000);
    change({ status: 'running', message: 'Connecting' });
    change({ message: 'Loading' });
    change(finished('completed'));
    expect(fake.log).toEqual([
      '[1m 5s] Orders: queued → running: Connecting',
      '[1m 5s] Orders: running → completed: Loading',
    ]);
  });

  it('prints a progress line after every three minutes of silence', async () => {
    const { fake, report } = aReport([aRun({ status: 'queued', history: [{ status: 'queued', at: 0 }] })]);
    const minutes: number[] = [];
    for (let minute = 1; minute <= 120; minute += 1) {
      await fake.clock.advance(MINUTE);
      const before = fake.log.length;
      report.tick(false);
      if (fake.log.length > before) minutes.push(minute);
    }
    expect(fake.log[0]).toBe('[3m] Orders: still queued because no agent has picked up the run yet');
    expect(minutes).toEqual(Array.from({ length: 40 }, (_, nth) => 3 * (nth + 1)));
  });

  it.each<[string, string, Partial<RunState>]>([
    ['a run that is in the queue again', 'still queued', { status: 'queued' }],
    [
      'a run that waits for another attempt',
      'attempt 2 of 2 not triggered yet',
      { phase: { at: 'waiting' }, attempt: 2 },
    ],
  ])('prints a progress line about %s without a false reason', async (_, words, state) => {
    const { fake, report } = aReport([aRun(state)], { maxAttempts: 2 });
    await fake.clock.advance(3 * MINUTE);
    report.tick(false);
    expect(fake.log).toEqual([`[3m] Orders: ${words}`]);
  });

  it('does not repeat a status while the service does not respond', async () => {
    const { fake, report } = aReport([aRun()]);
    await fake.clock.advance(3 * MINUTE);
    report.tick(true);
    expect(fake.log).toEqual(['[3m] Orders: still no valid response']);
  });

  it('counts the statuses of many runs every three minutes and otherwise shows only results', async () => {
    const { change, fake, report } = aReport(manyRuns(21, { status: 'queued' }));
    for (let nth = 0; nth < 20; nth += 1) change({ status: 'running' }, nth);
    expect(fake.log).toEqual([]);
    await fake.clock.advance(3 * MINUTE);
    report.tick(false);
    change(finished('completed'), 3);
    expect(fake.log).toEqual(['21 runs after 3m: 20 running, 1 queued', '[3m] pipeline 3: running → completed']);
  });

  it('prints no counts once all runs have finished', async () => {
    const { change, fake, report } = aReport([...manyRuns(20, finished('completed')), aRun()]);
    await fake.clock.advance(3 * MINUTE);
    change(finished('completed'), 20);
    report.tick(false);
    expect(fake.log).toEqual(['[3m] Orders: running → completed']);
  });

  it('prints a progress line before the first trigger', async () => {
    const waiting = { ...NO_RUN, phase: { at: 'waiting' } } as const;
    for (const [runs, line] of [
      [[aRun(waiting)], '[3m] Orders: still no valid response'],
      [[aRun(waiting), aRun(waiting)], '2 runs after 3m: 2 waiting; still no valid response to some requests'],
    ] as const) {
      const { fake, report } = aReport(runs);
      await fake.clock.advance(3 * MINUTE);
      report.tick(true);
      expect(fake.log).toEqual([line]);
    }
  });

  it.each([
    ['prints a progress line three minutes after the last line', 20, [2, 5]],
    ['prints the counts of many runs every three minutes, regardless of what it prints in between', 21, [2, 3]],
  ])('%s', async (_, count, minutesOfLines) => {
    const { change, fake, report } = aReport(manyRuns(count, {}));
    const minutes: number[] = [];
    for (let minute = 1; minute <= 5; minute += 1) {
      await fake.clock.advance(MINUTE);
      const before = fake.log.length;
      if (minute === 2) change(finished('completed'));
      report.tick(false);
      minutes.push(...fake.log.slice(before).map(() => minute));
    }
    expect(minutes).toEqual(minutesOfLines);
  });

  it('prints about one line per run with 200 runs, even if statuses change and requests fail often', async () => {
    const { change, fake, report, runs } = aReport(manyRuns(200, { status: 'queued' }));
    for (let minute = 1; minute <= 30; minute += 1) {
      await fake.clock.advance(MINUTE);
      for (const run of runs) {
        change({ status: `status ${minute} of ${run.number}` }, run.number);
        report.note(`Could not read the run's status: HTTP 503. Retrying in ${run.number + minute}s.`, run);
        report.tick(true);
      }
    }
    for (const { number } of runs) change(finished('completed'), number);
    expect(fake.annotations).toHaveLength(2);
    expect(fake.log.length).toBeGreaterThanOrEqual(200);
    expect(fake.log.length).toBeLessThan(230);
    expect(fake.log.filter((line) => line.length > 400)).toEqual([]);
    expect(fake.log.find((line) => line.includes('after 3m'))).toMatch(
      /: (?:1 "status \d of \d", ){8}192 others; still no valid response to some requests$/,
    );
  });

  it('announces an existing run when it is first read, and warns about an unknown status', () => {
    const { change, fake } = aReport([aRun({ ...EXISTING, isSeen: false, status: undefined })]);
    change({ isSeen: true, status: 'paused' });
    change({ status: 'running' });
    change({ status: 'paused' });
    expect(fake.log[0]).toBe(`[0s] ${JOB}: waiting for this run (status: "paused")`);
    expect(fake.annotations).toEqual([
      {
        level: 'warning',
        title: `run-pipeline: ${JOB}`,
        message: expect.stringMatching(/"paused".*Update the action/),
      },
    ]);
  });

  it('warns about at most two unknown statuses', () => {
    const { change, fake } = aReport([aRun()]);
    for (const status of ['a', 'b', 'c', 'd']) change({ status });
    expect(fake.annotations).toHaveLength(2);
    expect(fake.log).toHaveLength(4);
  });

  it('delays the line about an interruption until the cancels have been sent', async () => {
    const { change, fake } = aReport([aRun(), aRun({ ...NO_RUN, phase: { at: 'triggering' } })]);
    const { stop } = stopBy('interruption');
    change({ stop });
    change({ stop }, 1);
    await fake.clock.advance(99);
    expect(fake.log).toEqual([]);
    await fake.clock.advance(1);
    expect(fake.log).toEqual([
      'Step interrupted (SIGINT): a trigger may be in flight.',
      'Step interrupted (SIGINT): cancelling unfinished runs.',
    ]);
  });

  it('shows an interruption before the cancellation that it caused', () => {
    const { change, fake } = aReport([aRun()]);
    change(stopBy('interruption'));
    change(finished('cancelled'));
    expect(fake.log.map((line) => line.split(':')[0])).toEqual(['Step interrupted (SIGINT)', '[0s] Orders']);
  });

  it('shows the result of an existing run that had finished before the first read, but nothing in a dry run', () => {
    const unseen = aRun({ ...EXISTING, isSeen: false, status: undefined });
    const awaited = aReport([unseen]);
    awaited.change({ isSeen: true, ...finished('completed') });
    const tried = aReport([unseen], { dryRun: true });
    tried.change({ isSeen: true, status: 'running', phase: { at: 'dry_run' } });
    expect([awaited.fake.log, tried.fake.log]).toEqual([[`[0s] ${JOB}: completed`], []]);
  });

  it('counts the statuses in a progress line even for a few runs', async () => {
    const { fake, report } = aReport([
      aRun(),
      aRun({ status: 'queued' }),
      aRun({ status: undefined }),
      aRun(NO_RUN),
      aRun({ phase: { at: 'left' } }),
      aRun({ phase: { at: 'lost', problem: PROBLEM } }),
      aRun(NOT_FOUND),
    ]);
    await fake.clock.advance(3 * MINUTE);
    report.tick(false);
    expect(fake.log).toEqual([
      '7 runs after 3m: 1 running, 1 queued, 1 not read yet, 1 not triggered, 1 not cancelled, 1 with an unknown result, 1 not found',
    ]);
  });

  it('says that no status has been read yet', async () => {
    const { fake, report } = aReport([aRun({ status: undefined })]);
    await fake.clock.advance(3 * MINUTE);
    report.tick(false);
    expect(fake.log).toEqual(['[3m] Orders: no status read yet']);
  });

  it('shows times that never go back, although runs start at different times', async () => {
    const later = aRun({ status: 'queued', startedAt: 80_000 });
    const again = aRun({ attempt: 2, startedAt: 60_000, earlier: [aRun({ startedAt: 30_000 })] });
    const { change, fake } = aReport([later, again, aRun()]);
    await fake.clock.advance(90_000);
    for (const number of [2, 0, 1]) change(finished('completed'), number);
    await fake.clock.advance(5_000);
    change({ phase: { at: 'in_progress' }, status: 'running' }, 0);
    expect(fake.log.map((line) => line.split(' Orders')[0])).toEqual(['[1m 30s]', '[1m 30s]', '[1m 30s]', '[1m 35s]']);
  });

  it('shows which run was queued for too long, that runs are not cancelled, and that nothing more is triggered', () => {
    for (const [stop, words, run] of [
      [stopBy('queue_timeout'), `cancelling run ${JOB} of Orders. This can take up to 1m.`, {}],
      [stopBy('interruption', 'leave'), 'not cancelling unfinished runs (on-cancel: leave).', {}],
      [stopBy('interruption'), 'triggering no more runs.', { phase: { at: 'waiting' } }],
    ] as const) {
      const { change, end, fake } = aReport([aRun(run)]);
      change(stop);
      end();
      expect(fake.log[0]).toContain(words);
    }
  });

  it('does not show a lost run after a stop, because the final report follows soon', async () => {
    const { change, fake } = aReport([aRun(stopBy('interruption')), aRun()]);
    change({ phase: { at: 'lost', problem: PROBLEM } });
    expect(fake.log).toEqual([]);
  });

  it('shows a lost run while others continue', () => {
    const { change, fake } = aReport([aRun(), aRun()]);
    change({ phase: { at: 'lost', problem: PROBLEM } });
    change({ phase: { at: 'lost', problem: PROBLEM } }, 1);
    expect(fake.log).toEqual([expect.stringMatching(/^Lost contact with run/)]);
  });

  it('prints the same note once for each run', () => {
    const { fake, report, runs } = aReport([aRun(), aRun()]);
    for (const run of runs) report.note('Retrying in 1s.', run);
    expect(fake.log).toEqual(['[0s] Orders: Retrying in 1s.', '[0s] Orders: Retrying in 1s.']);
  });

  it('with many runs repeats a note only after three minutes, even with other numbers, or after the end of an outage', async () => {
    for (const [count, lines] of [
      [20, 5],
      [21, 3],
    ] as const) {
      const { fake, report } = aReport(manyRuns(count, {}));
      for (const text of ['Retrying in 1s.', 'Retrying in 12s.']) report.note(text);
      report.tick(false);
      report.note('Retrying in 1s.');
      await fake.clock.advance(3 * MINUTE);
      report.note('Retrying in 1s.');
      report.tick(true);
      report.tick(false);
      report.note('Retrying in 1s.');
      expect(fake.log.filter((line) => line.startsWith('Retrying'))).toHaveLength(lines);
    }
  });
});

describe('a long message from the service', () => {
  function logOf(message: string): readonly string[] {
    const { change, fake } = aReport([aRun(), aRun()]);
    change({ ...finished('failed'), message });
    change({ ...finished('failed'), message }, 1);
    return fake.log;
  }

  it('is shown once in full, line by line, without workflow commands', () => {
    const log = logOf('Traceback:\n  ::error::x\n##[group]y\nDiskFull: no space left');
    const lines = log.slice(1, -1);
    expect(lines).toEqual([
      '  Traceback:',
      expect.stringContaining('error::x'),
      expect.stringContaining('[group]y'),
      '  DiskFull: no space left',
    ]);
    expect(lines.join('\n')).not.toMatch(/^\s*::|##\[/m);
    expect(log.at(-1)).toMatch(/→ failed: Traceback: .* DiskFull: no space left$/);
  });

  it('is shown below the status even if it has only one line', () => {
    const text = `Load failed: ${'x'.repeat(2_000)}`;
    expect(logOf(text)).toEqual([
      '[0s] Orders: running → failed. Message from the service:',
      `  ${text}`,
      expect.stringContaining('→ failed: Load failed: x'),
    ]);
  });

  it('is shown in full for at most 20 runs', () => {
    const { change, fake } = aReport(manyRuns(25, {}));
    for (let nth = 0; nth < 25; nth += 1) change({ ...finished('failed'), message: `line\n${nth}` }, nth);
    expect(fake.log.filter((line) => line.endsWith('Message from the service:'))).toHaveLength(20);
  });

  it.each([
    [200, '  frame 120'],
    [500, '  … lines omitted …'],
  ])('has at most 200 lines of %i, and loses only its middle', (count, middle) => {
    const frames = Array.from({ length: count }, (_, nth) => `frame ${nth}`);
    const lines = logOf(frames.join('\n')).slice(1, -1);
    expect([lines.length, lines[0], lines[120], lines.at(-1)]).toEqual([
      200,
      '  frame 0',
      middle,
      `  frame ${count - 1}`,
    ]);
  });
});
