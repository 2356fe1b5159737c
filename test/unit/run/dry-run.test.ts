// A dry run, which checks everything that can be checked without a trigger.
import { describe, expect, it } from 'vitest';
import { type CallKind, json, type What } from '../../../sandbox/faults.ts';
import { FOREIGN_PIPELINE_ID, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { callsOf, existingRun, playMain, playPost, resultOf, resultsOf, runsOf, shownBy } from '../../support/steps.ts';

const DRY = { 'dry-run': 'true' };
const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';

describe('a dry run', () => {
  it('triggers nothing, says so, and leaves nothing for the post step', async () => {
    const main = await playMain({ inputs: { pipeline: 'orders\nbroken', 'max-parallel': '1', ...DRY } });
    expect(await resultOf(main)).toBe('exit 0: dry_run (not_queued)');
    expect(callsOf(main)).toBe('exchange list');
    expect(shownBy(main)).toMatch(/^notice .*Dry run: the step did not trigger any runs/);
    expect(shownBy(main)).toMatch(/The step would trigger a run of Orders/);
    expect(callsOf(await playPost(main, { inputs: { 'internal-job-status': 'cancelled' } }))).toBe('');
  });

  it.each([
    ['orders', 20_000, true, /would wait for run/],
    ['orders', 20_000, false, /Instead of triggering a run, the step would wait for run/],
    ['orders', 600_000, false, /completed, so the step would succeed without triggering a run/],
    ['broken', 600_000, false, /Run \S+ failed, so the step would trigger a run of Broken/],
  ])(
    'reads an existing run of %s that is %i ms old (without pipeline: %s) once',
    async (pipeline, agoMs, isAlone, words) => {
      const { service, id } = existingRun(pipeline, agoMs);
      const main = await playMain({ service, inputs: { pipeline: isAlone ? '' : pipeline, 'job-id': id, ...DRY } });
      expect(await resultOf(main)).toMatch(/^exit 0: dry_run/);
      expect(callsOf(main)).toBe(isAlone ? 'exchange read' : 'exchange list read');
      expect(shownBy(main)).toMatch(words);
      expect(shownBy(main)).not.toContain('is queued');
    },
  );

  it('that fails names only the problems in its log and its message, and is marked as a failure in the summary', async () => {
    const main = await playMain({ inputs: { pipeline: 'orders\nbroken\nslwo', ...DRY } });
    expect(main.outputs['message']).toMatch(/^The dry run failed\. .*"slwo".* Did you mean "slow"\?$/);
    expect(main.summary).toMatch(/^### ❌ Dry run failed$/m);
    expect(shownBy(main)).not.toContain('another entry');
    const another = await playMain({ inputs: { pipeline: 'orders\nbroken\nslwo\nendles', ...DRY } });
    expect(another.outputs['message']).toBe('The dry run failed because of problems with slwo and endles.');
    expect(shownBy(another)).not.toContain('another entry');
  });

  it('waits as long as the service asks before it reads an existing run again', async () => {
    const { service, id } = existingRun('orders', 20_000);
    const busy = json({ message: 'busy' }, 429, { 'retry-after': '50' });
    const faults = [{ call: 'read', times: 1, what: busy }] as const;
    const main = await playMain({ service, inputs: { 'job-id': id, pipeline: '', ...DRY }, faults });
    expect(await resultOf(main)).toMatch(/^exit 0/);
    expect(Math.floor(main.clock.now() / 1_000)).toBe(50);
  });

  it('that times out during an outage says why it could not read an existing run', async () => {
    const { service, id } = existingRun('orders', 20_000);
    const faults = [{ call: 'read', what: 'http_503' }] as const;
    const main = await playMain({ service, inputs: { 'job-id': id, pipeline: '', timeout: '1m', ...DRY }, faults });
    expect(shownBy(main)).toMatch(/Step timed out after 1m: .* When the timeout expired, .*HTTP 503/);
    expect(shownBy(main)).not.toContain('longer timeout');
  });

  it('that is killed says nothing about an existing run that it has read', async () => {
    const { service, id } = existingRun('broken', 600_000);
    const other = existingRun('broken', 600_000, service).id;
    const main = await playMain(
      {
        service,
        inputs: { pipeline: '', 'job-id': `${id}\n${other}`, ...DRY },
        faults: [{ call: 'read', from: 2, what: 'silent' }],
      },
      (it) => it.at(10_000, () => it.kill()),
    );
    expect(main.log.join()).not.toContain('failed');
    expect(shownBy(await playPost(main))).toBe('');
  });

  it('that times out names the problem of each existing run', async () => {
    const { service, id } = existingRun('endless');
    const main = await playMain({
      service,
      inputs: { pipeline: '', 'job-id': `${UNKNOWN_ID}\n${id}`, 'max-parallel': '2', timeout: '40s', ...DRY },
      faults: [{ call: 'read', about: 'endless', what: 'http_503' }],
    });
    const [unknown, known] = resultsOf(main).map(({ message }) => message);
    expect(unknown).toContain('no run with this id');
    expect(known).toMatch(/could not read .*HTTP 503/);
  });

  it.each([
    [
      'a nonexistent run',
      { pipeline: '', 'job-id': UNKNOWN_ID },
      'unknown',
      /Could not read run 11111111-\S+: .*no run with this id/,
    ],
    [
      'a UUID that is missing from the list',
      { pipeline: FOREIGN_PIPELINE_ID },
      'not_queued',
      /none of the workspace's 12 pipelines/,
    ],
    ['the same pipeline twice', { pipeline: `orders\n${PIPELINE_IDS.orders}` }, 'not_queued', /are the same pipeline/],
  ])('fails for %s', async (_, inputs, status, words) => {
    const main = await playMain({ inputs: { ...inputs, ...DRY } });
    expect(await resultOf(main)).toBe(`exit 1: not_triggered (${status})`);
    expect(shownBy(main)).toMatch(words);
    expect(shownBy(main)).not.toContain('credits');
  });

  it.each<[string, CallKind, What, RegExp]>([
    ['the key is rejected', 'exchange', 'key_rejected', /HTTP 401/],
    ['the list cannot be read', 'list', 'http_503', /HTTP 503/],
    ['the run cannot be read', 'read', 'http_403', /HTTP 403/],
  ])('fails if %s', async (_, call, what, words) => {
    const { service, id } = existingRun('orders');
    const main = await playMain({ service, inputs: { 'job-id': id, ...DRY }, faults: [{ call, what }] });
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(shownBy(main)).toMatch(words);
  });

  it('fails after a signal and does not cancel an existing run', async () => {
    const { service, id } = existingRun('endless');
    const main = await playMain(
      { service, inputs: { pipeline: '', 'job-id': id, ...DRY }, faults: [{ call: 'read', times: 1, what: 'silent' }] },
      (it) => it.at(100, () => it.signal('SIGINT')),
    );
    expect(await resultOf(main)).toBe('exit 1: cancelled (unknown)');
    expect(runsOf(main)).toBe('running');
  });

  it('that a signal ends says which of several runs it did not check', async () => {
    const { service, id } = existingRun('endless');
    const other = existingRun('endless', 0, service).id;
    const main = await playMain(
      {
        service,
        inputs: { pipeline: '', 'job-id': `${id}\n${other}`, ...DRY },
        faults: [{ call: 'read', from: 2, what: 'silent' }],
      },
      (it) => it.at(1_000, () => it.signal('SIGINT')),
    );
    expect(main.outputs['message']).toMatch(/^1 of 2 entries passed the dry run; 1 not checked \(\S+\)\.$/);
    expect(shownBy(main)).toMatch(/Step interrupted \(SIGINT\): the step did not check the status of run/);
    expect(main.summary).toContain('🛑 Dry run stopped');
  });

  it('that a signal ends before it has found the pipeline does not say what the step would do', async () => {
    const main = await playMain({ inputs: DRY, faults: [{ call: 'list', times: 1, what: 'silent' }] }, (it) =>
      it.at(100, () => it.signal('SIGINT')),
    );
    expect(await resultOf(main)).toBe('exit 1: cancelled (not_queued)');
    expect(shownBy(main)).not.toContain('The step would');
  });
});
