/** `npm run demo`: shows a workflow step from the outside, with a simulated service and runner. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DemoArguments, HELP, parseDemoArguments } from './demo/arguments.ts';
import { Page } from './demo/page.ts';
import { exitCodeOf, showEnd, showOptions, showOutputs, showPost, showService, showWorkflow } from './demo/story.ts';
import { DEMO_SPEED } from './model/index.ts';
import { installAction, Job, type ProcessResult, runStep, type StepResult } from './runner/index.ts';
import { startSandbox } from './server/index.ts';

/** Runs take only seconds here, so the step polls often. The real service allows one status request per 30 s. */
const POLL_INTERVAL = '300ms';
const POLLING =
  'Runs in the sandbox take seconds, so the demo polls every 300 ms; for loopback addresses there is no minimum.';
const CLOCKS = 'Left of the line: time since the demo began. In brackets: time since the run was triggered.';
const MIN_READ_INTERVAL_MS = 250;

const repository = join(import.meta.dirname, '..');

async function demo(args: DemoArguments): Promise<number> {
  if (!existsSync(join(repository, 'dist'))) throw new Error('The folder dist is missing. Run: npm run build');
  const page = new Page(process.stdout.isTTY && process.env['NO_COLOR'] === undefined);
  const model = { speed: DEMO_SPEED, minReadIntervalMs: MIN_READ_INTERVAL_MS };
  // As in the real service, the token exchange and the API have different hosts.
  const api = await startSandbox({ model });
  const base = await startSandbox({ world: api.world, now: api.now });
  const action = installAction(repository);
  const job = new Job({ action: action.folder, debug: args.debug });
  const polling = args.inputs['wait'] === 'false' ? {} : { 'poll-interval': POLL_INTERVAL };
  const inputs = { 'api-key': base.key, 'base-url': base.url, ...polling, ...args.inputs };
  try {
    showWorkflow(page, inputs);
    if ('poll-interval' in inputs) page.note(POLLING);
    page.heading('Log of the step');
    page.note(CLOCKS);
    const result = await perform(job, inputs, args, page);
    showOutputs(page, result.main);
    showService(page, api, [...base.requests, ...api.requests]);
    showOptions(page);
    return exitCodeOf(result);
  } finally {
    await job.close();
    action.remove();
    await Promise.all([base.close(), api.close()]);
  }
}

/** Runs the step and prints its log. Ctrl-C and `--cancel-after` cancel the workflow. */
async function perform(
  job: Job,
  inputs: Readonly<Record<string, string>>,
  { cancelAfterMs }: DemoArguments,
  page: Page,
): Promise<StepResult> {
  const controlC = new Promise<void>((resolve) => process.once('SIGINT', resolve));
  let onFirstLine = (): void => undefined;
  const firstLine = new Promise<void>((resolve) => {
    onFirstLine = resolve;
  });
  // The delay begins with the first line of output, because a busy machine may take seconds to start Node.
  const time = firstLine.then(() => sleep(cancelAfterMs, undefined, { ref: false }));
  let hasEnded = false;
  const when = async (): Promise<void> => {
    await Promise.race([controlC, ...(cancelAfterMs === undefined ? [] : [time])]);
    if (hasEnded) return;
    page.event('The workflow is cancelled, so the runner sends SIGINT');
  };
  const onMainEnd = (main: ProcessResult): void => {
    hasEnded = true;
    const isCancelled = job.status === 'cancelled';
    showEnd(page, main, isCancelled);
    if (cancelAfterMs !== undefined && !isCancelled)
      page.note('the step ended before the time of --cancel-after, so nothing was cancelled');
    page.heading('Log of the post step, at the end of the job');
  };
  const onLine = (line: string): void => {
    onFirstLine();
    page.log(line);
  };
  const result = await runStep(job, { with: inputs, onLine, onMainEnd }, { mode: 'workflow', when });
  showPost(page, result.post);
  return result;
}

try {
  const args = parseDemoArguments(process.argv.slice(2));
  if (args.help) process.stdout.write(HELP);
  else process.exitCode = await demo(args);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
