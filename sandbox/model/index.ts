/** A model of the service as plain data and functions of time, without I/O, a clock or randomness of its own. */
export { answer } from './answer.ts';
export { arrive } from './arrive.ts';
export { isWorkedOn, type JobState, stateAt } from './job.ts';
export * from './known.ts';
export { kindOf } from './routes.ts';
export { type Arrival, type ModelEffect, type ModelRule, type Occasion, occurs } from './rules.ts';
export { SCENARIOS } from './scenarios.ts';
export type * from './types.ts';
export type { Violation, ViolationKind } from './violations.ts';
export {
  addKey,
  addPipeline,
  createWorld,
  expireTokens,
  type PipelineOptions,
  revokeKey,
  type WorldOptions,
} from './world.ts';
