import type { ModelResponse } from './types.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const;

export function json(status: number, value: unknown, headers: ModelResponse['headers'] = {}): ModelResponse {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(value) };
}

/** The fields of PostgREST's error bodies. */
export interface Complaint {
  readonly code: string;
  readonly message: string;
  readonly details?: string;
  readonly hint?: string;
}

/** Returns an error in PostgREST's format, which has four keys. The last two may be null. */
export function complain(status: number, complaint: Complaint, headers: ModelResponse['headers'] = {}): ModelResponse {
  const { code, message, details = null, hint = null } = complaint;
  return json(status, { code, message, details, hint }, headers);
}

/** Thrown by each check that rejects a request. `answer` turns this error into the response. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly response: ModelResponse;
  /** Whether a correct client never causes this error. If so, the model records a violation. */
  readonly clientsFault: boolean;

  constructor(response: ModelResponse, clientsFault = false) {
    super(`refused with ${String(response.status)}`);
    this.response = response;
    this.clientsFault = clientsFault;
  }
}

/** Rejects a request that no correct client sends. */
export function badRequest(complaint: Complaint, status = 400): Refused {
  return new Refused(complain(status, complaint), true);
}
