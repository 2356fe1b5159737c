import { createHmac } from 'node:crypto';
import { basename } from 'node:path';

/**
 * Proves that whoever wrote main's record had the API key. Any step of the job could write a record that names a host of
 * its own; without the seal, the key is never sent to that host. Reveals no more of the key than any signature made with
 * it. The folder of the journal is left out, because it may have several spellings.
 */
export function sealOf(apiKey: string, baseUrl: string, journal: string): string {
  return createHmac('sha256', apiKey)
    .update(`${baseUrl}\n${basename(journal)}`)
    .digest('hex');
}
