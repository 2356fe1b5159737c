// What a client learns from one request, derived from the events on its connection and the API documentation.
import { parsed, type RequestFact } from '../model/facts.ts';

export type Observed =
  /** The connection failed or the service responded with 429, so the service did not process the request. */
  | { readonly kind: 'unsent'; readonly retryable: boolean }
  | { readonly kind: 'maybe_processed' }
  /** The service responded with 401. */
  | { readonly kind: 'denied' }
  /** The service understood the request and refused it, or redirected it. */
  | { readonly kind: 'no' }
  | { readonly kind: 'id'; readonly id: string }
  /** The service responded to a trigger with JSON null, because the workspace is out of credits. */
  | { readonly kind: 'null' }
  | { readonly kind: 'row'; readonly status: string }
  /** The service returned an empty array. */
  | { readonly kind: 'none' }
  | { readonly kind: 'list' }
  | { readonly kind: 'token'; readonly token: string }
  /** The exchange got a response without a token. */
  | { readonly kind: 'refused' }
  /** The process exited before the response. */
  | { readonly kind: 'nothing' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const MOST_BYTES = 262_144;
const MOST_BYTES_OF_A_LIST = 4_194_304;

const FINAL = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];

export function isFinal(status: string): boolean {
  return FINAL.includes(status);
}

export function observe(request: RequestFact): Observed {
  const { over, status } = request;
  if (over === undefined) return { kind: 'nothing' };
  if (status === undefined && request.connectedAtMs !== undefined) return { kind: 'maybe_processed' };
  if (status === undefined) return { kind: 'unsent', retryable: !/^(?:CERT_|UNABLE_TO_|ERR_TLS_CERT)/.test(over.code) };
  if (status === 401) return request.call === 'exchange' ? { kind: 'refused' } : { kind: 'denied' };
  if (status === 429) return { kind: 'unsent', retryable: true };
  if (status === 303 && request.call === 'trigger') return { kind: 'maybe_processed' };
  if (status === 408 || status >= 500 || status < 200) return { kind: 'maybe_processed' };
  if (status >= 300) return { kind: 'no' };
  const id = /^\s*"([^"]*)"\s*$/.exec(request.text)?.[1];
  if (request.call === 'trigger' && id !== undefined && UUID.test(id)) return { kind: 'id', id };
  const most = request.call === 'list' ? MOST_BYTES_OF_A_LIST : MOST_BYTES;
  if (over.how !== 'complete' || request.text.length > most) return { kind: 'maybe_processed' };
  const value = parsed(request.text);
  switch (request.call) {
    case 'exchange':
      return exchanged(request, value);
    case 'list':
      if (Array.isArray(value)) return { kind: 'list' };
      return { kind: value === undefined ? 'maybe_processed' : 'no' };
    case 'trigger':
      return { kind: value === null ? 'null' : 'maybe_processed' };
    case 'read':
    case 'cancel':
      return rowsOf(request, value);
    case 'other':
      return { kind: 'no' };
  }
}

function exchanged(request: RequestFact, value: unknown): Observed {
  if (value === undefined) {
    const isPage = /html/.test(request.answerHeaders['content-type'] ?? '');
    return { kind: isPage ? 'no' : 'maybe_processed' };
  }
  if (!isObject(value)) return { kind: 'refused' };
  const { token, backend_url: url } = value;
  if (typeof token !== 'string') return { kind: 'refused' };
  return typeof url === 'string' && /^https:|^http:\/\/127\./.test(url) ? { kind: 'token', token } : { kind: 'no' };
}

function rowsOf(request: RequestFact, value: unknown): Observed {
  if (!Array.isArray(value)) return { kind: 'maybe_processed' };
  if (value.length === 0) return { kind: 'none' };
  const row: unknown = value[0];
  if (value.length > 1 || !isObject(row) || row['id'] !== request.subject) return { kind: 'maybe_processed' };
  const { job_status: status } = row;
  return typeof status === 'string' ? { kind: 'row', status } : { kind: 'maybe_processed' };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
