/* What can be observed of a scenario from outside. The checker sees only this history and the service. */

import type { Role } from '../../sandbox/faults.ts';
import type { World as Service } from '../../sandbox/model/index.ts';
import type { TraceLine } from '../support/machine.ts';
import type { Instant } from '../support/network.ts';
import type { ProcessHistory } from '../support/observed.ts';
import type { IncidentKind, Scenario } from './scenario.ts';

export type { Instant, SentRequest as RequestHistory } from '../support/network.ts';
export type { ProcessHistory } from '../support/observed.ts';

export interface StepHistory {
  readonly main: ProcessHistory | undefined;
  readonly post: ProcessHistory | undefined;
  readonly incidents: readonly (Instant & { readonly on: Role; readonly what: IncidentKind })[];
  /** The outputs that the runner read. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Whether post received the state that main saved. */
  readonly isStateKept: boolean;
  /** Whether the journal of main existed when post ended. */
  readonly isJournalKept: boolean;
  /** The status that post received. */
  readonly jobStatus: string;
  readonly summaries: readonly string[];
}

export interface History {
  readonly scenario: Scenario;
  readonly key: string;
  readonly service: Service;
  readonly steps: readonly StepHistory[];
  /** For each step, the ids of its pipelines and of the runs that existed before. */
  readonly pipelineIds: readonly (readonly string[])[];
  readonly givenIds: readonly (readonly string[])[];
  readonly files: ReadonlyMap<string, string>;
  readonly trace: readonly TraceLine[];
  readonly isOver: boolean;
  readonly endedAt: number;
}
