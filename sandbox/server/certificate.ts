/** Creates certificates for this machine at run time, so that no file contains a private key. */
import { generateKeyPairSync, sign } from 'node:crypto';

/** Encodes a DER element: its tag, its length and its contents. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), contents]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const hex = (digits: string) => Buffer.from(digits, 'hex');
/** Encodes an object identifier whose contents are already encoded. */
const oid = (digits: string) => der(0x06, hex(digits));
const utcTime = (text: string) => der(0x17, Buffer.from(text));
const bits = (contents: Buffer) => der(0x03, Buffer.from([0]), contents);

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const SUBJECT_ALT_NAME = oid('551d11');
const BASIC_CONSTRAINTS = oid('551d13');
const TRUE = der(0x01, hex('ff'));

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
}

function extensions(hosts: readonly string[]): Buffer {
  const names = sequence(
    ...hosts.map((host) => der(0x82, Buffer.from(host))),
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  );
  // The certificate is its own authority, so that a client can trust it as an extra certificate.
  const constraints = sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE)));
  return der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, names)), constraints));
}

/** A certificate and its private key, both as PEM. */
interface Identity {
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

function signedUntil(end: string, hosts: readonly string[]): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = nameOf('run-pipeline sandbox');
  const toBeSigned = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ECDSA_WITH_SHA256,
    name,
    // Two-digit years range from 1950 to 2049.
    sequence(utcTime('200101000000Z'), utcTime(end)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions(hosts),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const body = sequence(toBeSigned, ECDSA_WITH_SHA256, bits(signature)).toString('base64');
  const lines = body.match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
