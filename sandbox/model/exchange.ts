import { bearer, type Call } from './call.ts';
import { hexFrom } from './ids.ts';
import { json } from './respond.ts';
import type { ApiKey, ModelResponse, World } from './types.ts';
import { violate } from './violations.ts';

/** Exchanges a key for a token. */
export function exchange({ world, request, nowMs }: Call): ModelResponse {
  if (request.body !== '') violate(world, 'exchange_with_body', nowMs, `${String(request.body.length)} characters`);
  const value = bearer(request);
  if (value?.startsWith('eyJ') === true) {
    violate(world, 'legacy_key', nowMs, 'a legacy key reached the exchange');
    return refuse('Legacy API keys are not accepted here');
  }
  const key = world.keys.find((one) => one.value === value);
  if (key === undefined) return refuse('Invalid API key');
  if (key.revoked) return refuse('This API key was revoked');
  return json(200, bootstrap(world, key, nowMs));
}

function bootstrap(world: World, key: ApiKey, nowMs: number): object {
  world.issued += 1;
  const value = `at_${hexFrom(world.seed, world.issued, 40)}`;
  const expiresAt = nowMs + world.ttlSeconds * 1_000;
  world.tokens.push({ value, key: key.value, workspaceId: key.workspaceId, expiresAt });
  return {
    token: value,
    backend_url: world.backendUrl,
    backend_anon_key: world.anonKey,
    region: world.region,
    ttl_seconds: world.ttlSeconds,
    expires_at: new Date(world.epochMs + expiresAt).toISOString(),
  };
}

/** The interface does not specify the form of a rejection, except that it contains no usable token. */
function refuse(message: string): ModelResponse {
  return json(401, { error: 'unauthorized', message });
}
