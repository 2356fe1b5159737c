/**
 * How each call ends whose every request meets the fault: the kind of its outcome (src/service/api.ts);
 * `hopeless`: no other try can help; `wait`: what Retry-After asked for; `×3`: so many requests, each with a
 * new token; `after`: how long it took.
 */
export const SERVICE_TABLE = `
fault                                            | exchange                | list                    | trigger                 | read                    | cancel
DNS: no such host                                | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
DNS: no answer                                   | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
connection refused                               | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
host unreachable                                 | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
connect gives up (ETIMEDOUT)                     | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
connect never answers                            | not_processed after 30s | not_processed after 30s | not_processed after 15s | not_processed after 30s | not_processed after 30s
reset before the connection stands               | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
odd error before the connection stands           | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
TLS: handshake fails                             | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
TLS: certificate unknown                         | not_processed hopeless  | not_processed hopeless  | not_processed hopeless  | not_processed hopeless  | not_processed hopeless
TLS: certificate self-signed                     | not_processed hopeless  | not_processed hopeless  | not_processed hopeless  | not_processed hopeless  | not_processed hopeless
TLS: certificate expired                         | not_processed hopeless  | not_processed hopeless  | not_processed hopeless  | not_processed hopeless  | not_processed hopeless
TLS: certificate of another host                 | not_processed hopeless  | not_processed hopeless  | not_processed hopeless  | not_processed hopeless  | not_processed hopeless
proxy unreachable                                | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
proxy refuses (403)                              | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
proxy wants credentials (407)                    | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
proxy cannot reach the host (502)                | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
proxy never answers                              | not_processed after 30s | not_processed after 30s | not_processed after 15s | not_processed after 30s | not_processed after 30s
reset before the request body                    | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
reset during the request body                    | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
reset after the request body                     | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
closed after the request body                    | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
ETIMEDOUT after the request body                 | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
TLS fails after the request                      | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
TLS: our certificate is wanted after the request | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
answer is not HTTP                               | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
headers never come                               | perhaps after 30s       | perhaps after 30s       | perhaps after 2m        | perhaps after 30s       | perhaps after 30s
body never comes                                 | perhaps after 30s       | perhaps after 30s       | perhaps after 2m        | perhaps after 30s       | accepted after 30s
body stalls halfway                              | perhaps after 30s       | perhaps after 30s       | perhaps after 2m        | perhaps after 30s       | accepted after 30s
body cut off at its start                        | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
body cut off halfway                             | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
body reset halfway                               | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
body cut off right after its last byte           | perhaps                 | perhaps                 | queued                  | perhaps                 | accepted
body stalls right after its last byte            | perhaps after 30s       | perhaps after 30s       | queued                  | perhaps after 30s       | accepted after 30s
chunked and broken                               | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
body far too large                               | perhaps                 | perhaps                 | queued                  | perhaps                 | accepted
no body                                          | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
204 without a body                               | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
not UTF-8                                        | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
not JSON                                         | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
two JSON texts                                   | perhaps                 | perhaps                 | perhaps                 | perhaps                 | accepted
JSON null                                        | key_refused             | rejected                | no_credits              | perhaps                 | accepted
JSON number                                      | key_refused             | rejected                | perhaps                 | perhaps                 | accepted
JSON string                                      | key_refused             | rejected                | perhaps                 | perhaps                 | accepted
JSON object of another shape                     | key_refused             | rejected                | perhaps                 | perhaps                 | accepted
JSON error in a 200                              | key_refused             | rejected                | perhaps                 | perhaps                 | accepted
JSON array of numbers                            | key_refused             | rejected                | perhaps                 | perhaps                 | accepted
empty array                                      | key_refused             | pipelines               | perhaps                 | missing                 | unchanged
another run's row                                | key_refused             | rejected                | perhaps                 | perhaps                 | accepted
two rows                                         | key_refused             | pipelines               | perhaps                 | perhaps                 | accepted
row without a status                             | connected               | pipelines               | queued                  | perhaps                 | accepted
web page with 200                                | rejected                | perhaps                 | perhaps                 | perhaps                 | accepted
HTTP 301 to the same host                        | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 301 to another host                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 302 to the same host                        | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 302 to another host                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 307 to the same host                        | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 307 to another host                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 308 to the same host                        | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 308 to another host                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 400                                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 401                                         | key_refused             | unauthorized ×3         | unauthorized ×3         | unauthorized ×2         | unauthorized ×3
HTTP 403                                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 403 as a web page                           | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 404                                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 407                                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 408                                         | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
HTTP 409                                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 413                                         | rejected                | rejected                | rejected                | rejected                | rejected
HTTP 429, Retry-After in seconds                 | not_processed wait 20s  | not_processed wait 20s  | not_processed wait 20s  | not_processed wait 20s  | not_processed wait 20s
HTTP 429, Retry-After as a date                  | not_processed wait 45s  | not_processed wait 45s  | not_processed wait 45s  | not_processed wait 45s  | not_processed wait 45s
HTTP 429, Retry-After absurd                     | not_processed wait 1m   | not_processed wait 1m   | not_processed wait 1m   | not_processed wait 1m   | not_processed wait 1m
HTTP 429, Retry-After nonsense                   | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
HTTP 429, Retry-After missing                    | not_processed           | not_processed           | not_processed           | not_processed           | not_processed
HTTP 500                                         | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
HTTP 502                                         | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
HTTP 503                                         | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
HTTP 503, Retry-After in seconds                 | perhaps wait 20s        | perhaps wait 20s        | perhaps wait 20s        | perhaps wait 20s        | perhaps wait 20s
HTTP 504                                         | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
HTTP 103 and no more                             | perhaps                 | perhaps                 | perhaps                 | perhaps                 | perhaps
`;
