import { checkAddress, isLoopback, under } from '../base/address.ts';
import type { Clock } from '../base/clock.ts';
import type { Account, Failure } from './api.ts';
import { classify } from './classify.ts';
import { type Transport, USUAL_LIMITS } from './http/transport.ts';
import { answerProblem, isHtml, nonsenseProblem, notJson, type Subject } from './problem.ts';
import { type Redactor, tokensIn } from './redact.ts';
import { briefOrNull, isJsonObject, type JsonObject, parseJson, type Reply } from './reply.ts';
import { LONGEST_SECRET } from './secret-search.ts';

/** The result of a successful exchange, which contains everything that the other calls need. */
export interface Grant {
  readonly kind: 'granted';
  readonly token: string;
  readonly anonKey: string;
  readonly account: Account;
  /** The lifetime of the token, counted from when the client sent the request, in milliseconds. */
  readonly ttlMs: number;
}

/** Exchanges the API key for a token once. `withinMs` limits the attempt. No signal aborts it, as callers share it. */
export type Exchange = (withinMs?: number) => Promise<Grant | Failure>;

export interface ExchangeParts {
  readonly transport: Transport;
  readonly clock: Clock;
  /** The validated application host. */
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly redactor: Redactor;
  /** Receives each token before its first use, so that the caller can mask the token. */
  readonly onSecret: (secret: string) => void;
}

/** The attempted action, for a `Problem`. */
export const EXCHANGE = 'exchange the API key for a token';

/** The documented lifetime of a token in seconds, used if a response contains no plausible lifetime. */
const DOCUMENTED_TTL_S = 3_600;
const LONGEST_TTL_S = 86_400;

const REJECTED_REMEDY =
  'Check that the API key is valid, that base-url is right, and that no proxy or firewall rejects the request.';
const KEY_REMEDY =
  'The API key is wrong or revoked, so create a new one under Settings → API Keys, and update the secret.';
const SERVICE_REMEDY = "Report this message to the service's operators.";
const WEB_PAGE_REMEDY =
  "base-url seems to lead to a web page. Set it to the service's application host, and check that no proxy asks for a " +
  'login.';

export function createExchange(parts: ExchangeParts): Exchange {
  const { transport, baseUrl, apiKey, redactor, onSecret } = parts;
  const url = under(baseUrl, '/api/cli/bootstrap');
  const subject: Subject = { attempted: EXCHANGE, url, isGiven: true, whenRejected: REJECTED_REMEDY };
  return async (withinMs = USUAL_LIMITS.deadline.allMs) => {
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
    const limits = { ...USUAL_LIMITS, deadline: { allMs: withinMs } };
    const answer = await transport({ method: 'POST', url, headers }, limits);
    const text = answer.kind === 'answered' ? answer.text : '';
    const parsed = parseJson(text);
    const fields = isJsonObject(parsed) ? parsed : {};
    const { token } = fields;
    // Learn the token before any other code uses the response, so that no part of the response reveals the token.
    if (isUsableToken(token) && redactor.learn(token)) onSecret(token);
    for (const other of tokensIn(text)) if (redactor.learn(other, 'seen')) onSecret(other);
    const result = classify(subject, answer, parts);
    if (result.kind === 'answered') return readGrant(subject, result, fields, parts);
    if (result.kind === 'incomplete') return { kind: 'maybe_processed', problem: result.problem };
    if (result.kind !== 'unauthorized') return result;
    return { kind: 'key_refused', problem: { ...result.problem, remedy: KEY_REMEDY } };
  };
}

function isUsableToken(token: unknown): token is string {
  return typeof token === 'string' && token.length <= LONGEST_SECRET && /^[!-~]+$/.test(token);
}

/** Reads a grant. `fields` come from the unredacted response, because the grant needs the token and the address. */
function readGrant(
  subject: Subject,
  reply: Reply,
  fields: JsonObject,
  { apiKey, baseUrl, redactor }: ExchangeParts,
): Grant | Failure {
  const { token, backend_anon_key: anonKey, backend_url: backendUrl, ttl_seconds: ttl } = fields;
  if (reply.json === undefined) {
    const why = notJson(reply.text);
    // A web page means that the host is wrong. Any other body that is not JSON may be a temporary fault of a gateway.
    if (isHtml(reply)) return { kind: 'rejected', problem: nonsenseProblem(subject, reply, why, WEB_PAGE_REMEDY) };
    // Leave out the body, because a truncated grant is not JSON either and may contain the token.
    return { kind: 'maybe_processed', problem: answerProblem(subject, reply, `, but ${why}`) };
  }
  const unusable = (what: string) => answerProblem(subject, reply, ` ${what}`, SERVICE_REMEDY);
  if (!isUsableToken(token)) {
    return { kind: 'key_refused', problem: { ...unusable('without a usable token'), remedy: KEY_REMEDY } };
  }
  // The client sends the token and the anon key to the API host, which must not receive the API key.
  if (token.includes(apiKey)) return { kind: 'rejected', problem: unusable('with a token that contains the API key') };
  // The anon key needs no redaction, because every client receives the same one.
  if (typeof anonKey !== 'string' || !/^[!-~]+(?: +[!-~]+)*$/.test(anonKey) || anonKey.includes(apiKey)) {
    return { kind: 'rejected', problem: unusable('without a usable backend_anon_key') };
  }
  const given = typeof backendUrl === 'string' ? backendUrl : '';
  const address = checkAddress(given, (url) => isLoopback(baseUrl) && isLoopback(url));
  // Parsing normalizes an address, for example by lowercasing its host, so check both spellings.
  if (!address.ok || [given, address.url.href].some((text) => redactor.redact(text) !== text)) {
    const why = address.ok ? 'contains a secret' : address.why;
    return { kind: 'rejected', problem: unusable(`with a backend_url that ${why}`) };
  }
  const shown = isJsonObject(reply.json) ? reply.json : {};
  const account = {
    region: briefOrNull(shown['region']),
    apiUrl: address.url,
    expiresAt: briefOrNull(shown['expires_at']),
  };
  const isPlausible = typeof ttl === 'number' && ttl > 0 && ttl <= LONGEST_TTL_S;
  return { kind: 'granted', token, anonKey, account, ttlMs: (isPlausible ? ttl : DOCUMENTED_TTL_S) * 1_000 };
}
