import { formatDuration } from '../base/duration.ts';
import { oneLine } from '../base/safe-text.ts';
import type { Unanswered } from './transport.ts';
import type { WireError } from './wire.ts';

/** What happened on a connection, and what helps. `hopeless`: no other try will go better. */
export interface ConnectionWords {
  readonly came: string;
  readonly remedy?: string;
  readonly hopeless?: boolean;
}

/** An error's code, or the empty text, and its message. */
type CodedError = Required<WireError>;

const CHECK_NETWORK =
  "Check the runner's network, its firewall and its proxy settings (https_proxy, no_proxy).";

/**
 * Words for an attempt without an answer. An error's code chooses the words, and nothing else. `isGiven`: the host is
 * the one of base-url, and not one that the service named.
 */
export function connectionWords(unanswered: Unanswered, host: string, isGiven: boolean): ConnectionWords {
  const { connected, deadlineMs } = unanswered;
  if (unanswered.error !== undefined) {
    const error = { code: '', ...unanswered.error };
    return (
      certificateWords(error, host) ?? (connected ? lateWords(error, host) : earlyWords(error, host, isGiven))
    );
  }
  const within = deadlineMs === undefined ? '' : ` within ${formatDuration(deadlineMs)}`;
  if (connected) return { came: `no answer from ${host}${within}` };
  return { came: `no connection to ${host}${within}`, remedy: CHECK_NETWORK };
}

/** Words for an error before the connection stood. */
function earlyWords(error: CodedError, host: string, isGiven: boolean): ConnectionWords {
  const proxy = proxyWords(error, host);
  if (proxy) return proxy;
  const checkHost = isGiven
    ? "Check base-url, and the runner's network and proxy settings (https_proxy, no_proxy)."
    : `${CHECK_NETWORK} The service itself named that host.`;
  const { code, message } = error;
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { came: `the host name ${host} could not be resolved (${code})`, remedy: checkHost };
    case 'ECONNREFUSED':
      return { came: `${host} refused the connection (ECONNREFUSED)`, remedy: checkHost };
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { came: `${host} could not be reached (${code})`, remedy: CHECK_NETWORK };
    case 'ECONNRESET':
    case 'EPIPE':
      return {
        came: `the connection to ${host} broke while it was being made (${code})`,
        remedy: CHECK_NETWORK,
      };
    default:
      if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
        const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
        const why = oneLine(`${code}: ${reason}`, 200);
        return { came: `the TLS handshake with ${host} failed (${why})`, remedy: checkHost };
      }
      return { came: `no connection to ${host}: ${plain(error)}`, remedy: CHECK_NETWORK };
  }
}

/** Words for an error after bytes of the request may have left. */
function lateWords(error: CodedError, host: string): ConnectionWords {
  const { code } = error;
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return { came: `the connection to ${host} was reset before an answer came (${code})` };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      came: `the response headers from ${host} exceed Node's limit, which is 16 KiB by default (${code})`,
      remedy:
        'Check which proxy or gateway adds headers. To raise the limit, set NODE_OPTIONS to ' +
        '--max-http-header-size=65536 in the env of the step.',
    };
  }
  if (code.startsWith('HPE_')) return { came: `${host} answered with something that is not HTTP (${code})` };
  return { came: `the connection to ${host} failed before an answer came: ${plain(error)}` };
}

/** The proxy agent turns all of its failures into resets and tells them apart in its message only. */
function proxyWords({ message }: CodedError, host: string): ConnectionWords | undefined {
  const cause = /tunneling socket could not be established, cause=(.*)/s.exec(message)?.[1];
  if (cause !== undefined) {
    return {
      came: `the proxy could not be reached: ${oneLine(cause, 200)}`,
      remedy: 'Check https_proxy and no_proxy on the runner.',
    };
  }
  const status = /tunneling socket could not be established, statusCode=(\d+)/.exec(message)?.[1];
  if (status === undefined) return undefined;
  const remedy =
    status === '407'
      ? 'The proxy asks for credentials: put them into https_proxy on the runner, or add the host to no_proxy.'
      : `Check that the proxy allows connections to ${host}.`;
  return { came: `the proxy refused a connection to ${host} with HTTP ${status}`, remedy };
}

function certificateWords({ code }: CodedError, host: string): ConnectionWords | undefined {
  if (!CERTIFICATE.test(code)) return undefined;
  return {
    came: `the certificate of ${host} was not accepted (${code})`,
    remedy: CERTIFICATE_REMEDIES[code] ?? UNKNOWN_AUTHORITY,
    hopeless: true,
  };
}

/** Codes of a certificate that was looked at and not accepted (Node's documentation of TLS, "X509 certificate error codes"). */
const CERTIFICATE =
  /^(?:CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|ERROR_IN_CERT_)/;

const UNKNOWN_AUTHORITY =
  'If a proxy or an internal authority signed it, set NODE_EXTRA_CA_CERTS to a file with the authority, or ' +
  "NODE_USE_SYSTEM_CA=1 to trust the runner's own certificates.";

const EXPIRED =
  "Check the runner's clock, and the certificate's dates. For an authority of your own, NODE_EXTRA_CA_CERTS and " +
  'NODE_USE_SYSTEM_CA=1 say whom to trust.';

const CERTIFICATE_REMEDIES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: EXPIRED,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate belongs to another host: check the host name. If a proxy in between signed it, set ' +
    'NODE_EXTRA_CA_CERTS or NODE_USE_SYSTEM_CA=1.',
};

function plain({ code, message }: CodedError): string {
  return oneLine(`${code} ${message}`, 200);
}
