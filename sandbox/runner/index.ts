/** A runner from the viewpoint of a JavaScript action: its environment, its files, and its ways to end a step. */
export { type InstalledAction, installAction, type JobStatus, readActionFile } from './action.ts';
export { Job, type JobOptions } from './job.ts';
export { MODES, type Mode, type ModeName } from './modes.ts';
export { type Annotation, parseRecords } from './output.ts';
export type { StepProcess } from './process.ts';
export * from './run-step.ts';
export * from './step.ts';
