/** A runner from the viewpoint of a JavaScript action: its environment, its files, and its ways to end a step. */
export { type InstalledAction, installAction, type JobStatus, readActionFile } from './action.ts';
export { type Collected, Job, type JobOptions, type Running, type Step, type StepOptions } from './job.ts';
export { type Annotation, parseRecords } from './output.ts';
export type { StepProcess } from './process.ts';
export * from './run-step.ts';
