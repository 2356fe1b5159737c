// Inputs, files and scripts that several scenes use.
import { journalPath } from '../../../src/action/state/journals.ts';
import { PID } from '../../support/post.ts';
import { answers } from '../../support/scripted-wire.ts';
import { answersRow, JOB } from '../../support/service.ts';
import { type Script, STEP_FILES } from '../../support/step.ts';

/** The files to which main writes its state. */
export const ALL_FILES = [STEP_FILES.state, journalPath({ RUNNER_TEMP: STEP_FILES.temp }, PID, 0.5)];

/** Inputs that reset the target, and inputs with which the step only awaits a run. */
export const RESET = { 'reset-target': 'true', 'full-resync': 'true' };
export const RUN = { pipeline: '', 'job-id': JOB };

/** This many ids, one per line. */
export const uuids = (count: number): string =>
  Array.from({ length: count }, (_, index) => `00000000-0000-4000-8000-000000000${100 + index}`).join('\n');

/** Each trigger queues another run. */
export const trigger: Script = (nth) => answers(200, JSON.stringify(JOB.replace(/^\d\d/, String(20 + nth))));

/** Each read returns a status of the run that it asks for. */
export const reading =
  (statusAt: (atMs: number, nth: number) => string): Script =>
  (nth, _good, { path, atMs }) => {
    const [, id] = /id=eq\.([-\w]+)/.exec(path) ?? [];
    return answersRow({ id, job_status: statusAt(atMs, nth) });
  };
