// How the main step fails before it triggers a run or after an internal error, and the lines of its debug log.
import { describe, expect, it } from 'vitest';
import { isAllSettled } from '../../../../src/action/state/all-settled.ts';
import { debugLine } from '../../../../src/action/steps/machine.ts';
import { pause } from '../../../../src/base/clock.ts';
import type { Service } from '../../../../src/service/api.ts';
import { keptToolkit } from '../../../support/action.ts';
import { ends, pipelines } from '../../../support/fake-service.ts';
import { inState } from '../../../support/post.ts';
import { matching, saying, scenarios } from '../../../support/scenarios.ts';
import { API_KEY } from '../../../support/service.ts';
import { playStep, STEP_FILES, type Stage } from '../../../support/step.ts';

const title = 'run-pipeline: nothing was triggered';
const REJECTED = { exitCode: 1, opened: [], outputs: { outcome: 'not_triggered', results: '[]' } };

describe('a step that cannot begin', () => {
  const mistakes = ['pipeline', 'timeout', 'on-cancel'];
  scenarios({
    'reports all mistakes at once and sends nothing': [
      { inputs: { pipeline: '', timeout: '45', 'on-cancel': 'stop' } },
      {
        ...REJECTED,
        annotations: mistakes.map((name) => ({ level: 'error', title, message: saying(`Input ${name} is`) })),
        outputs: { ...REJECTED.outputs, 'job-status': 'not_queued', message: matching(/\. Input timeout is/) },
      },
    ],
    'reports an invalid proxy together with invalid inputs': [
      { inputs: { timeout: '45' }, env: { HTTPS_PROXY: 'http://user:secret@proxy:99999' } },
      { ...REJECTED, annotations: [{ message: saying('HTTPS_PROXY') }, { message: saying('timeout') }] },
    ],
    'does not take the key from other environment variables': [
      { inputs: { 'api-key': '' }, env: { INPUT_API_KEY: API_KEY, API_KEY } },
      { ...REJECTED, masked: [] },
    ],
    'fails if it cannot write the outputs': [
      { inputs: { pipeline: '' }, full: [STEP_FILES.output] },
      { exitCode: 1, log: matching(/write the outputs: ENOSPC.*runner\.$/) },
    ],
  });

  it.each([
    ['the key', { inputs: { 'api-key': 'ak_Zq81 Zq82' } }, /Zq8/],
    ['the password of a proxy', { env: { HTTPS_PROXY: 'http://user:s%C3%A9cret@proxy:99999' } }, /s%C3%A9cret|sécret/],
  ])('does not reveal %s', async (_what, options, secret) => {
    const { exitCode, annotations, log, debugged, masked, files } = await playStep(options);
    expect(exitCode).toBe(1);
    expect(JSON.stringify([annotations, log, debugged, files.text(STEP_FILES.output)])).not.toMatch(secret);
    if ('inputs' in options) expect(masked).toEqual(['ak_Zq81 Zq82']);
  });

  it('masks the key before it prints anything', async () => {
    const events: string[] = [];
    const toolkit = { ...keptToolkit(), mask: () => events.push('mask') };
    await playStep({ toolkit, print: () => events.push('line') });
    expect([events[0], events.includes('line')]).toEqual(['mask', true]);
  });
});

it.each([
  ['cannot begin', { inputs: { pipeline: '' } }],
  ['succeeds', {}],
])('a step that %s records that post has nothing to do', async (_what, options) => {
  const { files } = await playStep(options);
  expect(isAllSettled(inState(files.text(STEP_FILES.state)))).toBe(true);
});

it('a step that ends writes the records that a full disk refused', async () => {
  const { factsOf } = await playStep({
    inputs: { pipeline: pipelines(2) },
    service: { life: (nth) => ends(nth * 30_000) },
    ...{ full: [STEP_FILES.state], fullFor: /finished/, fullUntilMs: 45_000 },
    env: { RUNNER_TEMP: '' },
  });
  expect(factsOf(1)).toBe('intent queued finished');
});

describe('an internal error', () => {
  const named = [{ level: 'error', message: saying('TypeError: x is not a function') }];

  it('prevents a trigger that is still being prepared', async () => {
    const seen: Stage[] = [];
    const around = (service: Service, { clock }: Stage): Service => ({
      ...service,
      trigger: (order, options) => pause(clock, 1_000).then(() => service.trigger(order, options)),
    });
    const watch = (stage: Stage) => seen.push(stage);
    const { annotations, outputs, made } = await playStep({ around, crashAtMs: 500, watch });
    await seen[0]?.clock.advance(5_000);
    expect([made('trigger'), outputs['outcome']]).toEqual([[], 'not_triggered']);
    expect(annotations[0]).toMatchObject(named[0] ?? {});
  });

  it('fails the step even if it occurs before the step begins', async () => {
    expect(await playStep({ crashAtMs: 'start' })).toMatchObject({ exitCode: 1, annotations: named });
  });
});

const read = { method: 'GET', path: '/rest/v1/jobs?id=eq.1', attempt: 1, ms: 45 };

it.each([
  ['GET /rest/v1/jobs?id=eq.1 → 200 in 45ms', { ...read, status: 200 }],
  ['GET /rest/v1/jobs?id=eq.1 → 503 in 1.5s (attempt 3)', { ...read, status: 503, attempt: 3, ms: 1_500 }],
  ['GET /rest/v1/jobs?id=eq.1 → 200, a ::error::x in 45ms', { ...read, status: 200, failure: 'a\n::error::x' }],
])('a debug log line reads "%s"', (line, trace) => {
  expect(debugLine(trace)).toBe(line);
});
