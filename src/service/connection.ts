import { oneLine } from '../base/text.ts';
import { type Failure, problemOf, proxyLoginRemedy, type Subject, TOO_MANY_FILES } from './problem.ts';
import { PROXY_FAILED, type Unanswered } from './send.ts';

const SYSTEM_CAS = "or set NODE_USE_SYSTEM_CA=1 to use the runner's trusted CAs.";
const SET_EXTRA_CAS = `set NODE_EXTRA_CA_CERTS to the CA certificate's path, ${SYSTEM_CAS}`;
const CHECK_EXTRA_CAS = `check that the file in NODE_EXTRA_CA_CERTS, which is already set, exists and contains the CA certificate, ${SYSTEM_CAS}`;
const DATES = "Check the runner's clock and the certificate's validity dates. To trust your own CA, {trust}";
const OTHER_HOST =
  'The certificate belongs to another host. Check the host name, and check whether a proxy or firewall is responding in place of the host.';
const UNKNOWN_CA = 'If a proxy or an internal CA signed the certificate, {trust}';
const INCOMPLETE_CHAIN = `A proxy or an internal CA signed the certificate, or the server does not send its intermediate certificate (browsers can work around this). If a proxy or an internal CA signed the certificate, {trust} Otherwise, ask the server's operators to install the complete certificate chain.`;
const WEAK =
  'Trusting the CA will not help. Ask the operators of the proxy, the internal CA or the service to replace the certificate with one that has an RSA key of at least 2048 bits and a SHA-256 signature.';
const INVALID =
  'Ask the operators of the proxy, the internal CA or the service to replace the certificate with a valid one.';
const ALLOW_HOST = 'Check that the proxy allows connections to {host}, or add {host} to no_proxy.';
const OTHER_PORT =
  'Check the port in the URL, and check whether a proxy or firewall is responding in place of the host.';
const NEWER_TLS = 'Enable TLS 1.2 or newer on the server, or on the proxy in front of it.';
const NO_CLIENT_CERTIFICATE =
  'The action does not support client certificates. Ask the operators of {host}, or of the gateway in front of it, to allow connections without a client certificate.';
const LARGER_HEADER =
  "Find out which proxy or gateway adds the large headers. To raise the limit (by default, 16 KiB), set NODE_OPTIONS to --max-http-header-size=65536 in the step's env.";
/** The user can correct only the host of the exchange, because the API host comes from the service itself. */
const CHECK_BASE_URL = "Check base-url and the runner's network, firewall and proxy settings (https_proxy, no_proxy).";
const CHECK_NETWORK =
  "Check the runner's network, firewall and proxy settings (https_proxy, no_proxy). This host name comes from the service, not from base-url.";

const CHECK_PROXY = 'Check https_proxy and no_proxy on the runner.';

const NOT_ACCEPTED = 'Node rejected the certificate of {host}';
const NO_TLS = 'the TLS handshake with {host} failed';

/** What an error means. `when` matches Node's code and message. If a cause is final, no retry helps. */
type Row = readonly [when: RegExp, cause: string, remedy?: string, isFinal?: 'final'];

/** With TLS 1.3, this error arrives only after the client's handshake, but before the server reads the request. */
const CLIENT_CERTIFICATE: Row = [
  /^\w+ALERT_CERTIFICATE_REQUIRED /,
  '{host} requires a client certificate',
  NO_CLIENT_CERTIFICATE,
  'final',
];

const HANDSHAKE_FAILED: Row = [/^(?:EPROTO|ERR_SSL_|ERR_TLS_)/, `${NO_TLS} ({why})`, '{check}'];

/**
 * Errors that occurred before the connection was established. The codes of certificate errors are listed at
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes. OpenSSL's reason may be only in the message:
 * https://github.com/nodejs/node/issues/59715
 */
const EARLY: readonly Row[] = [
  [/^E[MN]FILE /, 'the runner has too many open files', TOO_MANY_FILES],
  [
    /^PROXY_ADDRESS /,
    '{message}',
    'Set the variable to a URL such as http://proxy.example.com:8080, or add {host} to no_proxy.',
    'final',
  ],
  [/^PROXY_REFUSED 407$/, 'the proxy refused a connection to {host} with HTTP 407', '{login}', 'final'],
  [/^PROXY_REFUSED /, 'the proxy refused a connection to {host} with HTTP {message}', ALLOW_HOST],
  [/key[ _]too[ _](?:weak|small)/i, `${NOT_ACCEPTED} (key too weak)`, WEAK, 'final'],
  [/(?:md|digest algorithm)[ _]too[ _]weak/i, `${NOT_ACCEPTED} (signature too weak)`, WEAK, 'final'],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID) /, `${NOT_ACCEPTED} ({code})`, DATES, 'final'],
  [
    /^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?) /,
    `${NOT_ACCEPTED} ({code})`,
    INCOMPLETE_CHAIN,
    'final',
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID /, `${NOT_ACCEPTED} ({code})`, OTHER_HOST, 'final'],
  [
    /^(?:CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA |INVALID_PURPOSE |PATH_LENGTH_EXCEEDED |ERROR_IN_CE?RT_)/,
    `${NOT_ACCEPTED} ({code})`,
    UNKNOWN_CA,
    'final',
  ],
  // Node has a code for only some of OpenSSL's reasons.
  [/^UNSPECIFIED /, `${NOT_ACCEPTED} ({message})`, INVALID, 'final'],
  [/^(?:ENOTFOUND|EAI_AGAIN) /, 'the host name {host} could not be resolved ({code})', '{check}'],
  [/^ECONNREFUSED /, '{host} refused the connection ({code})', '{check}'],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH) /, '{host} could not be reached ({code})', '{check}'],
  [/^(?:ECONNRESET|EPIPE) /, 'the connection attempt to {host} failed ({code})', '{check}'],
  [/^DEADLINE /, 'no connection to {host} {message}', '{check}'],
  [
    /(?:wrong[ _]version[ _]number|packet[ _]length[ _]too[ _]long|http[ _]request)/i,
    `${NO_TLS} (the server does not speak TLS on this port)`,
    OTHER_PORT,
    'final',
  ],
  [
    /(?:unsupported[ _]protocol|protocol[ _]version)/i,
    `${NO_TLS} (the server supports only outdated versions of TLS)`,
    NEWER_TLS,
    'final',
  ],
  CLIENT_CERTIFICATE,
  // Damage in transit and an overloaded server are temporary. All other handshake failures persist.
  [
    /^(?:EPROTO|ERR_SSL_|ERR_TLS_)(?!.*(?:internal|bad[ _]record[ _]mac|unexpected[ _]eof))/i,
    `${NO_TLS} ({why})`,
    '{check}',
    'final',
  ],
  HANDSHAKE_FAILED,
];
const OTHER_EARLY: Row = [/^/, 'no connection to {host} ({why})', '{check}'];

const NOT_HTTP: Row = [/^HPE_/, '{host} did not respond with HTTP ({code})'];

/** Errors that occurred after the connection was established. */
const LATE: readonly Row[] = [
  CLIENT_CERTIFICATE,
  [/^DEADLINE /, 'no response from {host} {message}'],
  [/^(?:ECONNRESET|EPIPE) /, 'the connection to {host} was lost before a response arrived ({code})'],
  [/^HPE_HEADER_OVERFLOW /, "the response headers from {host} exceed Node's limit ({code})", LARGER_HEADER, 'final'],
  NOT_HTTP,
];
const OTHER_LATE: Row = [/^/, 'the connection to {host} failed without a response ({why})'];

/** Longer than any message of Node or OpenSSL. */
const LONGEST_MESSAGE = 2_000;

/** Errors of a proxy, which the causes name in place of the host. */
const OF_PROXY: readonly Row[] = [
  ...[...EARLY, ...LATE].filter(([, , , final]) => final !== undefined),
  HANDSHAKE_FAILED,
  NOT_HTTP,
  [/^(?:ECONNRESET|EPIPE) /, '{host} closed the connection ({code})'],
];
const OTHER_OF_PROXY: Row = [/^/, '{host} could not be reached ({message})'];

/** Determines what a missing response means for its request. */
export function failureOfConnection(subject: Subject, answer: Unanswered): Failure {
  const { call, hasExtraCas, host, clean } = subject;
  const { connected } = answer;
  const message = clean(answer.message, LONGEST_MESSAGE);
  const isOfProxy = answer.code.startsWith(PROXY_FAILED);
  const code = isOfProxy ? answer.code.slice(PROXY_FAILED.length) : answer.code;
  const early = isOfProxy ? ([OF_PROXY, OTHER_OF_PROXY] as const) : ([EARLY, OTHER_EARLY] as const);
  const [rows, other] = connected ? ([LATE, OTHER_LATE] as const) : early;
  const row = rows.find(([when]) => when.test(`${code} ${message}`)) ?? other;
  const [, cause, remedy, final] = row;
  const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
  const checkHost = call === 'exchange' ? CHECK_BASE_URL : CHECK_NETWORK;
  const words: Readonly<Record<string, string>> = {
    host: isOfProxy ? 'the proxy' : host,
    code,
    message: oneLine(message, 200),
    why: oneLine(reason.includes(code) ? reason : `${code} ${reason}`, 200),
    check: isOfProxy ? CHECK_PROXY : checkHost,
    login: proxyLoginRemedy(subject),
    trust: hasExtraCas ? CHECK_EXTRA_CAS : SET_EXTRA_CAS,
  };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (all, name: string) => words[name] ?? all);
  const ofProxy = remedy === undefined || remedy === '{check}' ? '{check}' : `${remedy} {check}`;
  const advice = isOfProxy ? ofProxy : remedy;
  const problem = problemOf(call, fill(cause), advice && fill(advice));
  const isUnprocessed = !connected || row === CLIENT_CERTIFICATE;
  return { kind: isUnprocessed ? 'not_processed' : 'maybe_processed', problem, isFinal: final !== undefined };
}
