/**
 * How a whole step ends in which every request of one call meets the fault: the output `outcome`, then
 * `job-status` where it is not the usual one (not_queued, unknown, queued, completed), then how many triggers were
 * sent, and how many cancels. The exit code is 0 for `succeeded` and 1 for all else.
 */
export const ALWAYS = `
fault                                            | exchange        | list            | trigger         | read   | cancel                      | cancel on a signal
DNS: no such host                                | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
DNS: no answer                                   | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
connection refused                               | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
host unreachable                                 | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
connect gives up (ETIMEDOUT)                     | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
connect never answers                            | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+6  | cancelled running 1+4
reset before the connection stands               | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
odd error before the connection stands           | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
TLS: handshake fails                             | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
TLS: certificate unknown                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
TLS: certificate self-signed                     | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
TLS: certificate expired                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
TLS: certificate of another host                 | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
proxy unreachable                                | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
proxy refuses (403)                              | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
proxy wants credentials (407)                    | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
proxy cannot reach the host (502)                | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
proxy never answers                              | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+6  | cancelled running 1+4
reset before the request body                    | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
reset during the request body                    | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
reset after the request body                     | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+13
closed after the request body                    | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+13
ETIMEDOUT after the request body                 | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+13
TLS fails after the request                      | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
TLS: our certificate is wanted after the request | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
answer is not HTTP                               | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
headers never come                               | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+6  | cancelled running 1+4
body never comes                                 | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+6  | cancelled running 1+4
body stalls halfway                              | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+6  | cancelled running 1+4
body cut off at its start                        | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
body cut off halfway                             | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
body reset halfway                               | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
body cut off right after its last byte           | not_triggered 0 | not_triggered 0 | succeeded 1     | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
body stalls right after its last byte            | not_triggered 0 | not_triggered 0 | succeeded 1     | lost 1 | wait_timed_out running 1+6  | cancelled running 1+4
chunked and broken                               | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
body far too large                               | not_triggered 0 | not_triggered 0 | succeeded 1     | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
no body                                          | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
204 without a body                               | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
not UTF-8                                        | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
not JSON                                         | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
two JSON texts                                   | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
JSON null                                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
JSON number                                      | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
JSON string                                      | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
JSON object of another shape                     | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
JSON error in a 200                              | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
JSON array of numbers                            | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
empty array                                      | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
another run's row                                | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
two rows                                         | not_triggered 0 | succeeded 1     | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
row without a status                             | succeeded 1     | succeeded 1     | succeeded 1     | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
web page with 200                                | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 301 to the same host                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 301 to another host                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 302 to the same host                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 302 to another host                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 307 to the same host                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 307 to another host                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 308 to the same host                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 308 to another host                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 400                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 401                                         | not_triggered 0 | not_triggered 0 | not_triggered 3 | lost 1 | wait_timed_out running 1+54 | cancelled running 1+42
HTTP 403                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 403 as a web page                           | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 404                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 407                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 408                                         | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 409                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 413                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 429, Retry-After in seconds                 | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+7  | cancelled running 1+4
HTTP 429, Retry-After as a date                  | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+6  | cancelled running 1+4
HTTP 429, Retry-After absurd                     | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+6  | cancelled running 1+4
HTTP 429, Retry-After nonsense                   | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 429, Retry-After missing                    | not_triggered 0 | not_triggered 0 | not_triggered 8 | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 500                                         | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 502                                         | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 503                                         | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 503, Retry-After in seconds                 | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+7  | cancelled running 1+4
HTTP 504                                         | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
HTTP 103 and no more                             | not_triggered 0 | not_triggered 0 | unknown 1       | lost 1 | wait_timed_out running 1+18 | cancelled running 1+14
`;

/** The same where only the first request of the call meets the fault. */
export const ONCE = `
fault                                            | exchange        | list            | trigger         | read        | cancel                       | cancel on a signal
DNS: no such host                                | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
DNS: no answer                                   | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
connection refused                               | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
host unreachable                                 | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
connect gives up (ETIMEDOUT)                     | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
connect never answers                            | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
reset before the connection stands               | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
odd error before the connection stands           | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
TLS: handshake fails                             | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
TLS: certificate unknown                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
TLS: certificate self-signed                     | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
TLS: certificate expired                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
TLS: certificate of another host                 | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
proxy unreachable                                | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
proxy refuses (403)                              | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
proxy wants credentials (407)                    | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
proxy cannot reach the host (502)                | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
proxy never answers                              | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
reset before the request body                    | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
reset during the request body                    | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
reset after the request body                     | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
closed after the request body                    | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
ETIMEDOUT after the request body                 | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
TLS fails after the request                      | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
TLS: our certificate is wanted after the request | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
answer is not HTTP                               | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
headers never come                               | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
body never comes                                 | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
body stalls halfway                              | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
body cut off at its start                        | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
body cut off halfway                             | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
body reset halfway                               | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
body cut off right after its last byte           | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
body stalls right after its last byte            | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
chunked and broken                               | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
body far too large                               | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
no body                                          | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
204 without a body                               | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
not UTF-8                                        | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
not JSON                                         | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
two JSON texts                                   | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
JSON null                                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
JSON number                                      | not_triggered 0 | not_triggered 0 | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
JSON string                                      | not_triggered 0 | not_triggered 0 | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
JSON object of another shape                     | not_triggered 0 | not_triggered 0 | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
JSON error in a 200                              | not_triggered 0 | not_triggered 0 | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
JSON array of numbers                            | not_triggered 0 | not_triggered 0 | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
empty array                                      | not_triggered 0 | not_triggered 0 | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
another run's row                                | not_triggered 0 | not_triggered 0 | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
two rows                                         | not_triggered 0 | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
row without a status                             | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
web page with 200                                | not_triggered 0 | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 301 to the same host                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 301 to another host                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 302 to the same host                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 302 to another host                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 307 to the same host                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 307 to another host                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 308 to the same host                        | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 308 to another host                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 400                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 401                                         | not_triggered 0 | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 403                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 403 as a web page                           | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 404                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 407                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 408                                         | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 409                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 413                                         | not_triggered 0 | not_triggered 0 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 429, Retry-After in seconds                 | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 429, Retry-After as a date                  | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 429, Retry-After absurd                     | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 429, Retry-After nonsense                   | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 429, Retry-After missing                    | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 500                                         | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 502                                         | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 503                                         | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 503, Retry-After in seconds                 | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 504                                         | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
HTTP 103 and no more                             | succeeded 1     | succeeded 1     | unknown 1       | succeeded 1 | wait_timed_out cancelled 1+2 | cancelled cancelled 1+2
`;
