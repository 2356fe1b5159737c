import type { Call } from './call.ts';
import { badRequest } from './respond.ts';
import { violate } from './violations.ts';

type Payload = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON object in a body as PostgREST parses it: a missing media type means JSON, and a value that is
 * neither an object nor a list counts as empty.
 * @param empty the value to return for a missing body, which is otherwise rejected
 * @throws `Refused` for everything else
 */
export function payloadOf({ world, request, nowMs }: Call, empty?: Payload): Payload {
  const type = request.headers['content-type'];
  if (type === undefined) violate(world, 'no_media_type', nowMs, `${request.method} ${request.path}`);
  else if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw badRequest({ code: 'PGRST102', message: `Content-Type not acceptable: ${type}` });
  }
  if (request.body === '' && empty !== undefined) return empty;
  const value = parse(request.body);
  if (Array.isArray(value) && value.length > 0) {
    throw badRequest({ code: 'PGRST102', message: 'All object keys must match' });
  }
  return isObject(value) ? value : {};
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw badRequest({ code: 'PGRST102', message: 'Empty or invalid json' });
  }
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
