import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';

/* Content codings (RFC 9110, 8.4.1). The action asks for none, but some gateways compress their responses anyway. */

/**
 * Returns the codings of a body, such as `gzip` or `gzip,br`, or '' if its bytes are the text. Upper case stays, because
 * a header may echo a secret, which the redaction would not find in lower case.
 */
export function codingsOf({
  'content-encoding': content = '',
  'transfer-encoding': transfer = '',
}: IncomingHttpHeaders) {
  return `${content},${transfer}`
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => !/^(?:chunked|identity)?$/i.test(coding))
    .join(',');
}

/** Returns whether `decoderFor` has a decoder for these codings. */
export function isDecodable(codings: string): boolean {
  return /^(?:(?:x-)?gzip|deflate|br)$/i.test(codings);
}

/** Creates a decoder for a body with this first byte. */
export async function decoderFor(codings: string, firstByte: number): Promise<Transform> {
  const zlib = await import('node:zlib');
  const coding = codings.toLowerCase();
  if (coding === 'br') return zlib.createBrotliDecompress();
  if (coding !== 'deflate') return zlib.createGunzip();
  // The name means zlib's format (RFC 1950), which begins with the method 8, but some servers send raw data (RFC 1951).
  return (firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
}
