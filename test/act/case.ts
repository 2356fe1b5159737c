// How a recipe can be played, and what it did.
import type { Sandbox } from '../../sandbox/server/index.ts';
import type { Workflow } from '../docs/recipes.ts';
import type { Line } from './act.ts';

/** What differs from a run in which everything succeeds. */
export interface Case {
  /** What runs of a pipeline do, by its name: a scenario of the sandbox. `all` is for the others. */
  readonly loads?: Readonly<Record<string, string>>;
  /** The call of a stand-in that fails, such as `deploy.sh staging`. */
  readonly fails?: string;
  /** Cancels the workflow when the sandbox has answered so many reads. */
  readonly cancelAfterReads?: number;
  /** Of the dispatch. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Texts of the recipe that are played as others. */
  readonly instead?: Readonly<Record<string, string>>;
  /** What `gh` prints. FIRST and SECOND stand for the hashes of the repository's two commits. */
  readonly gh?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly withoutKey?: boolean;
  /** The pull request comes from a fork. */
  readonly fromFork?: boolean;
  /** Re-run failed jobs, with these differences, each from the attempt before. */
  readonly reruns?: readonly Case[];
}

/** What an attempt is played with. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly workflow: Workflow;
  readonly attempt: number;
  readonly scene: Case;
  readonly folder: string;
  /** The environment of the stand-ins. */
  readonly env: Readonly<Record<string, string>>;
  readonly programs: string;
}

/** How the jobs of an attempt ended, and those of earlier attempts that were kept. */
export interface Attempt {
  readonly ran: Readonly<Record<string, string>>;
  readonly results: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of all attempts so far. */
  readonly lines: readonly Line[];
}
