import { MODES, type Mode } from '../../../sandbox/runner/index.ts';

/** A way in which a step comes to its end from outside. */
export interface Death {
  readonly name: string;
  readonly mode: Mode;
}

const ALIVE: Mode = { ...MODES.container, waitsMs: 0 };

export const DEATHS: readonly Death[] = [
  { name: 'SIGINT', mode: MODES.workflow },
  { name: 'SIGINT to a step in the background, in a job that goes on', mode: MODES.background },
  { name: 'SIGTERM only', mode: MODES.terminated },
  { name: 'SIGKILL', mode: MODES['act-host'] },
  { name: 'SIGKILL, its state lost', mode: { ...MODES['act-host'], post: 'state lost' } },
  { name: 'no signal, alive beside post', mode: ALIVE },
  { name: 'no signal, alive beside post, its job said to have failed', mode: MODES.forgejo },
  { name: 'no signal, alive beside post, its state lost', mode: { ...ALIVE, post: 'state lost' } },
];
