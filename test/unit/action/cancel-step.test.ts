// The cancel action, which cancels runs by id and succeeds only if it saw a final status for each one.
import { describe, expect, it } from 'vitest';
import { inTurn, statusIs } from '../../../sandbox/faults.ts';
import { createWorld, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { existingRun, resultsOf, runsOf, sentBy, shownBy } from '../../support/steps.ts';
import { type FakeOptions, fakeWorld } from '../../support/world.ts';

const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';

/** Starts the action with the ids of existing runs, one per pipeline, followed by `ids`. */
function start(pipelines: readonly string[], options: FakeOptions & { readonly ids?: readonly string[] } = {}) {
  const service = createWorld();
  const ids = [...pipelines.map((name) => existingRun(name, 120_000, service).id), ...(options.ids ?? [])];
  const fake = fakeWorld({ service, ...options, inputs: { 'job-id': ids.join('\n'), ...options.inputs } });
  fake.start('cancel');
  return { fake, ids };
}

describe('the cancel action', () => {
  it('cancels each run, masks the key and the token, and obeys the rules of the API', async () => {
    const { fake } = start(['endless', 'endless']);
    expect(await fake.ended()).toBe(0);
    expect(runsOf(fake)).toBe('cancelled cancelled');
    expect(sentBy(fake, 'cancel').length).toBe(2);
    expect(fake.outputs).toEqual({ 'job-status': 'cancelled', results: expect.any(String) });
    expect(resultsOf(fake).map((each) => each['job-status'])).toEqual(['cancelled', 'cancelled']);
    expect(fake.annotations).toEqual([]);
    expect(fake.masked).toEqual(expect.arrayContaining([SANDBOX_KEY, expect.stringMatching(/^at_/)]));
    expect(fake.service.violations).toEqual([]);
  });

  it('succeeds and reports the final statuses if the runs had already finished', async () => {
    const { fake } = start(['broken', 'orders', 'customers']);
    expect(await fake.ended()).toBe(0);
    expect(resultsOf(fake).map((each) => each['job-status'])).toEqual([
      'failed',
      'completed',
      'completed_with_warning',
    ]);
    expect(fake.outputs['job-status']).toBe('failed');
    expect(fake.annotations).toEqual([]);
    expect(fake.log.join()).not.toContain('Could not cancel');
  });

  it('keeps trying if its runner dies just before the time after a signal is up', async () => {
    const { fake } = start(['endless'], { faults: [{ call: 'cancel', forMs: 20_000, what: 'http_503' }] });
    fake.at(1_500, () => fake.signal('SIGINT'));
    fake.at(10_350, () => fake.orphan());
    await fake.ended();
    expect(runsOf(fake)).toBe('cancelled');
  });

  it('does not say that a run does not exist if it had no time to look three times', async () => {
    const faults = [{ call: ['cancel', 'read'], what: 'empty' }] as const;
    const { fake, ids } = start(['endless'], { faults });
    fake.at(1_500, () => fake.signal('SIGINT'));
    expect(await fake.ended()).toBe(1);
    expect(shownBy(fake)).toContain(`un ${ids[0]} may still be running. Could not confirm its cancellation`);
    expect(shownBy(fake)).not.toMatch(/no run with this id|could not record/);
  });

  it('does not log a failed cancel of a run that had finished while another is still being cancelled', async () => {
    const { fake } = start(['orders', 'endless'], {
      faults: [{ call: 'cancel', about: 'endless', times: 1, what: 'silent' }],
    });
    expect(await fake.ended()).toBe(0);
    expect(fake.log.join()).not.toContain('Could not cancel');
  });

  it('gives up only after three reads in a row without the run', async () => {
    const faults = inTurn('read', ['empty', 'empty', statusIs('running'), 'empty']);
    const { fake } = start(['endless'], { faults: [...faults, { call: 'cancel', forMs: 40_000, what: 'empty' }] });
    expect(await fake.ended()).toBe(0);
    expect(sentBy(fake, 'read').length).toBeGreaterThanOrEqual(4);
    expect(runsOf(fake)).toBe('cancelled');
  });

  it('gives up on an unknown id after 15 s to 30 s and fails, but still cancels the other runs', async () => {
    const { fake } = start(['endless'], { ids: [UNKNOWN_ID] });
    expect(await fake.ended()).toBe(1);
    const reads = sentBy(fake, 'read').map(({ at }) => at);
    expect(reads).toHaveLength(3);
    expect((reads[1] ?? Infinity) - (reads[0] ?? 0)).toBeLessThan(5_000);
    expect((reads[2] ?? 0) - (reads[0] ?? 0)).toBeGreaterThanOrEqual(15_000);
    expect(fake.clock.now()).toBeLessThan(30_000);
    expect(resultsOf(fake).map((each) => each['job-status'])).toEqual(['cancelled', 'unknown']);
    expect(shownBy(fake)).toContain(`error [run-pipeline/cancel: ${UNKNOWN_ID}]`);
    expect(shownBy(fake)).toContain(
      `Could not cancel run ${UNKNOWN_ID}: this API key's workspace has no run with this id.\nCheck that the id is correct`,
    );
    expect(shownBy(fake)).toContain('Could not confirm the cancellation: ');
  });

  it('reports that an id is unknown even if a cancel of it hangs', async () => {
    const { fake } = start(['endless'], {
      ids: [UNKNOWN_ID],
      faults: [
        // The step continues after it has given up on the unknown id.
        { call: 'cancel', about: 'endless', fromMs: 0, forMs: 60_000, what: 'refused' },
        { call: 'cancel', fromMs: 5_000, forMs: 5_000, what: 'silent' },
      ],
    });
    expect(await fake.ended()).toBe(1);
    expect(shownBy(fake)).toContain(
      `Could not cancel run ${UNKNOWN_ID}: this API key's workspace has no run with this id.`,
    );
  });

  it('waits as long if the second read takes so long that another try begins', async () => {
    const { fake } = start([], {
      ids: [UNKNOWN_ID],
      faults: [{ call: 'read', from: 2, times: 1, what: 'slow', ms: 12_000 }],
    });
    expect(await fake.ended()).toBe(1);
    const reads = sentBy(fake, 'read').map(({ at }) => at);
    expect((reads[2] ?? 0) - (reads[0] ?? 0)).toBeGreaterThanOrEqual(15_000);
  });

  it('says that a run does not exist although each cancel is slow', async () => {
    const { fake } = start([], { ids: [UNKNOWN_ID], faults: [{ call: 'cancel', what: 'slow', ms: 6_000 }] });
    expect(await fake.ended()).toBe(1);
    expect(sentBy(fake, 'read').length).toBe(3);
    expect(shownBy(fake)).toContain(
      `Could not cancel run ${UNKNOWN_ID}: this API key's workspace has no run with this id.`,
    );
  });

  it.each(['', '\n  \n'])('succeeds with a notice and sends no requests if job-id is %j', async (text) => {
    const { fake } = start([], { inputs: { 'job-id': text } });
    expect(await fake.ended()).toBe(0);
    expect(fake.requests).toEqual([]);
    expect(fake.outputs).toEqual({ results: '[]' });
    const message = 'Input job-id is empty, so nothing was cancelled.';
    expect(fake.annotations).toEqual([{ level: 'notice', title: 'run-pipeline/cancel', message }]);
  });

  it.each([
    { 'job-id': 'latest' },
    { 'api-key': '' },
    { 'api-key': 'eyJhbGciOiJIUzI1NiJ9.e30.x' },
    { 'base-url': 'http://app.example.test' },
  ])('fails and sends no requests, but masks the key, with the input %j', async (inputs) => {
    const { fake } = start(['endless'], { inputs });
    expect(await fake.ended()).toBe(1);
    expect(fake.requests).toEqual([]);
    expect(fake.outputs).toEqual({ results: '[]' });
    const message: unknown = expect.stringMatching(/^Input /);
    expect(fake.annotations).toEqual([{ level: 'error', title: 'run-pipeline/cancel', message }]);
    expect(fake.masked).toEqual([inputs['api-key'] ?? SANDBOX_KEY].filter((key) => key !== ''));
  });

  it('does not mention status checks before it has made one', async () => {
    const { fake } = start(['endless'], {
      faults: [
        { call: 'cancel', times: 1, what: 'empty' },
        { call: 'read', times: 1, what: 'silent' },
      ],
    });
    expect(await fake.ended()).toBe(0);
    const failures = fake.log.filter((line) => line.includes('Could not'));
    expect(failures).toEqual([
      expect.stringMatching(/^Run \S+: Could not cancel the run: the service reported no change\.$/),
    ]);
  });

  it('retries for three minutes during an outage, logs each failure once, then reports the cause and fails', async () => {
    const { fake } = start(['endless'], { faults: [{ call: ['cancel', 'read'], what: 'http_503' }] });
    expect(await fake.ended()).toBe(1);
    expect(fake.clock.now()).toBeGreaterThan(150_000);
    expect(fake.clock.now()).toBeLessThan(185_000);
    expect(fake.outputs['job-status']).toBe('unknown');
    expect(shownBy(fake)).toMatch(/error \[.*may still be running.*\s.*HTTP 503/);
    const failures = fake.log.map((line) => /Could not (.*) "try again later"/.exec(line)?.[1]);
    expect(failures).toEqual(['cancel the run: HTTP 503', "read the run's status: HTTP 503"]);
    // This action has no post step.
    expect(shownBy(fake)).not.toContain('post step');
    expect(runsOf(fake)).toBe('running');
  });

  it('gives up if the service keeps rejecting the key, and says so', async () => {
    const { fake } = start(['endless'], { inputs: { 'api-key': 'ak_revoked_key' } });
    expect(await fake.ended()).toBe(1);
    expect(fake.clock.now()).toBeLessThan(120_000);
    expect(shownBy(fake)).toContain('API key is wrong or was revoked');
  });

  it('writes its outputs within 6.5 s of a signal and exits before the runner kills it', async () => {
    const { fake } = start(['endless', 'endless'], { faults: [{ call: 'cancel', from: 2, what: 'unreachable' }] });
    fake.at(1_000, () => fake.signal('SIGINT'));
    fake.at(7_510, () => expect(resultsOf(fake).map((each) => each['job-status'])).toEqual(['cancelled', 'running']));
    expect(await fake.ended()).toBe(1);
    expect(fake.clock.now()).toBeLessThan(11_000);
  });

  it('shows a long message once in full', async () => {
    const message = `${'frame\r\n'.repeat(300)}::error::x\rpsycopg.errors.DiskFull: No space left on device`;
    const { fake } = start(['endless', 'endless'], { faults: [{ call: 'cancel', what: statusIs('failed', message) }] });
    expect(await fake.ended()).toBe(0);
    expect(fake.log.filter((line) => line.startsWith('  '))).toHaveLength(200);
    expect(fake.log.filter((line) => line.includes('DiskFull'))).toHaveLength(3);
    expect(shownBy(fake)).not.toMatch(/^\s*::/m);
  });

  it('names an unknown status', async () => {
    const { fake } = start(['endless'], {
      faults: [
        { call: 'cancel', what: 'empty' },
        { call: 'read', what: statusIs('Stopping') },
      ],
    });
    expect(await fake.ended()).toBe(1);
    expect(fake.outputs['job-status']).toBe('Stopping');
    expect(shownBy(fake)).toContain('does not recognize the status "Stopping". Update the action.');
  });

  it('fails if its outputs cannot be written', async () => {
    const { fake } = start(['endless']);
    fake.files.refuse(fake.world.env['GITHUB_OUTPUT'] ?? '');
    expect(await fake.ended()).toBe(1);
    expect(fake.annotations).toEqual([
      { level: 'error', title: 'run-pipeline/cancel', message: expect.stringContaining('ENOSPC') },
    ]);
  });

  it('reports an internal error and writes the results that it has', async () => {
    const { fake, ids } = start(['endless'], { faults: [{ what: 'unreachable' }] });
    fake.at(100, () => fake.fail(new Error('out of luck')));
    expect(await fake.ended()).toBe(1);
    expect(shownBy(fake)).toMatch(/^error .*Internal error in this action: out of luck.*not cancelled/);
    expect(resultsOf(fake).map((each) => each['job-id'])).toEqual(ids);
  });

  it('reports an internal error that occurs before it has read its inputs', async () => {
    const onEffect = (effect: string): void => {
      if (effect === 'mask') throw new Error('bug');
    };
    const { fake } = start(['endless'], { onEffect });
    expect([await fake.ended(), fake.outputs]).toEqual([1, { results: '[]' }]);
  });
});
