import type { Uuid } from '../base/uuid.ts';
import type { Environment } from './environment.ts';
import { InputReader } from './input-reader.ts';
import { readBaseUrl, readKey } from './inputs.ts';
import { readProxy } from './proxy.ts';
import { readJobIds } from './target-inputs.ts';

/** Every input of cancel/action.yml, with those that the runner should insist on. */
export const CANCEL_INPUTS = {
  'api-key': { required: true },
  'base-url': { required: true },
  'job-id': {},
} as const;

export type CancelSettings =
  | { readonly ok: true; readonly baseUrl: URL; readonly jobIds: readonly Uuid[] }
  /** Every mistake, a sentence each. */
  | { readonly ok: false; readonly mistakes: readonly string[] };

/** Reads the inputs of the cancel action. An id that is given twice is one run. */
export function readCancelSettings(env: Environment): CancelSettings {
  const read = new InputReader(env);
  readKey(read);
  const baseUrl = readBaseUrl(read);
  readProxy(read, env);
  const jobIds = [...new Set(readJobIds(read))];
  if (baseUrl === undefined || read.mistakes.length > 0) return { ok: false, mistakes: read.mistakes };
  return { ok: true, baseUrl, jobIds };
}
