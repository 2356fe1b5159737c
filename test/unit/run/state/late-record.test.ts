// Tests when the step writes a record that the disk has refused, and which records replace it.
import { describe, expect, it } from 'vitest';
import { FAILED, jobNumber, pipelines, queuedLate, type ServiceScript } from '../../../support/fake-service.ts';
import { fullDisk, saying, scenarios } from '../../../support/scenarios.ts';
import { playStep } from '../../../support/step.ts';

const QUEUED = /"kind":"queued"/;
const STOPPED = /"kind":"stopped"/;
const finishes: ServiceScript = { life: () => [[100_000, 'completed']] };
const STUCK: ServiceScript = { cancel: () => FAILED.perhaps };
const late: ServiceScript = { trigger: () => queuedLate(3_000), existing: { [jobNumber(9)]: 'running' } };

describe('a record that does not fit on the disk', () => {
  scenarios({
    'is not written after a final status that replaces it': [
      { ...fullDisk(QUEUED, 0, 1_000), service: { life: () => 'completed' } },
      { facts: 'intent finished' },
    ],
    "is written after an interruption, because post needs the run's id to cancel it": [
      { ...fullDisk(QUEUED, 0, 1_000), service: STUCK, interruptAtMs: 1_500 },
      { facts: 'intent queued' },
    ],
    'is written after a timeout, which is recorded first': [
      { ...fullDisk(QUEUED, 0, 1_500), service: STUCK, inputs: { timeout: '1s' } },
      { facts: 'intent stopped queued' },
    ],
    'is not needed after the record of a queue-timeout, which contains the id of the run': [
      { ...fullDisk(QUEUED), service: { ...STUCK, life: () => 'queued' }, inputs: { 'queue-timeout': '10s' } },
      { records: [{}, { fact: { kind: 'stopped' }, jobId: jobNumber(1) }] },
    ],
    'is written as unknown if the service rejected a trigger whose earlier attempt may have queued a run': [
      {
        ...fullDisk(/"kind":"(?:unknown|refused)"/, 0, 40_000),
        inputs: { 'on-lost-response': 'retry', pipeline: pipelines(2) },
        service: { ...finishes, trigger: (nth) => [FAILED.perhaps, FAILED.rejected][nth - 1] },
      },
      { facts: 'intent intent intent queued finished unknown' },
    ],
    'is written before the intent to trigger the pipeline again, so that post knows of the lost response': [
      {
        ...fullDisk(/"kind":"unknown"/, 0, 100),
        inputs: { 'on-lost-response': 'retry' },
        service: { ...finishes, trigger: (nth) => (nth === 1 ? FAILED.perhaps : undefined) },
      },
      { facts: 'intent unknown intent queued finished' },
    ],
    'is written once for each run if it contains a stop of all runs': [
      { ...fullDisk(STOPPED, 0, 31_000), inputs: { pipeline: pipelines(2), timeout: '30s' }, service: STUCK },
      { facts: 'intent queued intent queued stopped stopped', records: [1, 1, 2, 2, 1, 2].map((run) => ({ run })) },
    ],
    'is reported if it contains a stop and the run is queued only after that stop': [
      { ...fullDisk(STOPPED), service: late, inputs: { timeout: '1s', 'on-timeout': 'leave' } },
      { facts: 'intent queued', annotations: [{ message: saying('may cancel the run') }] },
    ],
  });

  it('is written once, at the next read after there is room', async () => {
    const seen: string[] = [];
    const { files, facts, exitCode } = await playStep({
      ...fullDisk(QUEUED, 0, 10_000),
      service: finishes,
      watch: ({ clock, files: disk }) => {
        for (const ms of [31_000, 33_000]) clock.after(ms, () => seen.push(disk.text('/files/state')));
      },
    });
    expect(seen.map((text) => QUEUED.test(text))).toEqual([false, true]);
    expect(files.text('/files/state').match(/"kind":"queued"/g)).toHaveLength(1);
    expect([facts, exitCode]).toEqual(['intent queued finished', 0]);
  });
});
