/** `npm run demo`: runs three steps with this action, as a GitHub runner would, against a sandbox of the service. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEMO_SPEED, SCENARIOS, stateAt } from './model/index.ts';
import {
  installAction,
  Job,
  type ProcessResult,
  QUEUED,
  readActionFile,
  runStep,
  type StepDescription,
} from './runner/index.ts';
import { type Sandbox, startSandbox } from './server/index.ts';

interface Scene extends StepDescription {
  readonly headline: string;
}

const SCENES: Readonly<Record<string, Scene>> = {
  success: {
    headline: 'A success: the step triggers a run, waits until it has finished, and reports its result',
    inputs: { pipeline: 'orders' },
  },
  failure: {
    headline: 'A failure: the run fails, so the step fails, explains why, and says what to do next',
    inputs: { pipeline: 'broken' },
  },
  cancel: {
    headline: 'A cancellation: the workflow is cancelled, so the step cancels its run',
    inputs: { pipeline: 'endless' },
    incidents: [{ what: 'cancel', at: { ...QUEUED, plusMs: 2_000 } }],
  },
};

const HELP = `Runs steps with this action, as a GitHub runner would, against a sandbox of the service on this machine.

  npm run demo -- [options]

  --scene <name>           play only one scene: ${Object.keys(SCENES).join(', ')}
  --input <name>=<value>   set an input of the step; repeatable
  --help                   print this text

Pipelines in the sandbox, and what a run of each pipeline does:
${Object.entries(SCENARIOS)
  .map(([name, { does }]) => `  ${name.padEnd(10)} ${does}`)
  .join('\n')}

Examples:

  npm run demo -- --scene success --input pipeline=flaky --input max-attempts=2 --input retry-delay=1s
  npm run demo -- --scene failure --input pipeline=penniless
  npm run demo -- --scene cancel --input on-cancel=leave
`;

/** Runs take seconds here. The real service allows one status check of a run per 30 s. */
const POLL_INTERVAL = '500ms';
const MIN_READ_INTERVAL_MS = 400;

const repository = join(import.meta.dirname, '..');
const hasColors = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { scene: { type: 'string' }, input: { type: 'string', multiple: true }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return;
  }
  const scenes = Object.entries(SCENES).filter(([name]) => (values.scene ?? name) === name);
  if (scenes.length === 0)
    throw new Error(`Unknown scene "${values.scene}". The scenes are: ${Object.keys(SCENES).join(', ')}`);
  const inputs = (values.input ?? []).map(parseInput);
  if (!existsSync(join(repository, 'dist'))) throw new Error('The folder dist is missing. Run: npm run build');
  console.log('This demo runs the bundle in dist/ against an embedded sandbox. Nothing leaves this machine.');
  // A terminal also sends SIGINT to the step, which then cancels its run. The demo only skips the remaining scenes.
  let isInterrupted = false;
  process.on('SIGINT', () => {
    isInterrupted = true;
  });
  for (const [index, [name, scene]] of scenes.entries()) {
    if (isInterrupted) return;
    // With other inputs, the step may not end as the headline describes.
    const headline = inputs.length === 0 ? scene.headline : `The scene "${name}", with your inputs`;
    heading(scenes.length === 1 ? headline : `${index + 1} of ${scenes.length}. ${headline}`);
    await play(scene, Object.fromEntries(inputs), index + 1);
  }
  console.log('\nNext: set up your own workflow (README.md), or try other pipelines: npm run demo -- --help');
}

/** Parses `name=value`. @throws if the action lacks this input, or if requests would go to another machine */
function parseInput(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`--input must be name=value, not "${text}"`);
  if (!readActionFile(repository).inputs.has(name)) throw new Error(`The action has no input ${name}`);
  const isLocal = !URL.canParse(value) || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(value).hostname);
  if (name === 'base-url' && !isLocal) throw new Error('In the demo, base-url must be a loopback address');
  return [name, value];
}

/** Runs a step in its own job and prints what the user and the service see. */
async function play(scene: Scene, more: Readonly<Record<string, string>>, seed: number): Promise<void> {
  const model = { seed, speed: DEMO_SPEED, minReadIntervalMs: MIN_READ_INTERVAL_MS };
  const sandbox = await startSandbox({ model });
  const action = installAction(repository);
  const job = new Job({ action: action.folder });
  const polling = more['wait'] === 'false' || more['dry-run'] === 'true' ? {} : { 'poll-interval': POLL_INTERVAL };
  const inputs = { 'api-key': sandbox.key, 'base-url': sandbox.url, ...scene.inputs, ...polling, ...more };
  try {
    showWorkflow(inputs);
    console.log('\nStep log, with the time since the step began in brackets:');
    const onLine = (line: string): void => console.log(`  │ ${colored(line)}`);
    let isIncidentDue = scene.incidents !== undefined;
    const onIncident = (): void => {
      isIncidentDue = false;
      console.log(paint('35', '  ▶ The workflow is cancelled, so the runner sends SIGINT to the step.'));
    };
    const { main, post } = await runStep(job, { ...scene, inputs, onLine, onIncident, onMainEnd: showEnd }, sandbox);
    if (isIncidentDue) console.log('  The step finished before the workflow could be cancelled.');
    console.log(`  The post step ${post?.log.length === 0 ? 'finds nothing left to do' : 'has finished'}.`);
    showOutputs(main);
    showService(sandbox, sandbox.now());
  } finally {
    await job.close();
    action.remove();
    await sandbox.close();
  }
}

/** Shows the step as it appears in a workflow file. */
function showWorkflow(inputs: Readonly<Record<string, string>>): void {
  console.log('The step in the workflow:\n  - uses: OWNER/run-pipeline@FULL_HASH\n    id: load\n    with:');
  for (const [name, value] of Object.entries(inputs)) {
    const [first = '', ...rest] = (name === 'api-key' ? '${{ secrets.PIPELINE_API_KEY }}' : value).split('\n');
    const text = rest.length === 0 ? first : ['|', first, ...rest].join('\n        ');
    const isOwn = name === 'poll-interval' && value === POLL_INTERVAL;
    const remark = isOwn ? ' # runs take seconds here; the real service requires at least 30s' : '';
    console.log(`      ${name}: ${text}${paint('2', remark)}`);
  }
}

function showEnd({ exitCode, signal }: ProcessResult, { status }: Job): void {
  const result = status === 'cancelled' ? 'was cancelled' : exitCode === 0 ? 'succeeded' : 'failed';
  console.log(`  The step ${result} (${signal ?? `exit code ${exitCode}`}).`);
}

/** Shows the most common outputs, and what the job summary contains. */
function showOutputs({ files: { outputs, summary } }: ProcessResult): void {
  console.log('\nOutputs for later steps, as ${{ steps.load.outputs.… }}:');
  const shown = ['outcome', 'job-status', 'job-id'];
  for (const name of shown)
    console.log(`  ${name.padEnd(12)} ${(outputs[name] ?? '').replaceAll('\n', `\n${' '.repeat(15)}`)}`);
  const [, title] = /^#+ (.*)$/m.exec(summary) ?? [];
  const parts = [
    ...(/^\|/m.test(summary) ? ['a table'] : []),
    ...(summary.includes('```mermaid') ? ['a timeline'] : []),
  ];
  console.log(`Job summary: ${title === undefined ? 'none' : `"${title}", with ${parts.join(' and ')}`}`);
}

/** Shows the requests and the final state of the service. */
function showService({ requests, world }: Sandbox, atMs: number): void {
  console.log('\nWhat the service saw:');
  const names = {
    exchange: 'token exchange',
    list: 'pipeline lookup',
    trigger: 'trigger',
    read: 'status check',
    cancel: 'cancel',
    other: 'other',
  };
  const calls = Object.entries(world.counts).map(([kind, count]) => `${count} × ${names[kind as keyof typeof names]}`);
  console.log(`  ${withDetails(`${requests.length} ${requests.length === 1 ? 'request' : 'requests'}`, calls)}`);
  const statuses = world.jobs.map((run) => stateAt(run, atMs)?.status ?? '');
  const count = (status: string): number => statuses.filter((each) => each === status).length;
  const inProgress = count('queued') + count('picked') + count('running');
  const now = inProgress === 0 ? 'none' : String(inProgress);
  const details = [...new Set(statuses)].map((status) =>
    statuses.length === 1 ? status : `${count(status)} ${status}`,
  );
  const queued = `${statuses.length} ${statuses.length === 1 ? 'run' : 'runs'} queued`;
  console.log(`  ${withDetails(queued, details)}. Unfinished now: ${now}.`);
}

function withDetails(text: string, details: readonly string[]): string {
  return details.length === 0 ? text : `${text}: ${details.join(', ')}`;
}

function heading(text: string): void {
  console.log(`\n${paint('1', `── ${text} `.padEnd(110, '─'))}`);
}

function colored(line: string): string {
  const color = { Error: '31', Warning: '33', Notice: '36' }[/^(\w+): /.exec(line)?.[1] ?? ''];
  return color === undefined ? line : paint(color, line);
}

function paint(code: string, text: string): string {
  return hasColors && text !== '' ? `\u001B[${code}m${text}\u001B[0m` : text;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  console.error('All options: npm run demo -- --help');
  process.exitCode = 1;
}
