// The cancel action, which cancels runs by id and succeeds only if it saw a final status for each of them.
import { describe, expect, it } from 'vitest';
import { createWorld, SANDBOX_KEY, stateAt } from '../../../sandbox/model/index.ts';
import { queueRun } from '../../../sandbox/model/job.ts';
import { cancelStep } from '../../../src/action/cancel-step.ts';
import { runProcess } from '../../../src/action/process.ts';
import { listenForInterruption } from '../../../src/action/signals.ts';
import { type FakeOptions, type FakeWorld, fakeWorld } from '../../support/world.ts';

const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';
const UNAVAILABLE = { status: 503, text: '{"message":"try again later"}' };
const NO_ROWS = { status: 200, headers: { 'content-type': 'application/json' }, text: '[]' };

/** Starts the action for existing runs, one of each of these pipelines, and for more ids. */
function start(pipelines: readonly string[], options: FakeOptions & { readonly ids?: readonly string[] } = {}) {
  const service = createWorld();
  const runs = pipelines.map((name) => {
    const pipeline = service.pipelines.find(({ apiName }) => apiName === name);
    if (pipeline === undefined) throw new Error(`The sandbox has no pipeline ${name}.`);
    const flags = { p_job_type: 'pipeline_run', p_full_resync: false, p_reset_target: false };
    return queueRun(service, pipeline, { p_pipeline_id: pipeline.id, ...flags }, -120_000);
  });
  const ids = [...runs.map(({ id }) => id), ...(options.ids ?? [])];
  const fake = fakeWorld({ service, ...options, inputs: { 'job-id': ids.join('\n'), ...options.inputs } });
  const interruption = listenForInterruption(fake.world);
  runProcess(fake.world, cancelStep(fake.world, interruption), interruption, 1);
  return { fake, runs, ids };
}

const callsOf = ({ requests }: FakeWorld, call: string): number => requests.filter((each) => each.call === call).length;
const results = ({ outputs }: FakeWorld) => JSON.parse(outputs['results'] ?? '') as readonly Record<string, string>[];
const shown = ({ annotations, log }: FakeWorld): string =>
  [...annotations.map(({ level, title, message }) => `${level} [${title}] ${message}`), ...log].join('\n');

describe('the cancel action', () => {
  it('cancels each run, masks the key and the token, and obeys the rules of the service', async () => {
    const { fake, runs } = start(['endless', 'endless']);
    expect(await fake.ended()).toBe(0);
    expect(runs.map((run) => stateAt(run, fake.clock.now())?.status)).toEqual(['cancelled', 'cancelled']);
    expect(callsOf(fake, 'cancel')).toBe(2);
    expect(fake.outputs['job-status']).toBe('cancelled');
    expect(results(fake).map((each) => each['job-status'])).toEqual(['cancelled', 'cancelled']);
    expect(fake.annotations).toEqual([]);
    expect(fake.masked).toEqual(expect.arrayContaining([SANDBOX_KEY, expect.stringMatching(/^at_/)]));
    expect(fake.service.violations).toEqual([]);
  });

  it('succeeds if the runs had already finished, and reports their statuses', async () => {
    const { fake } = start(['broken', 'orders', 'customers']);
    expect(await fake.ended()).toBe(0);
    expect(results(fake).map((each) => each['job-status'])).toEqual(['failed', 'completed', 'completed_with_warning']);
    expect(fake.outputs['job-status']).toBe('failed');
    expect(fake.annotations).toEqual([]);
  });

  it('gives up on an unknown id within seconds and fails, but still cancels the other runs', async () => {
    const { fake } = start(['endless'], { ids: [UNKNOWN_ID] });
    expect(await fake.ended()).toBe(1);
    expect(fake.clock.now()).toBeLessThan(10_000);
    expect(results(fake).map((each) => each['job-status'])).toEqual(['cancelled', 'unknown']);
    expect(shown(fake)).toContain(`error [run-pipeline/cancel: ${UNKNOWN_ID}]`);
    expect(shown(fake)).toMatch(/no run with this id.*\s.*Check the id/);
  });

  it('does not give up on a run that only two reads do not find', async () => {
    const { fake } = start(['endless'], {
      network: ({ call, nth }) => (['cancel', 'read'].includes(call) && nth < 3 ? NO_ROWS : 'service'),
    });
    expect(await fake.ended()).toBe(0);
    expect(fake.outputs['job-status']).toBe('cancelled');
  });

  it.each(['', '\n  \n'])('succeeds with a notice and sends no request if job-id is %j', async (text) => {
    const { fake } = start([], { inputs: { 'job-id': text } });
    expect(await fake.ended()).toBe(0);
    expect(fake.requests).toEqual([]);
    expect(fake.outputs).toEqual({ results: '[]' });
    expect(fake.annotations.map(({ level }) => level)).toEqual(['notice']);
  });

  it.each([
    { 'job-id': 'latest' },
    { 'api-key': '' },
    { 'api-key': 'eyJhbGciOiJIUzI1NiJ9.e30.x' },
    { 'base-url': 'http://app.example.test' },
  ])('fails and sends no request with the input %j', async (inputs) => {
    const { fake } = start(['endless'], { inputs });
    expect(await fake.ended()).toBe(1);
    expect(fake.requests).toEqual([]);
    expect(fake.outputs).toEqual({ results: '[]' });
    expect(fake.annotations).toEqual([expect.objectContaining({ level: 'error', title: 'run-pipeline/cancel' })]);
  });

  it('survives an outage, and logs its cause', async () => {
    const { fake } = start(['endless'], {
      network: ({ call, nth }) => (call === 'cancel' && nth < 5 ? UNAVAILABLE : 'service'),
    });
    expect(await fake.ended()).toBe(0);
    expect(fake.log.join('\n')).toContain('HTTP 503');
  });

  it('sees a cancellation whose response was lost', async () => {
    const { fake } = start(['endless'], { network: ({ call }) => (call === 'cancel' ? 'lost' : 'service') });
    expect(await fake.ended()).toBe(0);
    expect(fake.outputs['job-status']).toBe('cancelled');
  });

  it('retries for three minutes while the service fails, and then fails with the cause', async () => {
    const { fake, runs } = start(['endless'], {
      network: ({ call }) => (call === 'cancel' || call === 'read' ? UNAVAILABLE : 'service'),
    });
    expect(await fake.ended()).toBe(1);
    expect(fake.clock.now()).toBeGreaterThan(150_000);
    expect(fake.clock.now()).toBeLessThan(185_000);
    expect(fake.outputs['job-status']).toBe('unknown');
    expect(shown(fake)).toMatch(/error \[.*may still be in progress.*\s.*HTTP 503/);
    // This action has no post step.
    expect(shown(fake)).not.toContain('post step');
    expect(stateAt(runs[0] ?? expect.fail(), fake.clock.now())?.status).toBe('running');
  });

  it('stops if the key stays rejected, and says so', async () => {
    const { fake } = start(['endless'], { inputs: { 'api-key': 'ak_revoked_key' } });
    expect(await fake.ended()).toBe(1);
    expect(fake.clock.now()).toBeLessThan(120_000);
    expect(shown(fake)).toContain('API key is wrong or revoked');
  });

  it('writes its outputs within 6.5 s of a signal, and ends before the runner kills it', async () => {
    const { fake } = start(['endless', 'endless'], {
      network: ({ call, nth }) => (call === 'cancel' && nth > 1 ? 'unreachable' : 'service'),
    });
    fake.at(1_000, () => fake.signal('SIGINT'));
    fake.at(7_510, () => expect(results(fake).map((each) => each['job-status'])).toEqual(['cancelled', 'running']));
    expect(await fake.ended()).toBe(1);
    expect(fake.clock.now()).toBeLessThan(11_000);
  });

  it('shows text of the service as plain text', async () => {
    const text = JSON.stringify([{ job_status: 'cancelled', status_message: '\r\n::error::x\u202e' }]);
    const { fake } = start(['endless'], {
      network: ({ call, url }) => {
        const id = url.searchParams.get('id')?.replace('eq.', '');
        return call === 'cancel' ? { status: 200, text: text.replace('{', `{"id":"${id}",`) } : 'service';
      },
    });
    expect(await fake.ended()).toBe(0);
    expect(shown(fake)).not.toMatch(/[\r\u202e]|^\s*::/m);
  });

  it('fails if its outputs cannot be written', async () => {
    const { fake } = start(['endless']);
    fake.files.refuse(fake.world.env['GITHUB_OUTPUT'] ?? '');
    expect(await fake.ended()).toBe(1);
    expect(fake.annotations).toEqual([
      { level: 'error', title: 'run-pipeline/cancel', message: expect.stringContaining('ENOSPC') },
    ]);
  });

  it('mentions once that GITHUB_OUTPUT is not set, and succeeds', async () => {
    const { fake } = start(['endless'], { env: { GITHUB_OUTPUT: undefined } });
    expect(await fake.ended()).toBe(0);
    expect(fake.log.filter((line) => line.includes('GITHUB_OUTPUT'))).toHaveLength(1);
    expect(shown(fake)).not.toContain('::set-output');
  });

  it('reports an internal error, and writes what it knows', async () => {
    const { fake, ids } = start(['endless'], { network: () => 'unreachable' });
    fake.at(100, () => fake.throwUncaught(new Error('out of luck')));
    expect(await fake.ended()).toBe(1);
    expect(shown(fake)).toMatch(/Internal error in this action: out of luck.*not cancelled/);
    expect(results(fake).map((each) => each['job-id'])).toEqual(ids);
  });

  it('cancels 300 runs with few requests at a time', async () => {
    const { fake } = start(Array.from({ length: 300 }, () => 'endless'));
    expect(await fake.ended()).toBe(0);
    expect(callsOf(fake, 'cancel')).toBe(300);
    expect(fake.service.violations).toEqual([]);
  });

  it('masks the password of a proxy before its first request, raw and decoded', async () => {
    const proxies = { https_proxy: 'http://user:p%40ssword@proxy.test', HTTP_PROXY: 'http://u:Other1@proxy.test' };
    const effects: string[] = [];
    const { fake } = start(['endless'], { env: proxies, onEffect: (effect) => effects.push(effect) });
    expect(await fake.ended()).toBe(0);
    const before = effects.slice(0, effects.indexOf('request exchange')).filter((effect) => effect === 'mask').length;
    const masked = fake.masked.slice(0, before);
    expect(masked).toEqual(expect.arrayContaining([SANDBOX_KEY, 'p%40ssword', 'p@ssword', 'Other1']));
  });

  it('sends nothing after a kill', async () => {
    const { fake } = start(['endless'], { network: ({ call }) => (call === 'exchange' ? 'service' : UNAVAILABLE) });
    fake.at(5_000, () => fake.kill());
    expect(await fake.ended()).toBeUndefined();
    const sent = fake.requests.length;
    await fake.clock.advance(60_000);
    expect(fake.requests.length).toBe(sent);
    expect(fake.outputs).toEqual({});
  });
});
