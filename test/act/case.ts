// How to play a recipe, and its results.
import type { Sandbox } from '../../sandbox/server/index.ts';
import type { Workflow } from '../docs/recipes.ts';
import type { Line } from './act.ts';

/** The differences from a run in which everything succeeds. */
export interface Case {
  /** The sandbox scenario for each pipeline, by name; `all` applies to the others. */
  readonly loads?: Readonly<Record<string, string>>;
  /** The call of a stand-in program that fails, such as `deploy.sh staging`. */
  readonly fails?: string;
  /** Cancels the workflow after this many reads from the sandbox. */
  readonly cancelAfterReads?: number;
  /** The inputs of the dispatch. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Replacements for texts in the recipe. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The output of `gh`. FIRST and SECOND stand for the hashes of the repository's two commits. */
  readonly gh?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly withoutKey?: boolean;
  /** Whether the pull request comes from a fork. */
  readonly fromFork?: boolean;
  /** Re-runs of the failed jobs, each with its differences from the preceding attempt. */
  readonly reruns?: readonly Case[];
}

/** The inputs to an attempt. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly workflow: Workflow;
  readonly attempt: number;
  readonly scene: Case;
  readonly folder: string;
  /** The environment of the stand-in programs. */
  readonly env: Readonly<Record<string, string>>;
  readonly programs: string;
}

/** The results of the attempt's jobs, and of jobs kept from earlier attempts. */
export interface Attempt {
  readonly ran: Readonly<Record<string, string>>;
  readonly results: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The total of all attempts so far. */
  readonly lines: readonly Line[];
}
