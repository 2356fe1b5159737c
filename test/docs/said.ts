import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeTooOld } from '../../src/action/runner/entry-guard.ts';
import { REPORT_IT } from '../../src/base/version.ts';
import type { ConnectionError } from '../../src/service/http/connection.ts';
import { CLEANING_SCENES } from '../matrix/error-texts/cleaning.ts';
import { type Inputs, mistakes } from '../support/action.ts';
import { answers, type Step } from '../support/scripted-wire.ts';
import { JOB, PIPELINE } from '../support/service.ts';
import { playStep, type Request, STEP_FILES, type StepOptions } from '../support/step.ts';

/** Inputs with everything wrong that a document speaks of, a few at a time. */
const WRONG: readonly Inputs[] = [
  { 'api-key': '', 'base-url': '', pipeline: '', timeout: '45' },
  { 'api-key': 'eyJabc', 'base-url': 'http://app.example.com', 'poll-interval': '5s' },
  { 'api-key': 'PIPELINE_API_KEY', 'base-url': 'https://app.example.com/runs?id=1', 'succeed-on': 'success' },
  { 'api-key': 'ak_1\nak_2', pipeline: 'orders\norders' },
  { pipeline: '', 'job-id': '***' },
  { pipeline: 'orders\ncustomers', 'job-id': JOB },
  { 'reset-target': 'true' },
];

const broken = (code: string, message = code): Step => ({ failed: { code, message } satisfies ConnectionError });
const tunnel = (how: string): Step => broken('ECONNRESET', `tunneling socket could not be established, ${how}`);
const html = { 'content-type': 'text/html' };
const connected: Step = { connected: true };

/** What a request of this kind always meets. */
const FAULTS: readonly (readonly [Request, readonly Step[]])[] = [
  ['exchange', [broken('ENOTFOUND')]],
  ['exchange', [broken('ECONNREFUSED')]],
  ['exchange', []],
  ['exchange', [tunnel('cause=connect ECONNREFUSED')]],
  ['exchange', [tunnel('statusCode=407')]],
  ['exchange', [broken('SELF_SIGNED_CERT_IN_CHAIN')]],
  ['exchange', [broken('EPROTO', 'SSL routines:a:wrong version number:b')]],
  ['exchange', answers(200, '<html><title>Log in</title></html>', html)],
  ['exchange', answers(301, '', { location: 'https://www.example.com/' })],
  ['exchange', answers(403, '<html></html>', html)],
  ['exchange', answers(401, { message: 'no such key' })],
  ['list', answers(401, {})],
  ['list', answers(200, [])],
  ['list', answers(200, [row('customers', 'Customers', JOB)])],
  ['list', answers(200, [row('a', 'orders', JOB), row('b', 'orders', PIPELINE)])],
  ['list', answers(200, Array(1_000).fill(row('customers', 'Customers', JOB)))],
  ['trigger', answers(200, 'null')],
  ['trigger', answers(400, { message: 'pipeline is not active' })],
  ['trigger', [connected, broken('ECONNRESET')]],
  ['trigger', [connected, broken('HPE_HEADER_OVERFLOW')]],
  ['read', answers(503, 'away')],
  ['read', answers(200, [])],
];

function row(apiName: string, name: string, id: string): Record<string, string> {
  return { pipeline_id: id, pipeline_name: name, pipeline_api_name: apiName };
}

function anId(nth: number): string {
  return `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
}

const always = (steps: readonly Step[]) => () => steps;
const UNPICKED = { statuses: ['queued'] };
const SLOW = { statuses: ['running'] };
const KEPT: Readonly<Record<string, string>> = { RUNNER_ENVIRONMENT: 'github-hosted' };

/** Whole steps, each with a message of its own. */
const STEPS: readonly StepOptions[] = [
  ...FAULTS.map(([call, steps]): StepOptions => ({ scripts: { [call]: always(steps) } })),
  { inputs: { pipeline: `orders\n${PIPELINE}` } },
  {
    inputs: { 'full-resync': 'true', 'reset-target': 'true' },
    scripts: { list: always(answers(200, Array(1_000).fill(row('customers', 'Customers', JOB)))) },
  },
  { inputs: { 'on-lost-response': 'retry' }, scripts: { trigger: always([connected, broken('ECONNRESET')]) } },
  { inputs: { pipeline: '', 'job-id': JOB }, scripts: { read: always(answers(200, [])) } },
  { inputs: { 'job-id': JOB }, scripts: { read: always(answers(200, [])) } },
  {
    inputs: { 'max-attempts': '2' },
    statuses: ['failed'],
    scripts: { trigger: (nth) => (nth === 1 ? undefined : answers(200, 'null')) },
  },
  { ...SLOW, inputs: { timeout: '5m' } },
  { ...SLOW, inputs: { timeout: '5m' }, scripts: { cancel: always(answers(503, 'away')) } },
  { ...UNPICKED, inputs: { 'queue-timeout': '10m' } },
  { ...SLOW, env: KEPT, interruptAtMs: 6 * 3_600_000 },
  { ...SLOW, interruptAtMs: 60_000, inputs: { 'on-cancel': 'leave' } },
  { statuses: ['running', 'completed'], interruptAtMs: 5_000, scripts: { cancel: cancelledTooLate } },
  ...['failed', 'timed_out', 'cancelled', 'completed_with_warning', 'skipped', 'exploding'].map(
    (status): StepOptions => ({ statuses: [status, 'completed'] }),
  ),
  { env: { https_proxy: 'http://proxy:99999' } },
  { inputs: { 'dry-run': 'true', timeout: '5m' } },
  { kinds: { [STEP_FILES.output]: 'directory' } },
  { kinds: { [STEP_FILES.summary]: 'fifo' } },
  { inputs: { pipeline: Array.from({ length: 200 }, (_, nth) => anId(nth)).join('\n') } },
];

function cancelledTooLate(): Step[] {
  return answers(200, [{ id: JOB, job_status: 'completed', status_message: null }]);
}

/** Everything that a user may read, from all the steps above: annotations and lines of the log. */
export async function everythingSaid(): Promise<readonly string[]> {
  const played = await Promise.all([...STEPS.map(saidBy), ...cleaningSteps(), cancelStep(), fullDisk()]);
  const mistaken = WRONG.flatMap((inputs) => mistakes(inputs));
  return [...mistaken, REPORT_IT, nodeTooOld('16.20.2') ?? '', ...textsOfMain(), ...played.flat()];
}

/** What the entry itself says, which no test can import without starting it: test/e2e/other-code.test.ts hears it. */
function textsOfMain(): readonly string[] {
  return readFileSync(join(import.meta.dirname, '..', '..', 'src', 'main.ts'), 'utf8').split('\n');
}

/** Longer than a job on a runner of GitHub may take. */
const LONGEST_MS = 7 * 3_600_000;

async function saidBy(options: StepOptions): Promise<readonly string[]> {
  const { annotations, lines } = await playStep({ ...options, longestMs: LONGEST_MS });
  return [...lines, ...annotations.map(({ message }) => message)];
}

/** What post and cancel/ say. */
function cleaningSteps(): Promise<readonly string[]>[] {
  return CLEANING_SCENES.map(async (scene) => (await scene.play()).flatMap((text) => text.split('\n')));
}

async function cancelStep(): Promise<readonly string[]> {
  const { annotations } = await playStep({ entry: 'cancel', inputs: { 'job-id': '' } });
  return annotations.map(({ message }) => message);
}

async function fullDisk(): Promise<readonly string[]> {
  const full = Object.values(STEP_FILES);
  const played = await Promise.all(
    [0, undefined].map((crashAtMs) =>
      playStep({ env: { RUNNER_TEMP: '' }, full, ...(crashAtMs === 0 && { crashAtMs }) }),
    ),
  );
  return played.flatMap(({ annotations }) => annotations.map(({ message }) => message));
}
