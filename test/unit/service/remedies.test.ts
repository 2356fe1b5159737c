import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/service/api.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, JOB } from '../../support/service.ts';

const HTML = { 'content-type': 'text/html' };
const WORKSPACE = 'Check that the API key belongs to the workspace of the run.';
const REDIRECT =
  'The action does not follow redirects, because the token must not reach another host. Check whether a proxy asks for a login.';

async function problemOf(script: readonly Step[]): Promise<Problem> {
  const { service, clock } = bench({ call: () => script });
  const outcome = await clock.until(service.read(JOB));
  if (!('problem' in outcome)) throw new Error(`The read was ${outcome.kind}.`);
  return outcome.problem;
}

describe('what a reader can do about an answer to a read', () => {
  it.each([
    [103, undefined],
    [199, undefined],
    [300, REDIRECT],
    [399, REDIRECT],
    [400, WORKSPACE],
    [401, expect.stringMatching(/^The service rejected a token that it had just issued\./) as string],
    [403, WORKSPACE],
    [404, WORKSPACE],
    [407, 'A proxy asks for credentials. Check https_proxy and no_proxy on the runner.'],
    [408, undefined],
    [429, undefined],
    [499, WORKSPACE],
    [500, undefined],
    [503, undefined],
  ])('with status %i', async (status, remedy) => {
    const problem = await problemOf(answers(status, ''));
    expect(problem.remedy).toEqual(remedy);
    expect(problem.cause).toBe(`HTTP ${status}`);
  });

  it('is to have the host allowed, when a web page says 403', async () => {
    expect((await problemOf(answers(403, '<html>', HTML))).remedy).toBe(
      'A proxy or firewall may have blocked the request. Allow connections to api.example.test.',
    );
    expect((await problemOf(answers(404, '<html>', HTML))).remedy).toBe(WORKSPACE);
  });

  it('is to have the host allowed, when a web page stands in the place of a row', async () => {
    expect(await problemOf(answers(200, '<html><title>Sign in</title>', HTML))).toMatchObject({
      cause: 'HTTP 200, but with a web page titled "Sign in"',
      remedy:
        'A proxy or a login page may have answered instead of the service. Allow connections to api.example.test.',
    });
  });
});

describe('what is wrong with a row', () => {
  it.each([
    ['nothing', '', 'HTTP 200, but with an empty body'],
    ['white space', ' \r\n', 'HTTP 200, but with an empty body'],
    ['no JSON', 'OK', 'HTTP 200, but with a body that is not JSON: "OK"'],
    ['an object', '{}', 'HTTP 200, but with a body that is not a list of rows: "{}"'],
    ['a list of something else', '[7]', 'HTTP 200, but with a row that is not an object: "[7]"'],
    [
      'no status',
      JSON.stringify([{ id: JOB }]),
      `HTTP 200, but with a row that has no job_status: "[{'id':'${JOB}'}]"`,
    ],
  ])('is said: %s', async (_what, body, came) => {
    expect((await problemOf(answers(200, body))).cause).toBe(came);
  });
});
