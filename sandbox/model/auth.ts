import { bearer, type Call, effect } from './call.ts';
import { complain, json, Refused } from './respond.ts';
import { violate } from './violations.ts';

/** Returns the workspace of a call's token. @throws `Refused` (401) if the credentials are invalid */
export function authenticate(call: Call): string {
  const { world, request, nowMs, effects } = call;
  requireApiKey(call);
  const value = bearer(request);
  if (value === null) {
    violate(world, 'missing_bearer', nowMs, request.path);
    throw unauthorized('PGRST302', 'Anonymous access is disabled');
  }
  const token = world.tokens.find((one) => one.value === value);
  if (token === undefined) {
    const isKey = world.keys.some((one) => one.value === value);
    violate(world, isKey ? 'key_as_token' : 'unknown_token', nowMs, request.path);
    throw unauthorized('PGRST301', 'No suitable key or wrong key type');
  }
  if (nowMs >= token.expiresAt || effect(effects, 'refuse-token') !== undefined) {
    throw unauthorized('PGRST303', 'JWT expired');
  }
  if (world.keys.find((one) => one.value === token.key)?.revoked !== false) {
    throw unauthorized('PGRST301', 'The API key behind this token was revoked');
  }
  return token.workspaceId;
}

/** The gateway in front of PostgREST checks the `apikey` header first, and its errors have their own format. */
function requireApiKey({ world, request, nowMs }: Call): void {
  const given = request.headers['apikey'];
  if (given === world.anonKey) return;
  if (given === undefined || given === '') {
    violate(world, 'missing_apikey', nowMs, `${request.method} ${request.path}`);
    throw new Refused(json(401, { message: 'No API key found', hint: 'Send an `apikey` header.' }));
  }
  violate(world, 'wrong_apikey', nowMs, `${request.method} ${request.path}`);
  throw new Refused(json(401, { message: 'Unknown API key', hint: 'Use the one from the token exchange.' }));
}

function unauthorized(code: string, message: string): Refused {
  const challenge = { 'www-authenticate': `Bearer error="invalid_token", error_description="${message}"` };
  return new Refused(complain(401, { code, message }, challenge));
}
