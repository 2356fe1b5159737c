// Tests the five calls as Node sends them, with msw in place of the network.
import { syncBuiltinESMExports } from 'node:module';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service } from '../../src/service/api.ts';
import { createSend } from '../../src/service/http.ts';
import { API_KEY, bootstrap, type Call, JOB, make, PIPELINE } from '../unit/service/client.ts';
import { realClock } from './network.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const received: Received[] = [];
const unexpected: string[] = [];
const server = setupServer(
  http.all('https://*.example.test/*', async ({ request }) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers: Object.fromEntries(headers), body: await request.text() });
    return HttpResponse.json(url.endsWith('/bootstrap') ? bootstrap() : []);
  }),
);
server.events.on('request:unhandled', ({ request }) => {
  unexpected.push(`${request.method} ${request.url}`);
});
beforeAll(() => {
  server.listen({ onUnhandledFrame: 'error' });
  // Otherwise, earlier imports of node:http would keep the originals that msw has replaced.
  syncBuiltinESMExports();
});
afterAll(() => {
  server.close();
  syncBuiltinESMExports();
});

const EVERY = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'run-pipeline/test',
  connection: 'close',
};
const TO_API = { ...EVERY, host: 'api.example.test', authorization: 'Bearer api-token-1', apikey: 'anon-key' };
const API = 'https://api.example.test/rest/v1';
const FIELDS = 'select=id,job_status,status_message';
const TRIGGER = JSON.stringify({
  p_pipeline_id: PIPELINE,
  p_job_type: 'pipeline_run',
  p_full_resync: false,
  p_reset_target: false,
});
const CANCEL = '{"job_status":"cancelled"}';

it.each<[Call, Received]>([
  [
    'exchange',
    {
      method: 'POST',
      url: 'https://app.example.test/api/cli/bootstrap',
      headers: { ...EVERY, host: 'app.example.test', authorization: `Bearer ${API_KEY}`, 'content-length': '0' },
      body: '',
    },
  ],
  [
    'list',
    {
      method: 'GET',
      url: `${API}/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name`,
      headers: TO_API,
      body: '',
    },
  ],
  [
    'trigger',
    {
      method: 'POST',
      url: `${API}/rpc/create_pipeline_run_job`,
      headers: { ...TO_API, 'content-type': 'application/json', 'content-length': String(TRIGGER.length) },
      body: TRIGGER,
    },
  ],
  ['read', { method: 'GET', url: `${API}/jobs?id=eq.${JOB}&${FIELDS}`, headers: TO_API, body: '' }],
  [
    'cancel',
    {
      method: 'PATCH',
      url: `${API}/jobs?id=eq.${JOB}&job_status=in.(queued,picked,running)&${FIELDS}`,
      headers: {
        ...TO_API,
        'content-type': 'application/json',
        prefer: 'return=representation',
        'content-length': String(CANCEL.length),
      },
      body: CANCEL,
    },
  ],
])('the "%s" call is sent exactly as documented', async (call, expected) => {
  received.length = 0;
  const service = new Service({
    baseUrl: new URL('https://app.example.test'),
    apiKey: API_KEY,
    send: createSend({ userAgent: 'run-pipeline/test', clock: realClock }),
    clock: realClock,
    setSecret: () => undefined,
    debug: () => undefined,
  });
  await make(service, call);
  expect(unexpected).toEqual([]);
  expect(received.at(-1)).toEqual(expected);
  expect(received).toHaveLength(call === 'exchange' ? 1 : 2);
});
