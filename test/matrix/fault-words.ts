import type { CallName } from './fault.ts';
import type { FaultName } from './faults.ts';

/**
 * What people are told that came back, and, by a word of `HELP`, what to do about it. A line for each fault, and
 * one more for calls that say it differently. HOST is the host that was asked, TIME the call's deadline.
 */
const WORDS = `
DNS: no such host                                | host        | the host name HOST could not be resolved (ENOTFOUND)
DNS: no answer                                   | host        | the host name HOST could not be resolved (EAI_AGAIN)
connection refused                               | host        | HOST refused the connection (ECONNREFUSED)
host unreachable                                 | network     | HOST could not be reached (EHOSTUNREACH)
connect gives up (ETIMEDOUT)                     | network     | HOST could not be reached (ETIMEDOUT)
connect never answers                            | network     | no connection to HOST within TIME
reset before the connection stands               | network     | the connection to HOST failed while it was being established (ECONNRESET)
odd error before the connection stands           | network     | no connection to HOST: odd
TLS: handshake fails                             | host        | the TLS handshake with HOST failed (EPROTO: wrong version number)
TLS: certificate unknown                         | authority   | the certificate of HOST was not accepted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)
TLS: certificate self-signed                     | authority   | the certificate of HOST was not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)
TLS: certificate expired                         | dates       | the certificate of HOST was not accepted (CERT_HAS_EXPIRED)
TLS: certificate of another host                 | other host  | the certificate of HOST was not accepted (ERR_TLS_CERT_ALTNAME_INVALID)
proxy unreachable                                | proxy       | the proxy could not be reached: connect ECONNREFUSED 10.0.0.1:3128
proxy refuses (403)                              | allow       | the proxy refused a connection to HOST with HTTP 403
proxy wants credentials (407)                    | credentials | the proxy refused a connection to HOST with HTTP 407
proxy cannot reach the host (502)                | allow       | the proxy refused a connection to HOST with HTTP 502
proxy never answers                              | network     | no connection to HOST within TIME
reset before the request body                    |             | the connection to HOST was reset before a response arrived (ECONNRESET)
reset during the request body                    |             | the connection to HOST was reset before a response arrived (EPIPE)
reset after the request body                     |             | the connection to HOST was reset before a response arrived (ECONNRESET)
closed after the request body                    |             | no response from HOST
ETIMEDOUT after the request body                 |             | the connection to HOST failed before a response arrived: ETIMEDOUT
TLS fails after the request                      |             | the connection to HOST failed before a response arrived: EPROTO alert bad record mac
TLS: our certificate is wanted after the request |             | the connection to HOST failed before a response arrived: ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED alert certificate required
answer is not HTTP                               |             | HOST did not respond with HTTP (HPE_INVALID_CONSTANT)
headers never come                               |             | no response from HOST within TIME
body never comes                                 |             | HTTP 200, but the rest of the response did not arrive
body stalls halfway                              |             | HTTP 200, but the rest of the response did not arrive
body cut off at its start                        |             | HTTP 200, but the response was cut off
body cut off halfway                             |             | HTTP 200, but the response was cut off
body reset halfway                               |             | HTTP 200, but the response was cut off
body cut off right after its last byte           |             | HTTP 200, but the response was cut off
body stalls right after its last byte            |             | HTTP 200, but the rest of the response did not arrive
chunked and broken                               |             | HTTP 200, but the response was cut off
body far too large                               |             | HTTP 200, but the response is too large
no body                                          |             | HTTP 200, but with an empty body
no body × trigger                                |             | HTTP 200, but without the id of a run
204 without a body                               |             | HTTP 204, but with an empty body
204 without a body × trigger                     |             | HTTP 204, but without the id of a run
not UTF-8                                        |             | HTTP 200, but with a body that is not JSON: "���("
not UTF-8 × exchange                             |             | HTTP 200, but with a body that is not JSON
not UTF-8 × trigger                              |             | HTTP 200, but without the id of a run: "���("
not JSON                                         |             | HTTP 200, but with a body that is not JSON: "OK"
not JSON × exchange                              |             | HTTP 200, but with a body that is not JSON
not JSON × trigger                               |             | HTTP 200, but without the id of a run: "OK"
two JSON texts                                   |             | HTTP 200, but with a body that is not JSON
two JSON texts × list                            |             | HTTP 200, but with a body that is not JSON: "[{'pipeline_id':'99999999-8888-4777-8666-555555555555','pipeline_name':'Orders','pipeline_api_name':'orders'}] [{'pipeline_id':'99999999-8888-4777-8666-5555555…"
two JSON texts × trigger                         |             | HTTP 200, but without the id of a run: "'11111111-2222-4333-8444-555555555555' '11111111-2222-4333-8444-555555555555'"
two JSON texts × read                            |             | HTTP 200, but with a body that is not JSON: "[{'id':'11111111-2222-4333-8444-555555555555','job_status':'running','status_message':null}] [{'id':'11111111-2222-4333-8444-555555555555','job_status':'runnin…"
two JSON texts × cancel                          |             | HTTP 200, but with a body that is not JSON: "[{'id':'11111111-2222-4333-8444-555555555555','job_status':'cancelled','status_message':null}] [{'id':'11111111-2222-4333-8444-555555555555','job_status':'canc…"
JSON null                                        |             | HTTP 200, but with a body that is not a list of rows: "null"
JSON null × exchange                             | key         | HTTP 200 without a usable token
JSON null × list                                 | rejected    | HTTP 200, but with a body that is not a list of rows: "null"
JSON number                                      |             | HTTP 200, but with a body that is not a list of rows: "7"
JSON number × exchange                           | key         | HTTP 200 without a usable token
JSON number × list                               | rejected    | HTTP 200, but with a body that is not a list of rows: "7"
JSON number × trigger                            |             | HTTP 200, but without the id of a run: "7"
JSON string                                      |             | HTTP 200, but with a body that is not a list of rows: "done"
JSON string × exchange                           | key         | HTTP 200 without a usable token
JSON string × list                               | rejected    | HTTP 200, but with a body that is not a list of rows: "done"
JSON string × trigger                            |             | HTTP 200, but without the id of a run: "done"
JSON object of another shape                     |             | HTTP 200, but with a body that is not a list of rows: "{'ok':true}"
JSON object of another shape × exchange          | key         | HTTP 200 without a usable token
JSON object of another shape × list              | rejected    | HTTP 200, but with a body that is not a list of rows: "{'ok':true}"
JSON object of another shape × trigger           |             | HTTP 200, but without the id of a run: "{'ok':true}"
JSON error in a 200                              |             | HTTP 200, but with a body that is not a list of rows: "database is away" (code PGRST000)
JSON error in a 200 × exchange                   | key         | HTTP 200 without a usable token
JSON error in a 200 × list                       | rejected    | HTTP 200, but with a body that is not a list of rows: "database is away" (code PGRST000)
JSON error in a 200 × trigger                    |             | HTTP 200, but without the id of a run: "database is away" (code PGRST000)
JSON array of numbers                            |             | HTTP 200, but with a row that is not an object: "[7]"
JSON array of numbers × exchange                 | key         | HTTP 200 without a usable token
JSON array of numbers × list                     | rejected    | HTTP 200, but with rows that are not pipelines: "[7]"
JSON array of numbers × trigger                  |             | HTTP 200, but without the id of a run: "[7]"
empty array                                      | key         | HTTP 200 without a usable token
empty array × trigger                            |             | HTTP 200, but without the id of a run: "[]"
another run's row                                |             | HTTP 200, but with the row of another run: "[{'id':'99999999-8888-4777-8666-555555555555','job_status':'completed','status_message':null}]"
another run's row × exchange                     | key         | HTTP 200 without a usable token
another run's row × list                         | rejected    | HTTP 200, but with rows that are not pipelines: "[{'id':'99999999-8888-4777-8666-555555555555','job_status':'completed','status_message':null}]"
another run's row × trigger                      |             | HTTP 200, but without the id of a run: "[{'id':'99999999-8888-4777-8666-555555555555','job_status':'completed','status_message':null}]"
two rows                                         | key         | HTTP 200 without a usable token
two rows × trigger                               |             | HTTP 200, but without the id of a run: "['11111111-2222-4333-8444-555555555555','11111111-2222-4333-8444-555555555555']"
two rows × read                                  |             | HTTP 200, but with 2 rows instead of one: "[{'id':'11111111-2222-4333-8444-555555555555','job_status':'running','status_message':null},{'id':'11111111-2222-4333-8444-555555555555','job_status':'running'…"
two rows × cancel                                |             | HTTP 200, but with 2 rows instead of one: "[{'id':'11111111-2222-4333-8444-555555555555','job_status':'cancelled','status_message':null},{'id':'11111111-2222-4333-8444-555555555555','job_status':'cancel…"
row without a status                             |             | HTTP 200, but with a row that has no job_status: "[{'id':'11111111-2222-4333-8444-555555555555','state':'running','status_message':null}]"
row without a status × cancel                    |             | HTTP 200, but with a row that has no job_status: "[{'id':'11111111-2222-4333-8444-555555555555','state':'cancelled','status_message':null}]"
web page with 200                                | in between  | HTTP 200, but with a web page titled "Sign in"
web page with 200 × exchange                     | page        | HTTP 200, but with a web page titled "Sign in"
HTTP 301 to the same host                        | redirect    | HTTP 301, a redirect to https://app.example.test/login
HTTP 301 to another host                         | redirect    | HTTP 301, a redirect to https://elsewhere.example.test/
HTTP 302 to the same host                        | redirect    | HTTP 302, a redirect to https://app.example.test/login
HTTP 302 to another host                         | redirect    | HTTP 302, a redirect to https://elsewhere.example.test/
HTTP 307 to the same host                        | redirect    | HTTP 307, a redirect to https://app.example.test/login
HTTP 307 to another host                         | redirect    | HTTP 307, a redirect to https://elsewhere.example.test/
HTTP 308 to the same host                        | redirect    | HTTP 308, a redirect to https://app.example.test/login
HTTP 308 to another host                         | redirect    | HTTP 308, a redirect to https://elsewhere.example.test/
HTTP 400                                         | rejected    | HTTP 400 "invalid request" (code 22P02)
HTTP 401                                         | token       | HTTP 401 "JWT expired" (code PGRST301)
HTTP 401 × exchange                              | key         | HTTP 401 "JWT expired" (code PGRST301)
HTTP 403                                         | rejected    | HTTP 403 "permission denied" (code 42501)
HTTP 403 as a web page                           | blocked     | HTTP 403 with a web page titled "Blocked"
HTTP 404                                         | rejected    | HTTP 404
HTTP 407                                         | log-in      | HTTP 407
HTTP 408                                         |             | HTTP 408
HTTP 409                                         | rejected    | HTTP 409 "conflict"
HTTP 413                                         | rejected    | HTTP 413
HTTP 429, Retry-After in seconds                 |             | HTTP 429 "slow down"
HTTP 429, Retry-After as a date                  |             | HTTP 429 "slow down"
HTTP 429, Retry-After absurd                     |             | HTTP 429 "slow down"
HTTP 429, Retry-After nonsense                   |             | HTTP 429 "slow down"
HTTP 429, Retry-After missing                    |             | HTTP 429 "slow down"
HTTP 500                                         |             | HTTP 500 "boom"
HTTP 502                                         |             | HTTP 502 with a web page titled "502 Bad Gateway"
HTTP 503                                         |             | HTTP 503 "no healthy upstream"
HTTP 503, Retry-After in seconds                 |             | HTTP 503 "restarting"
HTTP 504                                         |             | HTTP 504
HTTP 103 and no more                             |             | HTTP 103
`;

const NETWORK = "Check the runner's network, its firewall and its proxy settings (https_proxy, no_proxy).";

const REJECTED: Readonly<Record<CallName, string>> = {
  exchange:
    'Check that the API key is valid, that base-url is right, and that no proxy or firewall rejects the request.',
  list: 'Use the UUID of each pipeline, which is in the address of its page: then the step does not need the list.',
  trigger: 'Check that the pipeline exists, is active, and belongs to the workspace in which the API key was created.',
  read: 'Check that the API key belongs to the workspace of the run.',
  cancel: 'Check that the API key belongs to the workspace of the run.',
};

/** Everything that can be done about a fault. */
const HELP: Readonly<Record<string, (call: CallName, host: string) => string | undefined>> = {
  '': () => undefined,
  rejected: (call) => REJECTED[call],
  host: (call) =>
    call === 'exchange'
      ? "Check base-url, and the runner's network and proxy settings (https_proxy, no_proxy)."
      : `${NETWORK} The service returned that host.`,
  network: () => NETWORK,
  authority: () =>
    "If a proxy or an internal authority signed it, set NODE_EXTRA_CA_CERTS to a file with the authority, or NODE_USE_SYSTEM_CA=1 to trust the runner's own certificates.",
  dates: () =>
    "Check the runner's clock, and the certificate's dates. To trust your own authority, set NODE_EXTRA_CA_CERTS or NODE_USE_SYSTEM_CA=1.",
  'other host': () =>
    'The certificate belongs to another host: check the host name. If a proxy in between signed it, set NODE_EXTRA_CA_CERTS or NODE_USE_SYSTEM_CA=1.',
  proxy: () => 'Check https_proxy and no_proxy on the runner.',
  credentials: () =>
    'The proxy asks for credentials. Add them to https_proxy on the runner, or add the host to no_proxy.',
  allow: (_call, host) => `Check that the proxy allows connections to ${host}.`,
  'log-in': () => 'A proxy asks for credentials. Check https_proxy and no_proxy on the runner.',
  blocked: (_call, host) => `A proxy or firewall may have blocked the request. Allow connections to ${host}.`,
  'in between': (_call, host) =>
    `A proxy or a login page may have answered instead of the service. Allow connections to ${host}.`,
  page: () =>
    "base-url seems to lead to a web page: it should be the service's application host, and nothing in between should ask for a log-in.",
  redirect: (call) =>
    call === 'exchange'
      ? 'The action does not follow redirects, because the API key must not reach another host. Check base-url.'
      : 'The action does not follow redirects, because the token must not reach another host. Check whether a proxy asks for a login.',
  key: () =>
    'The API key is wrong or has been revoked: create a new one under Settings → API Keys, and update the secret.',
  token: () =>
    'The service rejected a token that it had just issued. Check that the API key has not been revoked. If it has not, contact the operators of the service.',
};

const words = new Map(
  WORDS.split('\n').flatMap((line): [string, readonly [help: string, cause: string]][] => {
    const [, name = '', help = '', came = ''] = /^([^|]*)\|([^|]*)\|(.*)$/.exec(line) ?? [];
    const [fault = '', calls = ''] = name.trim().split(' × ');
    const keys = calls === '' ? [fault] : calls.split(', ').map((call) => `${fault} × ${call}`);
    return keys.map((key) => [key, [help.trim(), came.trim()]]);
  }),
);

/** What the fault of a call is told as. Throws where the table has a hole. */
export function wordsFor(
  fault: FaultName,
  call: CallName,
): { readonly cause: string; readonly help: string | undefined } {
  const found = words.get(`${fault} × ${call}`) ?? words.get(fault);
  const help = found && HELP[found[0]];
  if (found === undefined || help === undefined) throw new Error(`Nobody said what ${fault} × ${call} is told as.`);
  const host = call === 'exchange' ? 'app.example.test' : 'api.example.test';
  const time = call !== 'trigger' ? '30s' : found[1].startsWith('no connection') ? '15s' : '2m';
  return { cause: found[1].replace(/\bHOST\b/, host).replace(/\bTIME\b/, time), help: help(call, host) };
}
