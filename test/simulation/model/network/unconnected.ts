import type { Fault } from '../spec.ts';
import { connectingMs } from './connecting.ts';
import { failing, type Legs, type Step } from './script.ts';

/** Faults before the connection stands, worded as node:http words them. */
export function unconnected({ what, ms }: Fault, { connecting }: Legs): Step[] | undefined {
  const lookedUp = connectingMs(connecting, 'lookup');
  const reached = connectingMs(connecting, 'tcp');
  const at = connectingMs(connecting);
  switch (what) {
    case 'refused':
      return [failing(reached, 'ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:443')];
    case 'unresolved':
      return [failing(lookedUp, 'ENOTFOUND', 'getaddrinfo ENOTFOUND app.example.test')];
    case 'unreachable':
      return [failing(ms, 'ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443')];
    case 'hanging_lookup':
      return [failing(lookedUp, 'EAI_AGAIN', 'getaddrinfo EAI_AGAIN app.example.test')];
    case 'hanging_tcp':
    case 'hanging_proxy':
    case 'hanging_tls':
      return [];
    case 'reset_connecting':
      return [
        failing(at, 'ECONNRESET', 'Client network socket disconnected before secure TLS connection was established'),
      ];
    case 'handshake':
      return [failing(at, 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ssl/tls alert handshake failure')];
    case 'certificate_authority':
      return [failing(at, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate')];
    case 'certificate_expired':
      return [failing(at, 'CERT_HAS_EXPIRED', 'certificate has expired')];
    case 'certificate_host':
      return [
        failing(
          at,
          'ERR_TLS_CERT_ALTNAME_INVALID',
          "Hostname/IP does not match certificate's altnames: Host: app.example.test. is not in the cert's altnames",
        ),
      ];
    case 'proxy_refuses':
      return [failing(at, 'ECONNRESET', 'tunneling socket could not be established, statusCode=407')];
    case 'proxy_gone':
      return [
        failing(
          at,
          'ECONNRESET',
          'tunneling socket could not be established, cause=connect ECONNREFUSED 192.0.2.9:3128',
        ),
      ];
    default:
      return undefined;
  }
}
