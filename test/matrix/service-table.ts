/**
 * How each call ends whose every request meets the fault: the kind of its outcome (src/service/api.ts);
 * `not retryable`: another attempt cannot help; `wait`: what Retry-After asked for; `×3`: so many requests, each with a
 * new token; `after`: how long it took.
 */
export const SERVICE_TABLE = `
fault                                            | exchange                    | list                        | trigger                     | read                        | cancel
DNS: no such host                                | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
DNS: no answer                                   | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
connection refused                               | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
host unreachable                                 | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
connect gives up (ETIMEDOUT)                     | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
connect never answers                            | not_processed after 30s     | not_processed after 30s     | not_processed after 15s     | not_processed after 30s     | not_processed after 30s
reset before the connection stands               | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
odd error before the connection stands           | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
TLS: handshake fails                             | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
TLS: certificate unknown                         | not_processed not retryable | not_processed not retryable | not_processed not retryable | not_processed not retryable | not_processed not retryable
TLS: certificate self-signed                     | not_processed not retryable | not_processed not retryable | not_processed not retryable | not_processed not retryable | not_processed not retryable
TLS: certificate expired                         | not_processed not retryable | not_processed not retryable | not_processed not retryable | not_processed not retryable | not_processed not retryable
TLS: certificate of another host                 | not_processed not retryable | not_processed not retryable | not_processed not retryable | not_processed not retryable | not_processed not retryable
proxy unreachable                                | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
proxy refuses (403)                              | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
proxy wants credentials (407)                    | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
proxy cannot reach the host (502)                | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
proxy never answers                              | not_processed after 30s     | not_processed after 30s     | not_processed after 15s     | not_processed after 30s     | not_processed after 30s
reset before the request body                    | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
reset during the request body                    | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
reset after the request body                     | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
closed after the request body                    | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
ETIMEDOUT after the request body                 | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
TLS fails after the request                      | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
TLS: our certificate is wanted after the request | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
answer is not HTTP                               | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
headers never come                               | maybe_processed after 30s   | maybe_processed after 30s   | maybe_processed after 2m    | maybe_processed after 30s   | maybe_processed after 30s
body never comes                                 | maybe_processed after 30s   | maybe_processed after 30s   | maybe_processed after 2m    | maybe_processed after 30s   | accepted after 30s
body stalls halfway                              | maybe_processed after 30s   | maybe_processed after 30s   | maybe_processed after 2m    | maybe_processed after 30s   | accepted after 30s
body cut off at its start                        | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
body cut off halfway                             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
body reset halfway                               | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
body cut off right after its last byte           | maybe_processed             | maybe_processed             | queued                      | maybe_processed             | accepted
body stalls right after its last byte            | maybe_processed after 30s   | maybe_processed after 30s   | queued                      | maybe_processed after 30s   | accepted after 30s
chunked and broken                               | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
body far too large                               | maybe_processed             | maybe_processed             | queued                      | maybe_processed             | accepted
no body                                          | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
204 without a body                               | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
not UTF-8                                        | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
not JSON                                         | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
two JSON texts                                   | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | accepted
JSON null                                        | key_refused                 | rejected                    | no_credits                  | maybe_processed             | accepted
JSON number                                      | key_refused                 | rejected                    | maybe_processed             | maybe_processed             | accepted
JSON string                                      | key_refused                 | rejected                    | maybe_processed             | maybe_processed             | accepted
JSON object of another shape                     | key_refused                 | rejected                    | maybe_processed             | maybe_processed             | accepted
JSON error in a 200                              | key_refused                 | rejected                    | maybe_processed             | maybe_processed             | accepted
JSON array of numbers                            | key_refused                 | rejected                    | maybe_processed             | maybe_processed             | accepted
empty array                                      | key_refused                 | pipelines                   | maybe_processed             | missing                     | unchanged
another run's row                                | key_refused                 | rejected                    | maybe_processed             | maybe_processed             | accepted
two rows                                         | key_refused                 | pipelines                   | maybe_processed             | maybe_processed             | accepted
row without a status                             | connected                   | pipelines                   | queued                      | maybe_processed             | accepted
web page with 200                                | rejected                    | maybe_processed             | maybe_processed             | maybe_processed             | accepted
HTTP 301 to the same host                        | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 301 to another host                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 302 to the same host                        | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 302 to another host                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 307 to the same host                        | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 307 to another host                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 308 to the same host                        | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 308 to another host                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 400                                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 401                                         | key_refused                 | unauthorized ×3             | unauthorized ×3             | unauthorized ×2             | unauthorized ×3
HTTP 403                                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 403 as a web page                           | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 404                                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 407                                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 408                                         | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
HTTP 409                                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 413                                         | rejected                    | rejected                    | rejected                    | rejected                    | rejected
HTTP 429, Retry-After in seconds                 | not_processed wait 20s      | not_processed wait 20s      | not_processed wait 20s      | not_processed wait 20s      | not_processed wait 20s
HTTP 429, Retry-After as a date                  | not_processed wait 45s      | not_processed wait 45s      | not_processed wait 45s      | not_processed wait 45s      | not_processed wait 45s
HTTP 429, Retry-After absurd                     | not_processed wait 1m       | not_processed wait 1m       | not_processed wait 1m       | not_processed wait 1m       | not_processed wait 1m
HTTP 429, Retry-After nonsense                   | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
HTTP 429, Retry-After missing                    | not_processed               | not_processed               | not_processed               | not_processed               | not_processed
HTTP 500                                         | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
HTTP 502                                         | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
HTTP 503                                         | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
HTTP 503, Retry-After in seconds                 | maybe_processed wait 20s    | maybe_processed wait 20s    | maybe_processed wait 20s    | maybe_processed wait 20s    | maybe_processed wait 20s
HTTP 504                                         | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
HTTP 103 and no more                             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed             | maybe_processed
`;
