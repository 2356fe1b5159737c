// Tests a dry run, which does everything except the trigger, and prints a table of the runs that would follow.
import { expect, it } from 'vitest';
import { FAILED, jobNumber, listing, pipelineNumber, type ServiceScript } from '../../support/fake-service.ts';
import { rows, type Scenario, scenarios } from '../../support/scenarios.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';

const OLD = jobNumber(901);
const DRY: StepOptions = { inputs: { 'dry-run': 'true' }, service: {} };
const EXISTING = { pipeline: '', 'job-id': OLD };
const has = (status: string): ServiceScript => ({ existing: { [OLD]: [[0, status]] } });
const cut = { list: () => ({ ...listing(), mayBeTruncated: true }) };
const DROPS = { 'full-resync': 'true', 'reset-target': 'true' };

/** Expects the log to have a table row with these cells, which may be parts of cells. */
const row = (...cells: readonly string[]): { readonly log: unknown } => ({
  log: expect.stringMatching(new RegExp(`^${cells.join('.* {2,}')}$`, 'm')),
});
const PASSED = { exitCode: 0, triggers: '', cancels: '', facts: '' };
const FAILED_RUN = { exitCode: 1, triggers: '', facts: '', results: [{ outcome: 'not_triggered' }] };

scenarios(
  {
    'triggers and records nothing, warns that nothing runs, and succeeds': [
      { inputs: { pipeline: `pipeline-1\n${pipelineNumber(2)}` } },
      {
        ...PASSED,
        calls: 'connect list',
        outcomes: 'dry_run dry_run',
        statuses: 'not_queued not_queued',
        levels: 'warning',
      },
    ],
    'looks up a UUID': [
      { inputs: { pipeline: pipelineNumber(2) } },
      row('Pipeline 2', pipelineNumber(2), 'trigger a run, incremental sync', 'nothing'),
    ],
    'shows which tables would be dropped': [
      { inputs: DROPS },
      row('Pipeline 1', pipelineNumber(1), '.*, full resync', 'its destination tables'),
    ],
    'fails for an unknown name': [{ inputs: { pipeline: 'pipelin-1' } }, { ...FAILED_RUN, levels: 'error' }],
    'fails for an unknown UUID': [{ inputs: { pipeline: pipelineNumber(999) } }, FAILED_RUN],
    'accepts an unknown UUID if the list may be truncated': [
      { inputs: { pipeline: pipelineNumber(999) }, service: cut },
      PASSED,
    ],
    'reads an existing run once, and leaves it running': [
      { inputs: EXISTING, service: has('running') },
      { ...PASSED, calls: 'connect read', statuses: 'running' },
    ],
    'shows which existing run would be awaited': [
      { inputs: EXISTING, service: has('running') },
      row('–', '–', `await .* running: ${OLD}`, 'nothing'),
    ],
    'fails for an existing run that is missing': [
      { inputs: EXISTING },
      { ...FAILED_RUN, ...row('–', '–', 'fail', 'nothing') },
    ],
    'reads an existing run again after an outage': [
      { inputs: EXISTING, service: { ...has('running'), read: (nth) => (nth < 3 ? FAILED.perhaps : undefined) } },
      { ...PASSED, reads: '0 30 60' },
    ],
    'fails if it is interrupted': [
      { inputs: EXISTING, service: { read: () => 'stalls' }, interruptAtMs: 5_000 },
      { exitCode: 1, endedAtMs: 5_000, outcomes: 'cancelled' },
    ],
    ...rows(
      (
        [
          ['running', 'take .* running', 'nothing'],
          ['completed', 'take .* completed', 'nothing'],
          ['failed', '.*, full resync', 'its destination tables'],
        ] as const
      ).map(
        ([status, does, drops]): Scenario => [
          `shows the next steps if the run to be resumed is ${status}`,
          { inputs: { 'job-id': OLD, ...DROPS }, service: has(status) },
          { ...PASSED, ...row('Pipeline 1', pipelineNumber(1), does, drops) },
        ],
      ),
    ),
  },
  DRY,
);

it('shows names as plain text, and a summary which states that nothing was triggered', async () => {
  const name = '::error::x\n  PIPELINE   \u202etxt';
  const pipelines = [{ id: pipelineNumber(1), name, apiName: null }];
  const service: ServiceScript = { list: () => ({ ...listing(), pipelines }) };
  const { lines, files } = await playStep({ inputs: { ...DRY.inputs, pipeline: pipelineNumber(1) }, service });
  expect(lines.filter((line) => /^\s*::|[\r\n\u202e]/.test(line))).toEqual([]);
  expect(files.text(STEP_FILES.summary)).toMatch(/^### .*dry run, nothing was/);
});

it('announces neither how the step waits nor what a cancel does', async () => {
  const { lines } = await playStep(DRY);
  expect(lines.filter((line) => /^(?:Waits|On cancel): /.test(line))).toEqual([]);
});
