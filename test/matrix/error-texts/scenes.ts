import { CLEANING_SCENES } from './cleaning.ts';
import { INPUT_SCENES } from './inputs.ts';
import { RESOLVING_SCENES } from './resolving.ts';
import { RUN_SCENES } from './runs.ts';
import type { Scene } from './scene.ts';
import { SERVICE_SCENES } from './service.ts';

/** Everything that can go wrong, in the order in which a user meets it. */
export const SCENES: readonly Scene[] = [
  ...INPUT_SCENES,
  ...SERVICE_SCENES,
  ...RESOLVING_SCENES,
  ...RUN_SCENES,
  ...CLEANING_SCENES,
];
