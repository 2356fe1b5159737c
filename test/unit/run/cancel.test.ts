// Tests the cancel action, which cancels runs by id and succeeds only if it has seen all of them finish.
import { describe, expect } from 'vitest';
import { FAILED, jobNumber, rowOf, type ServiceScript } from '../../support/fake-service.ts';
import { each, matching, saying, scenarios } from '../../support/scenarios.ts';
import { API_KEY } from '../../support/service.ts';
import { STEP_FILES } from '../../support/step.ts';

const [A, B, C] = [jobNumber(901), jobNumber(902), jobNumber(903)];
const both: ServiceScript = { existing: { [A]: 'running', [B]: 'running' } };
const ONLY_RESULTS: unknown = expect.toSatisfy((all: object) => JSON.stringify(all) === '{"results":"[]"}');

const IDS = Array.from({ length: 300 }, (_, index) => jobNumber(index + 1));
const MANY = Object.fromEntries(IDS.map((id) => [id, 'running']));

/** Matches any time in this range, in milliseconds. */
const between = (from: number, to: number): unknown => expect.toSatisfy((ms: number) => ms >= from && ms <= to);

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
      'succeeds and reports the statuses of runs that have already finished': [
        { inputs: { 'job-id': `${A}\n${B}` }, service: { existing: { [A]: 'failed', [B]: 'completed' } } },
        { exitCode: 0, statuses: 'failed completed', outputs: { 'job-status': 'failed' } },
      ],
      'gives up on an unknown id within seconds and fails, but still cancels the other runs': [
        { inputs: { 'job-id': `${A}\n${C}` } },
        {
          exitCode: 1,
          statuses: 'cancelled unknown',
          lines: [saying('Retrying'), saying('Retrying'), saying('was cancelled')],
          endedAtMs: between(0, 5_000),
          annotations: [{ level: 'error', title: `run-pipeline/cancel: ${C}`, message: saying('workspace') }],
        },
      ],
      'does not give up on a run after only two reads that do not find it': [
        {
          service: {
            cancel: (nth) => (nth < 3 ? { kind: 'unchanged' } : undefined),
            read: (nth) => (nth < 3 ? FAILED.missing : undefined),
          },
        },
        { exitCode: 0, statuses: 'cancelled' },
      ],
      ...each(['', '\n  \n'], (ids) => [
        `succeeds with a notice, and sends no requests, if job-id is ${JSON.stringify(ids)}`,
        { inputs: { 'job-id': ids } },
        { exitCode: 0, calls: '', levels: 'notice', outputs: ONLY_RESULTS },
      ]),
      'cancels a run only once if its id appears twice': [
        { inputs: { 'job-id': `${A}\n${A.toUpperCase()}` } },
        { exitCode: 0, calls: 'cancel', statuses: 'cancelled' },
      ],
      ...each(
        [
          { 'job-id': 'latest' },
          { 'api-key': '' },
          { 'api-key': 'eyJhbGciOiJIUzI1NiJ9.e30.x' },
          { 'base-url': 'http://app.example.test' },
        ],
        (inputs) => [
          `fails, and sends no requests, with the input ${JSON.stringify(inputs)}`,
          { inputs },
          { exitCode: 1, calls: '', opened: [], levels: 'error', outputs: ONLY_RESULTS },
        ],
      ),
      'survives an outage, and logs each failure': [
        { service: { cancel: (nth) => (nth < 5 ? FAILED.perhaps : undefined) } },
        { exitCode: 0, statuses: 'cancelled', log: matching(/(?:Retrying\..*?){4}/s) },
      ],
      'cancels at most fifty runs at once': [
        { inputs: { 'job-id': IDS.join('\n') }, service: { existing: MANY, callMs: 100 } },
        { exitCode: 0, calls: 'cancel×300', endedAtMs: 600 },
      ],
      'ends within 6.5 s of an interruption, and writes its outputs': [
        {
          inputs: { 'job-id': IDS.join('\n') },
          service: { existing: MANY, cancel: (_nth, id) => (id < jobNumber(251) ? undefined : 'stalls') },
          interruptAtMs: 1_000,
        },
        { exitCode: 1, endedAtMs: between(1_000, 7_500), statuses: matching(/^cancelled .*unknown$/) },
      ],
      'retries for up to three minutes while the service fails, and then fails with the cause': [
        { service: { cancel: () => FAILED.perhaps } },
        {
          exitCode: 1,
          statuses: 'unknown',
          endedAtMs: between(150_000, 180_000),
          calls: matching(/^cancel×[123]\d$/),
          // The cancel action has no post step, so its message must not mention one.
          annotations: [{ level: 'error', message: matching(/^(?!.*post step).*HTTP 503/s) }],
        },
      ],
      'prints text from the service as plain text': [
        { service: { cancel: () => rowOf(A, 'cancelled', '\r\n::error::x\u202e') } },
        { statuses: 'cancelled', log: expect.not.stringMatching(/[\r\u202e]|^\s*::/m) as string },
      ],
      'fails if it cannot write its outputs': [
        { full: [STEP_FILES.output] },
        { exitCode: 1, annotations: [{ level: 'error', message: saying('ENOSPC') }] },
      ],
    },
    { entry: 'cancel', inputs: { 'job-id': A }, service: both },
  );
});
