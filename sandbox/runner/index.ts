/** A runner from the viewpoint of a JavaScript action: its environment, its files, and its ways to end a step. */
export type { JobStatus } from './expressions.ts';
export { type InstalledAction, installAction } from './install.ts';
export { Job, type JobOptions } from './job.ts';
export { MODES, type Mode, type ModeName } from './modes.ts';
export {
  type Interrupt,
  type ProcessResult,
  type RunOptions,
  runJob,
  runStep,
  type StepResult,
} from './run-step.ts';
export type { Collected, Running, Step, StepOptions } from './step.ts';
export type { Annotation } from './step-log.ts';
export type { StepProcess } from './step-process.ts';
