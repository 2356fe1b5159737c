import {
  expireTokens,
  type ModelRequest,
  type ModelResponse,
  revokeKey,
  SANDBOX_KEY,
  stateAt,
  type World,
} from '../model/index.ts';
import type { Gates } from './gates.ts';
import { isCallKind, isObject, isRule } from './rule-check.ts';
import { addRule, type RuleBook } from './rules.ts';
import type { RequestRecord } from './types.ts';

const PATH = '/_sandbox/';

export interface AdminParts {
  readonly world: World;
  readonly now: () => number;
  readonly requests: readonly RequestRecord[];
  readonly gates: Gates;
  readonly book: RuleBook;
}

export function isAdminPath(path: string): boolean {
  return path.startsWith(PATH);
}

/** Responds to the requests with which another process controls a sandbox. The sandbox does not record them. */
export function adminAnswer({ method, path, body }: ModelRequest, parts: AdminParts): ModelResponse {
  const { world, now, gates } = parts;
  switch (`${method} ${path.slice(PATH.length)}`) {
    case 'GET state':
      return reply(200, stateOf(parts));
    case 'POST rules':
      return addRules(parts, parse(body));
    case 'DELETE rules':
      for (const rules of Object.values(parts.book)) (rules as unknown[]).length = 0;
      return reply(200, {});
    case 'POST revoke': {
      const key = field(parse(body), 'key') ?? SANDBOX_KEY;
      const known = typeof key === 'string' && revokeKey(world, key);
      return known ? reply(200, {}) : reply(404, { error: 'no such key' });
    }
    case 'POST expire':
      expireTokens(world, now());
      return reply(200, {});
    case 'POST release': {
      const value = parse(body);
      const kind = field(value, 'kind');
      const nth = field(value, 'nth');
      if (!isCallKind(kind)) return reply(400, { error: 'kind is not the name of a call' });
      gates.release(kind, typeof nth === 'number' ? nth : undefined);
      return reply(200, {});
    }
    default:
      return reply(404, { error: `there is no endpoint ${method} ${path}` });
  }
}

function stateOf({ world, now, requests }: AdminParts): object {
  const at = now();
  const runs = world.jobs.map((job) => {
    const pipeline = world.pipelines.find(({ id }) => id === job.pipelineId)?.apiName ?? null;
    return { ...job, pipeline, ...stateAt(job, at) };
  });
  return { now: at, runs, requests, violations: world.violations };
}

function addRules({ book }: AdminParts, value: unknown): ModelResponse {
  const rules: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!rules.every(isRule))
    return reply(400, { error: 'a rule must have the form {kind, nth?, every?, from?, to?, of?, how: {do}}' });
  for (const rule of rules) addRule(book, rule);
  return reply(200, {});
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** Returns the JSON value of a body, or null if the body is invalid. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function reply(status: number, value: object): ModelResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
