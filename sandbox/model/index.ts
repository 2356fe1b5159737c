/** A model of the service as plain data and functions of time, without I/O, and with no clock or randomness of its own. */
export { type Arrival, aboutOf, answer, arrive, kindOf } from './answer.ts';
export { type Cap, MAX_ROWS, type ModelRequest, type ModelResponse } from './postgrest.ts';
export { type JobState, queueRun, stateAt } from './runs.ts';
export { naturalEnd, SCENARIOS, type Scenario, type Stage } from './scenarios.ts';
export * from './world.ts';
