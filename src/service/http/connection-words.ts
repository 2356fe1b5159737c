import { formatDuration } from '../../base/duration.ts';
import { oneLine } from '../../base/safe-text.ts';
import type { Unanswered } from './transport.ts';

/** The description of a connection failure. `retryable` is false if another attempt cannot help. */
export interface ConnectionWords {
  readonly cause: string;
  readonly remedy?: string;
  readonly retryable?: boolean;
}

const CHECK_NETWORK = "Check the runner's network, firewall and proxy settings (https_proxy, no_proxy).";

/**
 * Describes an attempt without a response. The error code affects only the wording and whether a retry may help.
 *
 * @param isGiven true if the host comes from base-url, false if the service named it
 */
export function connectionWords(unanswered: Unanswered, host: string, isGiven: boolean): ConnectionWords {
  const { connected, deadlineMs, error } = unanswered;
  if (error === undefined) {
    const within = deadlineMs === undefined ? '' : ` within ${formatDuration(deadlineMs)}`;
    if (connected) return { cause: `no response from ${host}${within}` };
    return { cause: `no connection to ${host}${within}`, remedy: CHECK_NETWORK };
  }
  const { code = '', message } = error;
  if (CERTIFICATE.test(code)) {
    const remedy = CERTIFICATE_REMEDIES[code] ?? UNKNOWN_AUTHORITY;
    return { cause: `the certificate of ${host} was not accepted (${code})`, remedy, retryable: false };
  }
  return connected
    ? lateWords(code, message, host)
    : (proxyWords(message, host) ?? earlyWords(code, message, host, isGiven));
}

/** Describes an error that occurred before the connection was established. */
function earlyWords(code: string, message: string, host: string, isGiven: boolean): ConnectionWords {
  const checkHost = isGiven
    ? "Check base-url and the runner's network and proxy settings (https_proxy, no_proxy)."
    : `${CHECK_NETWORK} The host name came from the service, not from base-url.`;
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { cause: `the host name ${host} could not be resolved (${code})`, remedy: checkHost };
    case 'ECONNREFUSED':
      return { cause: `${host} refused the connection (${code})`, remedy: checkHost };
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { cause: `${host} could not be reached (${code})`, remedy: CHECK_NETWORK };
    case 'ECONNRESET':
    case 'EPIPE':
      return {
        cause: `the connection to ${host} failed while it was being established (${code})`,
        remedy: CHECK_NETWORK,
      };
    default:
      break;
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
    const why = oneLine(`${code}: ${reason}`, 200);
    return { cause: `the TLS handshake with ${host} failed (${why})`, remedy: checkHost };
  }
  return { cause: `no connection to ${host} (${oneLine(`${code} ${message}`, 200)})`, remedy: CHECK_NETWORK };
}

/** Describes an error that occurred after the connection was established. */
function lateWords(code: string, message: string, host: string): ConnectionWords {
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return { cause: `the connection to ${host} was reset before a response arrived (${code})` };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      cause: `the response headers from ${host} exceed Node's limit, which is 16 KiB by default (${code})`,
      remedy:
        'Check which proxy or gateway adds headers. To raise the limit, set NODE_OPTIONS to ' +
        "--max-http-header-size=65536 in the step's env.",
    };
  }
  if (code.startsWith('HPE_')) return { cause: `${host} did not respond with HTTP (${code})` };
  return { cause: `the connection to ${host} failed without a response (${oneLine(`${code} ${message}`, 200)})` };
}

/** Describes a failure of the proxy agent, which reports every failure as a reset. Only the message differs. */
function proxyWords(message: string, host: string): ConnectionWords | undefined {
  const { reason, status } =
    /tunneling socket could not be established, (?:cause=(?<reason>.*)|statusCode=(?<status>\d+))/s.exec(message)
      ?.groups ?? {};
  if (reason !== undefined) {
    const cause = `the proxy could not be reached (${oneLine(reason, 200)})`;
    return { cause, remedy: 'Check https_proxy and no_proxy on the runner.' };
  }
  if (status === undefined) return undefined;
  const remedy =
    status === '407'
      ? 'The proxy asks for credentials. Add them to https_proxy on the runner, or add the host to no_proxy.'
      : `Check that the proxy allows connections to ${host}.`;
  return { cause: `the proxy refused a connection to ${host} with HTTP ${status}`, remedy };
}

/** Error codes for rejected certificates (Node's documentation of TLS, "X509 certificate error codes"). */
const CERTIFICATE =
  /^(?:CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|ERROR_IN_CERT_)/;

const UNKNOWN_AUTHORITY =
  "If a proxy or an internal CA signed the certificate, set NODE_EXTRA_CA_CERTS to a file with the CA's certificate, " +
  "or set NODE_USE_SYSTEM_CA=1 to use the runner's trusted CAs.";
const EXPIRED =
  "Check the runner's clock and the certificate's dates. To trust your own CA, set NODE_EXTRA_CA_CERTS or " +
  'NODE_USE_SYSTEM_CA=1.';
const CERTIFICATE_REMEDIES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: EXPIRED,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Check the host name, because the certificate belongs to another host. If a proxy signed it, set ' +
    'NODE_EXTRA_CA_CERTS or NODE_USE_SYSTEM_CA=1.',
};
