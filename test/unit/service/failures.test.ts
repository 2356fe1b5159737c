import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/service/api.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB, ORDER } from '../../support/service.ts';

const CALLS = ['list', 'trigger', 'read', 'cancel'] as const;
type CallName = (typeof CALLS)[number];

interface Ended {
  readonly kind: string;
  readonly problem?: Problem;
}

/** How a call ends whose every request meets this script. */
function outcomeOf(name: CallName, script: readonly Step[]): Promise<Ended> {
  const { service, clock } = bench({ call: () => script });
  const call: () => Promise<Ended> = {
    list: () => service.list(),
    trigger: () => service.trigger(ORDER, { onSend: () => {} }),
    read: () => service.read(JOB),
    cancel: () => service.cancel(JOB),
  }[name];
  return clock.until(call());
}

const failed = (code: string, message = code): Step => ({ failed: { code, message } });
const connected: Step = { connected: true };

describe.each(CALLS)('%s', (name) => {
  it.each<[string, readonly Step[]]>([
    ['a refused connection', [failed('ECONNREFUSED')]],
    ['an unknown host', [failed('ENOTFOUND')]],
    ['a reset before the connection stood', [failed('ECONNRESET')]],
    ['a time-out of the system before the connection stood', [failed('ETIMEDOUT')]],
    ['an error without a code', [{ failed: { message: 'odd' } }]],
    ['a deadline before the connection stood', []],
    ['429', answers(429, '')],
  ])('was surely not processed after %s', async (_what, script) => {
    expect(await outcomeOf(name, script)).toMatchObject({ kind: 'not_processed', retryable: true });
  });

  it.each([
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ])('cannot get better after a certificate that is not accepted: %s', async (code) => {
    const outcome = await outcomeOf(name, [failed(code)]);
    expect(outcome).toMatchObject({ kind: 'not_processed', retryable: false });
    expect(outcome.problem?.remedy).toMatch(/NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA/);
  });

  it.each<[string, readonly Step[]]>([
    ['a reset after the connection stood', [connected, failed('ECONNRESET')]],
    ['a refusal that comes after the connection stood', [connected, failed('ECONNREFUSED')]],
    ['a certificate error after the connection stood', [connected, failed('CERT_HAS_EXPIRED')]],
    ['something that is not HTTP', [connected, failed('HPE_INVALID_CONSTANT')]],
    ['a deadline after the connection stood', [connected]],
    ['a connection that ends without an answer', [connected, { end: 'cut_off' }]],
    ['408', answers(408, '')],
    ['500', answers(500, { message: 'boom' })],
    ['502', answers(502, '<html>')],
    ['504', answers(504, '')],
    ['599', answers(599, '')],
    ['no final answer', answers(103, '')],
  ])('may have been processed after %s', async (_what, script) => {
    expect(await outcomeOf(name, script)).toMatchObject({ kind: 'maybe_processed' });
  });

  it.each<[string, readonly Step[]]>([
    ['an answer that breaks off', [connected, { status: 200 }, { text: '[{"id' }, { end: 'cut_off' }]],
    ['an empty answer that breaks off', [connected, { status: 200 }, { end: 'cut_off' }]],
    ['an answer that stalls', [connected, { status: 200 }, { text: '[{"id' }]],
    ['a whole answer that is not known to be whole', [connected, { status: 200 }, { text: '[]' }, { end: 'cut_off' }]],
    ['no body', answers(200, '')],
    ['204', [connected, { status: 204 }, { end: 'complete' }]],
    ['a body that is not JSON', answers(200, 'OK')],
    ['a web page', answers(200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' })],
  ])('succeeded without a usable body after %s', async (_what, script) => {
    expect(await outcomeOf(name, script)).toMatchObject({ kind: name === 'cancel' ? 'accepted' : 'maybe_processed' });
  });

  it.each([300, 301, 302, 303, 307, 308, 304])('was rejected with a redirect: %i', async (status) => {
    const outcome = await outcomeOf(name, answers(status, '', { location: 'https://elsewhere.example.test/' }));
    expect(outcome).toMatchObject({
      kind: 'rejected',
      problem: { cause: expect.stringMatching(`^HTTP ${status}`) as string },
    });
  });

  it.each([400, 402, 403, 404, 405, 406, 407, 409, 413, 422, 451])('was rejected with %i', async (status) => {
    const outcome = await outcomeOf(name, answers(status, { message: 'no' }));
    expect(outcome).toMatchObject({
      kind: 'rejected',
      problem: { cause: expect.stringMatching(`^HTTP ${status}`) as string },
    });
  });

  it('was rejected although the words for it broke off', async () => {
    const script: Step[] = [connected, { status: 400 }, { text: '{"mess' }, { end: 'cut_off' }];
    expect(await outcomeOf(name, script)).toMatchObject({ kind: 'rejected' });
  });

  it.each<[string, readonly Step[]]>([
    ['429', answers(429, '', { 'retry-after': '20' })],
    ['503', answers(503, '', { 'retry-after': '20' })],
    ['503 with a body that stalls', [connected, { status: 503, headers: { 'retry-after': '20' } }]],
  ])('is told how long to wait by %s', async (_what, script) => {
    expect(await outcomeOf(name, script)).toMatchObject({ retryAfterMs: 20_000 });
  });

  it('is told nothing about waiting by an answer that does not say', async () => {
    expect(await outcomeOf(name, answers(503, ''))).not.toHaveProperty('retryAfterMs');
    expect(await outcomeOf(name, answers(429, '', { 'retry-after': 'soon' }))).not.toHaveProperty('retryAfterMs');
  });

  it('ends with the first failure: repeating is not its business', async () => {
    const { service, clock, calls } = bench({ call: () => answers(503, '') });
    await clock.until(service.read(JOB));
    expect(calls()).toHaveLength(1);
  });
});

describe('the size of an answer', () => {
  const KIB_256 = 262_144;
  const listOf = (bytes: number): string => `[${' '.repeat(bytes - 2)}]`;

  it.each([
    ['read', 'missing', 'maybe_processed'],
    ['cancel', 'unchanged', 'accepted'],
  ] as const)('of a %s is at most 256 KiB', async (name, kind, tooLarge) => {
    expect(await outcomeOf(name, answers(200, listOf(KIB_256)))).toMatchObject({ kind });
    const outcome = await outcomeOf(name, answers(200, listOf(KIB_256 + 1)));
    expect(outcome).toMatchObject({ kind: tooLarge });
    expect(outcome.problem?.cause).toContain('too large');
  });

  it('of a trigger is at most 256 KiB', async () => {
    const outcome = await outcomeOf('trigger', answers(200, listOf(KIB_256 + 1)));
    expect(outcome.problem?.cause).toContain('too large');
  });

  it('of an exchange is at most 256 KiB', async () => {
    const padding = ' '.repeat(KIB_256);
    const { service, clock } = bench({ exchange: () => answers(200, `${JSON.stringify(bootstrap())}${padding}`) });
    expect(await clock.until(service.connect())).toMatchObject({ kind: 'maybe_processed' });
  });

  it('of a list is at most 4 MiB', async () => {
    expect(await outcomeOf('list', answers(200, listOf(16 * KIB_256)))).toMatchObject({ kind: 'pipelines' });
    expect(await outcomeOf('list', answers(200, listOf(16 * KIB_256 + 1)))).toMatchObject({ kind: 'maybe_processed' });
  });

  it('of a list that is read next to triggers is at most 256 KiB', async () => {
    const kindOf = async (bytes: number): Promise<string> => {
      const { service, clock } = bench({ call: () => answers(200, listOf(bytes)) });
      return (await clock.until(service.list({ isBackground: true }))).kind;
    };
    expect([await kindOf(KIB_256), await kindOf(KIB_256 + 1)]).toEqual(['pipelines', 'maybe_processed']);
  });
});
