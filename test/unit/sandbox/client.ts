// A client for the sandbox's model that behaves correctly unless a test changes its requests.
import type { ServiceEffect } from '../../../sandbox/faults.ts';
import { answer, type ModelResponse, SANDBOX_KEY, type World } from '../../../sandbox/model/index.ts';

export const PRECONDITION = 'job_status=in.(queued,picked,running)';
export const JSON_TYPE = { 'content-type': 'application/json' } as const;

const SELECT = 'select=id,job_status,status_message';
const TRIGGER = 'POST /rest/v1/rpc/create_pipeline_run_job';

type Headers = Readonly<Record<string, string>>;

/** Sends a request without adding anything to it. */
export function send(
  world: World,
  nowMs: number,
  line: string,
  headers: Headers = {},
  body = '',
  effect?: ServiceEffect,
): ModelResponse {
  const [method = '', path = ''] = line.split(' ');
  return answer(world, { method, path, headers, body }, nowMs, effect);
}

export function exchange(world: World, nowMs = 0, key: string = SANDBOX_KEY): ModelResponse {
  return send(world, nowMs, `POST ${world.basePath}/api/cli/bootstrap`, { authorization: `Bearer ${key}` });
}

export function parse(response: ModelResponse): unknown {
  return JSON.parse(response.body);
}

/** Exchanges the key and returns the headers for all later calls. */
export function signIn(world: World, nowMs = 0, key: string = SANDBOX_KEY): Headers {
  const { token } = parse(exchange(world, nowMs, key)) as { token: string };
  return { authorization: `Bearer ${token}`, apikey: world.anonKey };
}

export function violationsOf(world: World): readonly string[] {
  return world.violations.map(({ kind }) => kind);
}

/** Creates a client that uses a new token for each call. */
export function client(world: World, key: string = SANDBOX_KEY, effect?: ServiceEffect) {
  const call = (nowMs: number, line: string, extra: Headers = {}, body = '') =>
    send(world, nowMs, line, { ...signIn(world, nowMs, key), ...extra }, body, effect);
  const post = (nowMs: number, body: unknown) => call(nowMs, TRIGGER, JSON_TYPE, JSON.stringify(body));
  return {
    call,
    post,
    /** Triggers a run and returns its id. @throws if the trigger fails */
    run: (nowMs: number, pipelineId: string): string => {
      const response = post(nowMs, { p_pipeline_id: pipelineId });
      if (response.status !== 200) throw new Error(response.body);
      return parse(response) as string;
    },
    read: (nowMs: number, id: string) => call(nowMs, `GET /rest/v1/jobs?id=eq.${id}&${SELECT}`),
    status: (nowMs: number, id: string): string | undefined => {
      const rows = parse(call(nowMs, `GET /rest/v1/jobs?id=eq.${id}&select=job_status`));
      return (rows as { job_status: string }[])[0]?.job_status;
    },
    cancel: (nowMs: number, id: string) =>
      call(
        nowMs,
        `PATCH /rest/v1/jobs?id=eq.${id}&${PRECONDITION}&${SELECT}`,
        { ...JSON_TYPE, prefer: 'return=representation' },
        '{"job_status":"cancelled"}',
      ),
    list: (nowMs: number) => call(nowMs, 'GET /rest/v1/pipelines_and_datasources?select=pipeline_id'),
  };
}
