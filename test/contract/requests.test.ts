// Tests the five calls as a server receives them over TLS. Its responses come from msw's handlers. msw cannot intercept
// requests over connections that the action has opened itself.
import { getResponse, HttpResponse, http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { selfSigned } from '../support/certificate.ts';
import { httpsHost } from '../support/hosts.ts';
import { API_KEY, bootstrap, type Call, JOB, make, PIPELINE } from '../unit/service/client.ts';
import { realClock, resolveTo, serviceAt, trust } from './network.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const identity = selfSigned('app.example.test', 'api.example.test');
let port = 0;
let received: Received[] = [];

beforeEach(async () => {
  received = [];
  trust(identity.cert);
  resolveTo([{ address: '127.0.0.1', family: 4 }]);
  const host = await httpsHost(identity, async (request, response) => {
    const { method = '', url = '' } = request;
    const body = (await request.setEncoding('utf8').toArray()).join('');
    // Without the port, which differs each time.
    const headers = Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, values = []]) => [
        name,
        values.join().replace(`:${port}`, ''),
      ]),
    );
    const address = `https://${headers['host']}${url}`;
    received.push({ method, url: address, headers, body });
    const handled = await getResponse(
      handlersFor(`https://api.example.test:${port}`),
      new Request(address, { method, ...(body !== '' && { body }) }),
    );
    response.writeHead(handled?.status ?? 501).end(await handled?.text());
  });
  port = host.port;
});

/** The service: an exchange, and a collection without rows. */
function handlersFor(backend: string) {
  return [
    http.post('https://app.example.test/api/cli/bootstrap', () =>
      HttpResponse.json(bootstrap({ backend_url: backend })),
    ),
    http.all('https://api.example.test/rest/v1/*', () => HttpResponse.json([])),
  ];
}

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
  await make(serviceAt(new URL(`https://app.example.test:${port}`), realClock), call);
  expect(received.at(-1)).toEqual(expected);
  expect(received).toHaveLength(call === 'exchange' ? 1 : 2);
});
