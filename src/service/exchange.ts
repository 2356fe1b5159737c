import { checkAddress, isLoopback, under } from '../base/address.ts';
import type { Clock } from '../base/clock.ts';
import type { Account, Failure, Problem } from './api.ts';
import { isHtml } from './body-words.ts';
import { USUAL_DEADLINE_MS, USUAL_MAX_BYTES } from './call.ts';
import { successOf } from './classify.ts';
import { briefOrNull, isJsonObject, type JsonObject, parseJson } from './json.ts';
import { answerProblem, nonsenseProblem, notJson, type Subject } from './problem.ts';
import { type Redactor, tokensIn } from './redact.ts';
import { type Reply, replyOf } from './reply.ts';
import type { Transport } from './transport.ts';

/** What an exchange gives: everything that the other calls need. */
export interface Grant {
  readonly kind: 'granted';
  readonly token: string;
  readonly anonKey: string;
  readonly account: Account;
  /** Milliseconds that the token is good for, from the moment of the request. */
  readonly ttlMs: number;
}

/** Exchanges the API key for a token, once. `withinMs` bounds the attempt; nobody's signal ends it. */
export type Exchange = (withinMs?: number) => Promise<Grant | Failure>;

export interface ExchangeParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly redactor: Redactor;
  /** Hears of a token before anybody uses it. */
  readonly onSecret: (secret: string) => void;
}

export function createExchange(parts: ExchangeParts): Exchange {
  const { transport, clock, baseUrl, apiKey, redactor } = parts;
  const url = under(baseUrl, '/api/cli/bootstrap');
  const subject: Subject = {
    attempted: 'exchange the API key for a token',
    url,
    isGiven: true,
    whenRejected:
      'Check that the API key is valid, that base-url is right, and that no proxy or firewall on the way refuses ' +
      'the request.',
  };
  return async (withinMs = USUAL_DEADLINE_MS) => {
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
    const answer = await transport(
      { method: 'POST', url, headers },
      { deadline: { allMs: withinMs }, maxBytes: USUAL_MAX_BYTES },
    );
    const given = answer.kind === 'answered' ? parseJson(answer.text) : undefined;
    const fields = isJsonObject(given) ? given : {};
    if (answer.kind === 'answered') learnTokens(fields, answer.text, parts);
    const reply = answer.kind === 'answered' ? replyOf(answer, redactor) : answer;
    const success = successOf(subject, reply, clock);
    if (success.kind === 'incomplete') return { kind: 'perhaps', problem: success.problem };
    if (success.kind === 'unauthorized') return refused(success.problem);
    return success.kind === 'answered' ? understand(subject, success, fields, parts) : success;
  };
}

/** Before anything else is done with an answer, so that no word of it shows a token. */
function learnTokens(fields: JsonObject, text: string, parts: ExchangeParts): void {
  const token = fields['token'];
  if (isUsableToken(token)) learn(token, parts);
  for (const other of tokensIn(text)) if (parts.redactor.learn(other, 'seen')) parts.onSecret(other);
}

function isUsableToken(token: unknown): token is string {
  return typeof token === 'string' && /^[!-~]+$/.test(token);
}

function learn(token: string, { redactor, onSecret }: ExchangeParts): void {
  if (redactor.learn(token)) onSecret(token);
}

/** Reads a grant. `fields` are those of the answer before it was redacted, as the token and the URL are needed. */
function understand(
  subject: Subject,
  answer: Reply,
  fields: JsonObject,
  { baseUrl, redactor }: ExchangeParts,
): Grant | Failure {
  if (answer.json === undefined) return noJson(subject, answer);
  const { token } = fields;
  if (!isUsableToken(token)) return refused(quietly(subject, answer, 'without a usable token'));
  // The anon key is public: the service gives the same one to every client, so it is not redacted.
  const anonKey = fields['backend_anon_key'];
  if (typeof anonKey !== 'string' || !/^[!-~]+(?: +[!-~]+)*$/.test(anonKey)) {
    return { kind: 'rejected', problem: quietly(subject, answer, 'without a usable backend_anon_key') };
  }
  const { backend_url: named } = fields;
  const backendUrl = typeof named === 'string' ? named : '';
  const address = checkAddress(backendUrl, (url) => isLoopback(baseUrl) && isLoopback(url));
  const isSafe = redactor.redact(backendUrl) === backendUrl;
  if (!address.ok || !isSafe) {
    const why = address.ok ? 'contains a secret' : address.why;
    return { kind: 'rejected', problem: quietly(subject, answer, `with a backend_url that ${why}`) };
  }
  const shown = isJsonObject(answer.json) ? answer.json : {};
  return {
    kind: 'granted',
    token,
    anonKey,
    account: {
      region: briefOrNull(shown['region']),
      apiUrl: address.url,
      expiresAt: briefOrNull(shown['expires_at']),
    },
    ttlMs: ttlMs(fields),
  };
}

/** The documented lifetime of a token, for an answer that does not say a believable one. */
const DOCUMENTED_TTL_S = 3_600;
const LONGEST_TTL_S = 86_400;

function ttlMs(fields: JsonObject): number {
  const seconds = fields['ttl_seconds'];
  const believable = typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_TTL_S;
  return (believable ? seconds : DOCUMENTED_TTL_S) * 1_000;
}

/** A web page is an answer, of the wrong host; anything else that is no JSON may be a gateway's bad moment. */
function noJson(subject: Subject, answer: Reply): Failure {
  if (!isHtml(answer.text, answer.headers)) {
    // Half a grant is no JSON either, and may hold the token.
    return { kind: 'perhaps', problem: answerProblem(subject, answer, `, but ${notJson(answer.text)}`) };
  }
  const remedy =
    "base-url seems to lead to a web page: it should be the service's application host, and nothing in " +
    'between should ask for a log-in.';
  return {
    kind: 'rejected',
    problem: nonsenseProblem(subject, answer, notJson(answer.text), remedy),
  };
}

function quietly(subject: Subject, answer: Reply, what: string): Problem {
  const remedy = 'Only those who run the service can correct that: tell them, with this message.';
  return answerProblem(subject, answer, ` ${what}`, remedy);
}

function refused(problem: Problem): Failure {
  const remedy =
    'The API key is wrong or has been revoked: create a new one under Settings → API Keys, and update the secret.';
  return { kind: 'key_refused', problem: { ...problem, remedy } };
}
