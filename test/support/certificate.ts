/** Creates certificates for this machine at run time, so that no file contains a private key. */
import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate and its private key, both as PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

/** Creates a self-signed certificate for localhost, 127.0.0.1, ::1 and further host names. */
export function selfSigned(...hosts: readonly string[]): Identity {
  return signedUntil('491231235959Z', hosts);
}

/** Creates an expired self-signed certificate for this machine. */
export function expired(): Identity {
  return signedUntil('200102000000Z', []);
}

/** Creates a certificate as defined in RFC 5280. Two-digit years range from 1950 to 2049. */
function signedUntil(end: string, hosts: readonly string[]): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('run-pipeline sandbox')))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ECDSA_WITH_SHA256,
    name,
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from(end))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions(hosts),
  );
  const signature = der(0x03, hex('00'), sign('sha256', toBeSigned, privateKey));
  const lines =
    sequence(toBeSigned, ECDSA_WITH_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

function extensions(hosts: readonly string[]): Buffer {
  const names = [...hosts, 'localhost'].map((host) => der(0x82, Buffer.from(host)));
  const addresses = [hex('7f000001'), hex('1'.padStart(32, '0'))].map((address) => der(0x87, address));
  // The certificate is its own authority, so that a client can trust it as an extra certificate.
  const constraints = sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE)));
  return der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, sequence(...names, ...addresses))), constraints));
}

/** Encodes a DER element: its tag, its length and its contents. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), contents]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}

const TRUE = der(0x01, hex('ff'));
/** Object identifiers. */
const COMMON_NAME = der(0x06, hex('550403'));
const SUBJECT_ALT_NAME = der(0x06, hex('551d11'));
const BASIC_CONSTRAINTS = der(0x06, hex('551d13'));
const ECDSA_WITH_SHA256 = sequence(der(0x06, hex('2a8648ce3d040302')));
