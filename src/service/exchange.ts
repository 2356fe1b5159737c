import { checkAddress, isLoopback } from '../base/address.ts';
import { asObject, parseJson } from '../base/json.ts';
import { type Failure, KEY_REMEDY, type Subject } from './problem.ts';
import { answerProblem, flawOf, SHORTEST_IN_ERROR } from './remedies.ts';
import { is2xx, isHtml } from './response.ts';
import type { Secrets } from './secrets.ts';
import type { Answered } from './send.ts';
import type { Exchanged, Reply } from './session.ts';

/** The documented lifetime of a token, used if the response contains no plausible lifetime. */
const USUAL_TTL_S = 3_600;
const LONGEST_TTL_S = 86_400;
const LONGEST_REGION = 100;

interface ExchangeParts {
  readonly apiKey: string;
  readonly baseUrl: URL;
  readonly secrets: Secrets;
}

/** Adds the token in an exchange response to the secrets. Even an error may contain one, and errors may be shown. */
export function learnToken(answer: Answered, { apiKey, secrets }: ExchangeParts): void {
  const { token } = asObject(parseJson(answer.text));
  if (isUsable(token, apiKey) && (is2xx(answer) || token.length >= SHORTEST_IN_ERROR)) secrets.add(token);
}

/** The token and the anon key are sent to the API host, which must not receive the API key. */
function isUsable(text: unknown, apiKey: string): text is string {
  return typeof text === 'string' && /^[!-~]{1,8192}$/.test(text) && !text.includes(apiKey);
}

const WRONG_SERVICE =
  "Check that base-url is the application's URL, and that the secret contains an API key that has not been revoked.";

/** Reads the grant in the exchange's 2xx response. `unusable` makes a failure that may be temporary. */
export function grantOf(
  subject: Subject,
  json: unknown,
  answer: Answered,
  { apiKey, baseUrl, secrets }: ExchangeParts,
  unusable: (why: string) => Failure,
): Exchanged {
  const rejected = (why: string): Failure => ({ kind: 'rejected', problem: answerProblem(subject, answer, why) });
  if (json === undefined) {
    const why = flawOf(answer, subject);
    // A web page means that base-url is wrong. Any other text may be a temporary gateway fault.
    return isHtml(answer) ? rejected(why) : unusable(why);
  }
  const { token, backend_url: address, backend_anon_key: anonKey, ttl_seconds: ttl, region } = asObject(json);
  if (!isUsable(token, apiKey)) {
    const why = 'without a usable token';
    const isGrant = [token, address, anonKey].some((each) => each !== undefined);
    // A truncated body says nothing about the key.
    if (answer.body !== 'complete') return unusable(why);
    return {
      kind: 'key_rejected',
      problem: { ...answerProblem(subject, answer, why), remedy: isGrant ? KEY_REMEDY : WRONG_SERVICE, isOfKey: true },
    };
  }
  if (!isUsable(anonKey, apiKey)) return rejected('without a usable backend_anon_key');
  const given = typeof address === 'string' ? address : '';
  const api = checkAddress(given, (backend) => isLoopback(baseUrl) && isLoopback(backend));
  if ('why' in api) return rejected(`with a backend_url that ${api.why}`);
  if ([given, api.url.href].some((text) => secrets.isIn(text)))
    return rejected('with a backend_url that contains a secret');
  const ttlS = typeof ttl === 'number' && ttl > 0 && ttl <= LONGEST_TTL_S ? ttl : USUAL_TTL_S;
  const where = typeof region === 'string' ? secrets.clean(region, LONGEST_REGION) : '';
  return { kind: 'granted', token, anonKey, apiUrl: api.url, region: where, ttlMs: ttlS * 1_000 };
}

/** Determines the result of an exchange. It has no side effects, and the call that needs its token was not sent. */
export function exchangedIn({ result, credential }: Reply<Exchanged>): Exchanged {
  if (result.kind === 'rejected' && credential === 'refused') return { kind: 'key_rejected', problem: result.problem };
  return result.kind === 'maybe_processed' ? { ...result, kind: 'not_processed' } : result;
}
