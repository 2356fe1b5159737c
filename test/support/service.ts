// Ids and responses of a healthy service, and the service's client in virtual time over a scripted connection.
import { asUuid, type Uuid } from '../../src/base/uuid.ts';
import type { RequestTrace } from '../../src/service/api.ts';
import { createService } from '../../src/service/client.ts';
import type { Call } from './fault-scripts.ts';
import { answers, type Sent, type Step, scriptedWire } from './scripted-wire.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The host names of a service that uses TLS. */
export const APP = 'app.example.test';
export const API = 'api.example.test';
export const API_KEY = 'ak_0123456789abcdef';
export const JOB = uuid('11111111-2222-4333-8444-555555555555');
export const OTHER_JOB = uuid('22222222-2222-4333-8444-555555555555');
export const PIPELINE = uuid('99999999-8888-4777-8666-555555555555');
export const ORDER = { pipelineId: PIPELINE, fullResync: false, resetTarget: false };

export function uuid(text: string): Uuid {
  const made = asUuid(text);
  if (made === undefined) throw new Error(`${text} is not a UUID`);
  return made;
}

/** The response to an exchange, with defaults for omitted members. */
export function bootstrap(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    token: 'token-1',
    backend_url: `https://${API}`,
    backend_anon_key: 'anon-key',
    region: 'eu-1',
    ttl_seconds: 3_600,
    expires_at: '2026-01-05T13:00:00Z',
    ...fields,
  };
}

/** The row of JOB in a response. By default, the run is in progress. */
export function row(fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { id: JOB, job_status: 'running', status_message: null, ...fields };
}

/** A response that contains only this row. */
export const answersRow = (fields: Readonly<Record<string, unknown>>): Step[] => answers(200, [row(fields)]);

/** The body of a healthy service's response to each call. */
export const HEALTHY: Readonly<Record<Call, string>> = {
  exchange: JSON.stringify(bootstrap()),
  list: JSON.stringify([{ pipeline_id: PIPELINE, pipeline_name: 'Orders', pipeline_api_name: 'orders' }]),
  trigger: JSON.stringify(JOB),
  read: JSON.stringify([row()]),
  cancel: JSON.stringify([row({ job_status: 'cancelled' })]),
};

export function kindOf({ request, path }: Sent): Call {
  if (path.endsWith('/api/cli/bootstrap')) return 'exchange';
  if (path.includes('/rpc/create_pipeline_run_job')) return 'trigger';
  if (path.includes('/pipelines_and_datasources')) return 'list';
  return request.method === 'PATCH' ? 'cancel' : 'read';
}

export type Bench = ReturnType<typeof bench>;

/**
 * A service in virtual time. `exchange` scripts the nth exchange (which grants `token-<n>` by default), and `call`
 * the nth of the other requests.
 */
export function bench(scripts: {
  readonly exchange?: (nth: number) => readonly Step[];
  readonly call?: (sent: Sent, nth: number) => readonly Step[];
  readonly baseUrl?: string;
  readonly apiKey?: string;
}) {
  const clock = new VirtualClock();
  const secrets: string[] = [];
  const traces: RequestTrace[] = [];
  const isExchange = (one: Sent): boolean => kindOf(one) === 'exchange';
  const exchanges = (): readonly Sent[] => sent.filter(isExchange);
  const calls = (): readonly Sent[] => sent.filter((one) => !isExchange(one));
  const { connection, sent } = scriptedWire(clock, (one) => {
    if (!isExchange(one)) return (scripts.call ?? (() => answers(200, [])))(one, calls().length);
    const nth = exchanges().length;
    return scripts.exchange?.(nth) ?? answers(200, bootstrap({ token: `token-${nth}` }));
  });
  const service = createService({
    connection,
    clock,
    baseUrl: new URL(scripts.baseUrl ?? `https://${APP}`),
    apiKey: scripts.apiKey ?? API_KEY,
    onSecret: (secret) => secrets.push(secret),
    onTrace: (trace) => traces.push(trace),
  });
  return { clock, service, sent, exchanges, calls, secrets, traces };
}

export function tokenOf(sent: Sent | undefined): string | undefined {
  return sent?.request.headers['authorization']?.replace(/^Bearer /, '');
}
