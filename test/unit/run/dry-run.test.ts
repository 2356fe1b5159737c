// Tests the dry run, which triggers nothing and prints a table of the actions that the step would take.
import { describe, expect, it } from 'vitest';
import { FAILED, jobNumber, listing, pipelineNumber, type ServiceScript } from '../../support/fake-service.ts';
import { each, saying, scenarios } from '../../support/scenarios.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';

const [OLD, UNKNOWN] = [jobNumber(901), pipelineNumber(999)];
const DRY: StepOptions = { inputs: { 'dry-run': 'true' }, service: {} };
const EXISTING = { pipeline: '', 'job-id': OLD };
const has = (status: string): ServiceScript => ({ existing: { [OLD]: status } });
const cut = { list: () => ({ ...listing(), mayBeTruncated: true }) };
const HOSTILE = [{ id: pipelineNumber(1), name: '::error::x\n  PIPELINE   \u202etxt', apiName: null }];
const DROPS = { 'full-resync': 'true', 'reset-target': 'true' };

/** Expects the log to contain a table row with these cells or parts of cells. */
const row = (...cells: readonly string[]): { readonly log: unknown } => ({
  log: expect.stringMatching(new RegExp(`^${cells.join('.* {2,}')}$`, 'm')),
});
const PASSED = { exitCode: 0, triggers: '', cancels: '', facts: '' };
const FAILED_RUN = { exitCode: 1, triggers: '', facts: '', results: [{ outcome: 'not_triggered' }] };

describe('a dry run', () => {
  scenarios(
    {
      'triggers and records nothing, shows a warning, and succeeds': [
        { inputs: { pipeline: `pipeline-1\n${pipelineNumber(2)}` } },
        {
          ...PASSED,
          calls: 'connect list',
          outcomes: 'dry_run dry_run',
          statuses: 'not_queued not_queued',
          levels: 'warning',
        },
      ],
      'looks up the name of a pipeline by its UUID': [
        { inputs: { pipeline: pipelineNumber(2) } },
        row('Pipeline 2', pipelineNumber(2), 'trigger a run, incremental sync', 'nothing'),
      ],
      'shows names as plain text': [
        { inputs: { pipeline: pipelineNumber(1) }, service: { list: () => ({ ...listing(), pipelines: HOSTILE }) } },
        { lines: expect.not.arrayContaining([expect.stringMatching(/^\s*::|[\r\n\u202e]/)]) as unknown },
      ],
      'fails for an unknown name': [{ inputs: { pipeline: 'pipelin-1' } }, { ...FAILED_RUN, levels: 'error' }],
      'fails for an unknown UUID': [
        { inputs: { pipeline: UNKNOWN } },
        { ...FAILED_RUN, calls: 'connect list', results: [{ error: saying(`pipeline ${UNKNOWN}`) }] },
      ],
      'accepts an unknown UUID if the list may be truncated': [{ inputs: { pipeline: UNKNOWN }, service: cut }, PASSED],
      'reads an existing run once, shows that the step would await it, and leaves it running': [
        { inputs: EXISTING, service: has('running') },
        {
          ...PASSED,
          calls: 'connect read',
          statuses: 'running',
          ...row('–', '–', `await run ${OLD} .running.`, 'nothing'),
        },
      ],
      'fails if the service does not find the existing run': [
        { inputs: EXISTING },
        { ...FAILED_RUN, ...row('–', '–', 'fail', 'nothing') },
      ],
      'reads an existing run again after an outage': [
        { inputs: EXISTING, service: { ...has('running'), read: (nth) => (nth < 3 ? FAILED.perhaps : undefined) } },
        { ...PASSED, reads: '0 30 60' },
      ],
      'announces neither how the step would wait nor the effect of a cancellation': [
        {},
        { log: expect.not.stringMatching(/^(?:Waits|On cancellation): /m) as string },
      ],
      'fails if the user interrupts it': [
        { inputs: EXISTING, service: { read: () => 'stalls' }, interruptAtMs: 5_000 },
        { exitCode: 1, endedAtMs: 5_000, outcomes: 'cancelled', cancels: '', facts: '' },
      ],
      'ends without a result for any pipeline if the user interrupts it before the first one': [
        { inputs: { pipeline: `pipeline-1\n${pipelineNumber(2)}` }, interruptAt: /Pipeline 1/ },
        { exitCode: 1, outcomes: 'cancelled cancelled' },
      ],
      ...each(
        [
          ['running', 'resume .*running.', 'nothing'],
          ['completed', 'resume .*completed.', 'nothing'],
          ['failed', '.*, full resync', 'its .* tables'],
        ],
        ([status, does, drops]) => [
          `shows what the step would do if the earlier run has the status ${status}`,
          { inputs: { 'job-id': OLD, ...DROPS }, service: has(status) },
          { ...PASSED, ...row('Pipeline 1', pipelineNumber(1), does, drops) },
        ],
      ),
    },
    DRY,
  );

  it('states in the summary that nothing was triggered', async () => {
    const { files } = await playStep(DRY);
    expect(files.text(STEP_FILES.summary)).toMatch(/^### .*Dry run: nothing was/);
  });
});
