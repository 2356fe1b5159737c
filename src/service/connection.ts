import { oneLine } from '../base/text.ts';
import { PROXY_LOGIN, type Subject } from './problem.ts';
import type { Unanswered } from './send.ts';

/** Why there is no response. */
export interface ConnectionFault {
  readonly cause: string;
  readonly remedy?: string;
  /** No retry can help. */
  readonly isFinal?: boolean;
}

/** Describes a request without a response. Only the words and `isFinal` depend on the error code. */
export function connectionFault(answer: Unanswered, { call, host }: Pick<Subject, 'call' | 'host'>): ConnectionFault {
  const { connected, code, message } = answer;
  // The user can correct only the host of the exchange, because the service names the other one.
  const check = call === 'exchange' ? CHECK_BASE_URL : CHECK_NETWORK;
  return (
    certificateFault(code, message, host) ??
    LOCAL[code] ??
    proxyFault(code, message, host) ??
    (connected ? lateFault(code, message, host) : earlyFault(code, message, host, check))
  );
}

function whyOf(code: string, message: string): string {
  return oneLine(message.includes(code) ? message : `${code} ${message}`, 200);
}

/** With TLS 1.3, a server demands a client certificate only after the handshake, but before it reads the request. */
export function isClientCertificateDemanded({ code }: Pick<Unanswered, 'code'>): boolean {
  return /ALERT_CERTIFICATE_REQUIRED$/.test(code);
}

const CHECK_NETWORK =
  "Check the runner's network, firewall and proxy settings (https_proxy, no_proxy). The host name came from the service, not from base-url.";
const CHECK_BASE_URL = "Check base-url and the runner's network, firewall and proxy settings (https_proxy, no_proxy).";

const TRUST =
  "set NODE_EXTRA_CA_CERTS to a file with the CA's certificate, or set NODE_USE_SYSTEM_CA=1 to use the runner's trusted CAs.";
const DATES = `Check the runner's clock and the certificate's dates. To trust a CA of your own, ${TRUST}`;
const OTHER_HOST = `Check the host name, because the certificate belongs to another host. If a proxy signed it, ${TRUST}`;
const UNKNOWN_CA = `If a proxy or an internal CA signed the certificate, ${TRUST}`;
const WEAK =
  'Node refuses keys and signatures that OpenSSL rates as insecure. Ask whoever signed the certificate (a proxy, an internal CA or the service) for one with an RSA key of at least 2048 bits and a SHA-256 signature. NODE_EXTRA_CA_CERTS and NODE_USE_SYSTEM_CA do not help.';

/** Node's codes of rejected certificates: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE =
  /^(?:CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|ERROR_IN_CE?RT_)/;

function certificateFault(code: string, message: string, host: string): ConnectionFault | undefined {
  const notAccepted = `the certificate of ${host} was not accepted`;
  // OpenSSL's reason is only in the message: https://github.com/nodejs/node/issues/59715
  const weak = /(?:key|md|digest algorithm) too (?:weak|small)/i
    .exec(`${message} ${code.replaceAll('_', ' ')}`)?.[0]
    .toLowerCase();
  if (weak !== undefined)
    return {
      cause: `${notAccepted} (${weak.startsWith('key') ? 'key too weak' : 'signature too weak'})`,
      remedy: WEAK,
      isFinal: true,
    };
  if (!CERTIFICATE.test(code)) return undefined;
  const isDate = code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID';
  const remedy = isDate ? DATES : code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? OTHER_HOST : UNKNOWN_CA;
  return { cause: `${notAccepted} (${code})`, remedy, isFinal: true };
}

const TOO_MANY_FILES: ConnectionFault = {
  cause: 'the runner has too many open files',
  remedy: 'Raise the limit of open files on the runner (ulimit -n), or run fewer steps at the same time.',
};

/** Errors of this machine. */
const LOCAL: Readonly<Record<string, ConnectionFault>> = {
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  ERR_ACCESS_DENIED: {
    cause: "Node's permission model forbids network access (ERR_ACCESS_DENIED)",
    remedy: 'Add --allow-net to NODE_OPTIONS, or remove --permission from it.',
    isFinal: true,
  },
};

function proxyFault(code: string, message: string, host: string): ConnectionFault | undefined {
  const allow = `Check that the proxy allows connections to ${host}, or add the host to no_proxy.`;
  switch (code) {
    case 'PROXY_ADDRESS':
      return { cause: message, remedy: 'Correct it on the runner, or add the host to no_proxy.', isFinal: true };
    case 'PROXY_FAILED':
      return {
        cause: `the proxy could not be reached (${oneLine(message, 200)})`,
        remedy: 'Check https_proxy and no_proxy on the runner.',
      };
    case 'PROXY_REFUSED': {
      const cause = `the proxy refused a connection to ${host} with HTTP ${oneLine(message, 20)}`;
      return message === '407' ? { cause, remedy: PROXY_LOGIN, isFinal: true } : { cause, remedy: allow };
    }
    default:
      return undefined;
  }
}

/** Describes an error that occurred before the connection was established. */
function earlyFault(code: string, message: string, host: string, remedy: string): ConnectionFault {
  const cause = EARLY[code]?.(host);
  if (cause !== undefined) return { cause: `${cause} (${code})`, remedy };
  if (code === 'DEADLINE') return { cause: `no connection to ${host} ${message}`, remedy };
  if (/^(?:EPROTO|ERR_SSL_|ERR_TLS_)/.test(code)) return tlsFault(code, message, host, remedy);
  return { cause: `no connection to ${host} (${whyOf(code, message)})`, remedy };
}

const unreachable = (host: string): string => `${host} could not be reached`;
const interrupted = (host: string): string => `the connection to ${host} failed while it was being established`;
const unresolved = (host: string): string => `the host name ${host} could not be resolved`;

const EARLY: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  ECONNREFUSED: (host) => `${host} refused the connection`,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ECONNRESET: interrupted,
  EPIPE: interrupted,
};

/** Damage in transit and an overloaded server pass. All other failures of a handshake stay. */
const PASSING_TLS = /INTERNAL_ERROR|BAD_RECORD_MAC|UNEXPECTED_EOF/i;

function tlsFault(code: string, message: string, host: string, remedy: string): ConnectionFault {
  const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
  const text = `${code} ${reason.replaceAll(' ', '_')}`;
  const failed = (why: string): string => `the TLS handshake with ${host} failed (${why})`;
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/i.test(text))
    return {
      cause: failed('the server does not speak TLS on this port'),
      remedy: 'Check the port in the address, and whether a proxy or firewall answers for the host.',
      isFinal: true,
    };
  if (/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION/i.test(text))
    return {
      cause: failed('the server offers only versions of TLS that are too old'),
      remedy: 'Let the server, or the proxy in front of it, offer TLS 1.2 or newer.',
      isFinal: true,
    };
  if (isClientCertificateDemanded({ code })) return clientCertificate(host);
  return { cause: failed(oneLine(`${code}: ${reason}`, 200)), remedy, isFinal: !PASSING_TLS.test(text) };
}

function clientCertificate(host: string): ConnectionFault {
  return {
    cause: `${host} demands a client certificate`,
    remedy: 'The action has no client certificates. Check base-url, and whether a proxy or gateway demands one.',
    isFinal: true,
  };
}

/** Describes an error that occurred after the connection was established. */
function lateFault(code: string, message: string, host: string): ConnectionFault {
  if (isClientCertificateDemanded({ code })) return clientCertificate(host);
  if (code === 'DEADLINE') return { cause: `no response from ${host} ${message}` };
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return { cause: `the connection to ${host} was lost before a response arrived (${code})` };
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      cause: `the response header from ${host} exceeds Node's limit, which is 16 KiB by default (${code})`,
      remedy:
        "Check which proxy or gateway adds headers. To raise the limit, set NODE_OPTIONS to --max-http-header-size=65536 in the step's env.",
      isFinal: true,
    };
  if (code.startsWith('HPE_')) return { cause: `${host} did not respond with HTTP (${code})` };
  return { cause: `the connection to ${host} failed without a response (${whyOf(code, message)})` };
}
