import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import type { Found } from '../observe.ts';

/** Differences for one reason, by the name of the case. */
export interface Difference {
  readonly why: string;
  readonly cases: Readonly<Record<string, Found>>;
}

/** The same difference in several cases. */
export const alike = (names: readonly string[], found: Found): Difference['cases'] =>
  Object.fromEntries(names.map((name) => [name, found]));

const OF_ORDERS = `of ${PIPELINE_IDS.orders}`;
/** The answer with the job that is queued. */
export const QUEUED = '200 [{"id":"queued","job_status":"queued","status_message":null}]';
/** What the other service queues although the sandbox refuses to. */
export const queues = (refusal: string): Found => ({
  answer: [refusal, '200 "new"'],
  effect: [[], [`new queued ${OF_ORDERS}`]],
});
