// Tests the cancel action, which cancels runs by id and succeeds only if it has seen all of them finish.
import { describe, expect, it } from 'vitest';
import { FAILED, jobNumber, type Life, type ServiceScript } from '../../support/fake-service.ts';
import { matching, rows, type Scenario, saying, scenarios } from '../../support/scenarios.ts';
import { API_KEY } from '../../support/service.ts';
import { playStep, STEP_FILES } from '../../support/step.ts';

const [A, B, C] = [jobNumber(901), jobNumber(902), jobNumber(903)];
const RUNNING: Life = [[0, 'running']];
const both: ServiceScript = { existing: { [A]: RUNNING, [B]: RUNNING } };
const missing = { kind: 'missing' } as const;

/** Creates this many runs in progress. */
function many(count: number): { readonly 'job-id': string; readonly existing: NonNullable<ServiceScript['existing']> } {
  const ids = Array.from({ length: count }, (_, index) => jobNumber(index + 1));
  return { 'job-id': ids.join('\n'), existing: Object.fromEntries(ids.map((id) => [id, RUNNING])) };
}

describe('the cancel action', () => {
  scenarios(
    {
      'cancels each run, and masks the key': [
        { inputs: { 'job-id': `${A}\n${B}` } },
        {
          exitCode: 0,
          calls: 'cancel×2',
          statuses: 'cancelled cancelled',
          outputs: { 'job-status': 'cancelled' },
          levels: '',
          masked: [API_KEY],
        },
      ],
      'succeeds with the statuses of the runs if they have already finished': [
        {
          inputs: { 'job-id': `${A}\n${B}` },
          service: { existing: { [A]: [[0, 'failed']], [B]: [[0, 'completed']] } },
        },
        { exitCode: 0, statuses: 'failed completed', outputs: { 'job-status': 'failed' } },
      ],
      'gives up on an unknown id within seconds and fails, but still cancels the other runs': [
        { inputs: { 'job-id': `${A}\n${C}` } },
        {
          exitCode: 1,
          statuses: 'cancelled unknown',
          endedAtMs: expect.toSatisfy((ms: number) => ms < 5_000) as unknown,
          annotations: [{ level: 'error', title: `run-pipeline/cancel: ${C}`, message: saying('workspace') }],
        },
      ],
      'does not give up on a run after two stale reads': [
        {
          service: {
            cancel: (nth) => (nth < 3 ? { kind: 'unchanged' } : undefined),
            read: (nth) => (nth < 3 ? missing : undefined),
          },
        },
        { exitCode: 0, statuses: 'cancelled' },
      ],
      'does not give up on a run that it has seen once': [
        {
          service: {
            cancel: (nth) => (nth < 6 ? { kind: 'unchanged' } : undefined),
            read: (nth) => (nth === 2 ? undefined : missing),
          },
        },
        { exitCode: 0, statuses: 'cancelled' },
      ],
      ...rows(
        ['', '\n  \n'].map(
          (ids): Scenario => [
            `succeeds with a notice, and sends no request, if job-id is ${JSON.stringify(ids)}`,
            { inputs: { 'job-id': ids } },
            { exitCode: 0, calls: '', levels: 'notice', outputs: { results: '[]' } },
          ],
        ),
      ),
      'cancels a run only once if its id appears twice': [
        { inputs: { 'job-id': `${A}\n${A.toUpperCase()}` } },
        { exitCode: 0, calls: 'cancel', statuses: 'cancelled' },
      ],
      ...rows(
        [
          { 'job-id': 'latest' },
          { 'api-key': '' },
          { 'api-key': 'eyJhbGciOiJIUzI1NiJ9.e30.x' },
          { 'base-url': 'http://app.example.test' },
        ].map(
          (inputs): Scenario => [
            `fails, and sends nothing, with ${JSON.stringify(inputs)}`,
            { inputs },
            { exitCode: 1, calls: '', opened: [], levels: 'error', outputs: { results: '[]' } },
          ],
        ),
      ),
      'survives an outage, and logs each failure': [
        { service: { cancel: (nth) => (nth < 5 ? FAILED.perhaps : undefined) } },
        { exitCode: 0, statuses: 'cancelled', log: matching(/(?:Retrying\..*?){4}/s) },
      ],
      'cancels at most fifty runs at once': [
        { inputs: { 'job-id': many(300)['job-id'] }, service: { existing: many(300).existing, callMs: 100 } },
        { exitCode: 0, calls: 'cancel×300', endedAtMs: 600 },
      ],
      'fails if its outputs cannot be written': [
        { full: [STEP_FILES.output] },
        { exitCode: 1, annotations: [{ level: 'error', message: saying('ENOSPC') }] },
      ],
    },
    { entry: 'cancel', inputs: { 'job-id': A }, service: both },
  );

  it.each([
    ['the key is rejected', FAILED.keyRefused, 'HTTP 401'],
    ['the service fails', FAILED.perhaps, 'HTTP 503'],
  ] as const)('retries for three minutes while %s, and then fails with that cause', async (_what, failure, cause) => {
    const service = { ...both, cancel: () => failure };
    const { exitCode, endedAtMs, statuses, annotations, made } = await playStep({
      entry: 'cancel',
      inputs: { 'job-id': A },
      service,
    });
    expect([exitCode, statuses]).toEqual([1, 'unknown']);
    expect(endedAtMs).toBeGreaterThan(150_000);
    expect(endedAtMs).toBeLessThanOrEqual(180_000);
    expect(made('cancel').length).toBeLessThan(40);
    expect(annotations).toMatchObject([{ level: 'error', message: saying(cause) }]);
    // The cancel action has no post step.
    expect(annotations[0]?.message).not.toContain('post step');
  });

  it('ends within 6.5 s of an interruption, and writes its outputs', async () => {
    const { 'job-id': ids, existing } = many(300);
    const cancel = (_nth: number, id: string) => (id < jobNumber(251) ? undefined : 'stalls');
    const { exitCode, endedAtMs, statuses } = await playStep({
      entry: 'cancel',
      inputs: { 'job-id': ids },
      service: { existing, cancel },
      interruptAtMs: 1_000,
    });
    expect(exitCode).toBe(1);
    expect(endedAtMs).toBeLessThanOrEqual(7_500);
    expect(statuses).toMatch(/^cancelled .*unknown$/);
  });

  it('prints text from the service as plain text', async () => {
    const job = { id: A, status: 'cancelled', statusMessage: '\r\n::error::x\u202e' };
    const { lines } = await playStep({
      entry: 'cancel',
      inputs: { 'job-id': A },
      service: { cancel: () => ({ kind: 'job', job }) },
    });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.some((line) => /[\r\n\u202e]|^\s*::/.test(line))).toBe(false);
  });
});
