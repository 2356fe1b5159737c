import { checkAddress } from '../base/address.ts';
import { quoted } from '../base/safe-text.ts';
import type { Plan } from '../run/plan.ts';
import { mistakeInKey } from './api-key.ts';
import type { Environment } from './environment.ts';
import { idleInputs } from './idle-inputs.ts';
import { InputReader } from './input-reader.ts';
import { readRunUrl } from './links.ts';
import { readPlan } from './plan-inputs.ts';
import { readProxy } from './proxy.ts';

/** All that the user asked for, checked. */
export interface Settings {
  readonly apiKey: string;
  readonly baseUrl: URL;
  readonly plan: Plan;
  readonly summary: boolean;
  /** Template of the address under which the application shows a run; see links.ts. */
  readonly runUrl: string | undefined;
  /** How the job stood when this process started; any text. */
  readonly jobStatus: string;
  /** Inputs that have no effect here, a sentence each. */
  readonly idle: readonly string[];
}

export type SettingsRead =
  | { readonly ok: true; readonly settings: Settings }
  /** Every mistake, a sentence each. */
  | { readonly ok: false; readonly mistakes: readonly string[] };

/** Reads every input before anything is done with any. */
export function readSettings(env: Environment): SettingsRead {
  const read = new InputReader(env);
  const apiKey = readKey(read);
  const baseUrl = readBaseUrl(read);
  readProxy(read, env);
  const plan = readPlan(read, baseUrl);
  const summary = read.boolean('summary');
  const runUrl = readRunUrl(read);
  if (baseUrl === undefined || read.mistakes.length > 0) return { ok: false, mistakes: read.mistakes };
  const jobStatus = read.text('internal-job-status');
  const idle = idleInputs(read, plan);
  return { ok: true, settings: { apiKey, baseUrl, plan, summary, runUrl, jobStatus, idle } };
}

export function readKey(read: InputReader): string {
  const apiKey = read.text('api-key');
  const wrongKey = mistakeInKey(apiKey);
  if (wrongKey !== undefined) read.mistake('api-key', `${wrongKey.what}. ${wrongKey.how}`);
  return apiKey;
}

export function readBaseUrl(read: InputReader): URL | undefined {
  const text = read.text('base-url');
  if (text === '') {
    read.mistake('base-url', 'is empty. Write the address of the service, such as https://app.example.com.');
    return undefined;
  }
  const checked = checkAddress(text);
  if (checked.ok) return checked.url;
  // Whatever stands before an @ may be a password, also in what is no address at all.
  const what = text.includes('@') ? checked.why : `is ${quoted(text)}, which ${checked.why}`;
  read.mistake(
    'base-url',
    `${what}. Write the address of the service alone, such as https://app.example.com.`,
  );
  return undefined;
}
