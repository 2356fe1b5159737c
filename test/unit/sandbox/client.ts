import { answer, type ModelResponse, SANDBOX_KEY, type World } from '../../../sandbox/model/index.ts';

export const SELECT = 'select=id,job_status,status_message';
export const PRECONDITION = 'job_status=in.(queued,picked,running)';

type Headers = Readonly<Record<string, string>>;

/** Sends one request to the model as it stands, without adding anything. */
export function send(world: World, nowMs: number, line: string, headers: Headers = {}, body = ''): ModelResponse {
  const [method = '', path = ''] = line.split(' ');
  return answer(world, { method, path, headers, body }, nowMs);
}

export function exchange(world: World, nowMs = 0, key: string = SANDBOX_KEY): ModelResponse {
  return send(world, nowMs, 'POST /api/cli/bootstrap', { authorization: `Bearer ${key}` });
}

export function parse(response: ModelResponse): unknown {
  return JSON.parse(response.body);
}

/** The headers that every call after the exchange carries. */
export function signIn(world: World, nowMs = 0, key: string = SANDBOX_KEY): Headers {
  const { token } = parse(exchange(world, nowMs, key)) as { token: string };
  return { authorization: `Bearer ${token}`, apikey: world.anonKey };
}

/** A client that does everything right, with a fresh token for each call. */
export function client(world: World, key: string = SANDBOX_KEY) {
  const call = (nowMs: number, line: string, extra: Headers = {}, body = '') =>
    send(world, nowMs, line, { ...signIn(world, nowMs, key), ...extra }, body);
  const json = { 'content-type': 'application/json' };
  return {
    call,
    post: (nowMs: number, body: unknown) =>
      call(nowMs, 'POST /rest/v1/rpc/create_pipeline_run_job', json, JSON.stringify(body)),
    /** Triggers, and expects a run to be queued. */
    run: (nowMs: number, pipelineId: string): string => {
      const line = 'POST /rest/v1/rpc/create_pipeline_run_job';
      const response = call(nowMs, line, json, JSON.stringify({ p_pipeline_id: pipelineId }));
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
        { ...json, prefer: 'return=representation' },
        '{"job_status":"cancelled"}',
      ),
    list: (nowMs: number, query = 'select=pipeline_id,pipeline_name,pipeline_api_name') =>
      call(nowMs, `GET /rest/v1/pipelines_and_datasources?${query}`),
  };
}
