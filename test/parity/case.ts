import type { WorldOptions } from '../../sandbox/model/index.ts';
import type { Asked } from './send.ts';
import type { Jobs } from './stage.ts';

/** Whose token a request carries: each of the two services has its own. */
export type Bearer =
  | 'good'
  | 'other workspace'
  | 'expired'
  /** Of a key that was revoked after the exchange. */
  | 'revoked'
  /** The signature of one token under the claims of another. */
  | 'tampered'
  /** The same text for both, as the whole `Authorization` header; null for none. */
  | { readonly header: string | null };

/** One request to both services. */
export interface Case {
  readonly name: string;
  /** Whether a correct client might send it. */
  readonly right?: true;
  readonly asks: (jobs: Jobs) => Asked;
  /** Default: good. */
  readonly as?: Bearer;
  /** Default: the one from the exchange. Null: none. */
  readonly apikey?: string | null;
  readonly world?: WorldOptions;
}

export const UNKNOWN_ID = 'b0b0b0b0-0000-4000-8000-000000000000';
export const JSON_TYPE = { 'content-type': 'application/json' } as const;
export const SELECT = 'select=id,job_status,status_message';
