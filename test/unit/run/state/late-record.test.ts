// Tests when the step writes a record that the disk has refused, and which records replace it.
import { describe, expect, it } from 'vitest';
import { FAILED, jobNumber, pipelines, type ServiceScript } from '../../../support/fake-service.ts';
import { fullDisk, saying, scenarios } from '../../../support/scenarios.ts';
import { playStep, type StepOptions } from '../../../support/step.ts';

const QUEUED = /"kind":"queued"/;
const STOPPED = /"kind":"stopped"/;
const finishes: ServiceScript = { life: () => [[100_000, 'completed']] };
const STUCK: ServiceScript = { cancel: () => FAILED.perhaps };
const late: ServiceScript = { trigger: () => ({ afterMs: 3_000, outcome: { kind: 'queued', jobId: jobNumber(1) } }) };
const existing = { [jobNumber(1)]: [[0, 'running']] } as const;

describe('a record that the disk refuses', () => {
  scenarios({
    'is written once there is room': [
      { ...fullDisk(QUEUED, 0, 10_000), service: finishes },
      { facts: 'intent queued finished', exitCode: 0 },
    ],
    'is replaced by a later one of the same run': [
      { ...fullDisk(QUEUED), service: finishes },
      { facts: 'intent finished' },
    ],
    'is written after an interruption, because post cancels by the id': [
      { ...fullDisk(QUEUED, 0, 1_000), service: STUCK, interruptAtMs: 1_500 },
      { facts: 'intent queued' },
    ],
    'is written after a timeout, which is recorded first': [
      { ...fullDisk(QUEUED, 0, 1_500), service: STUCK, inputs: { timeout: '1s' } },
      { facts: 'intent stopped queued' },
    ],
    'is still reported if the run is queued after the stop that it contains': [
      { ...fullDisk(STOPPED), service: { ...late, existing }, inputs: { timeout: '1s', 'on-timeout': 'leave' } },
      { facts: 'intent queued', annotations: [{ message: saying('may cancel it') }] },
    ],
  });

  it('is written at the next read, or at the end at the latest', async () => {
    const seen: string[] = [];
    const options: StepOptions = { ...fullDisk(QUEUED, 0, 10_000), service: finishes };
    const { files } = await playStep({
      ...options,
      watch: ({ clock, files: disk }) => {
        for (const ms of [31_000, 33_000]) clock.after(ms, () => seen.push(disk.text('/files/state')));
      },
    });
    expect(seen.map((text) => QUEUED.test(text))).toEqual([false, true]);
    expect(files.text('/files/state').match(/"kind":"queued"/g)).toHaveLength(1);
  });

  it('is written for each run if the record stops all runs', async () => {
    const inputs = { pipeline: pipelines(2), timeout: '30s' };
    const { records } = await playStep({ ...fullDisk(STOPPED, 0, 31_000), inputs, service: STUCK });
    const stops = records.filter(({ fact }) => fact.kind === 'stopped');
    expect(stops.map(({ run }) => run).toSorted()).toEqual([1, 2]);
  });
});
