import { stateAt } from '../model/index.ts';
import type { ProcessResult, StepResult } from '../runner/index.ts';
import type { RequestRecord, Sandbox } from '../server/index.ts';
import type { Page } from './page.ts';

/** The step as it stands in a workflow file, and as the log of a workflow run begins with it. */
export function showWorkflow(page: Page, inputs: Readonly<Record<string, string>>): void {
  page.heading('The workflow');
  page.line('- uses: run-pipeline');
  page.line('  id: sync');
  page.line('  with:');
  for (const [name, value] of Object.entries(inputs)) {
    page.line(`    ${name}: ${name === 'api-key' ? '${{ secrets.PIPELINE_API_KEY }}' : value}`);
  }
}

export function showEnd(page: Page, { exitCode, signal }: ProcessResult, cancelled: boolean): void {
  const how = exitCode === 0 ? 'the step succeeded' : cancelled ? 'the step was cancelled' : 'the step failed';
  page.note(`${how} (${signal === null ? `exit code ${String(exitCode)}` : `killed by ${signal}`})`);
}

export function showPost(page: Page, post: ProcessResult | undefined): void {
  if (post?.log.length === 0) page.note('nothing to do');
}

export function showOutputs(page: Page, { files }: ProcessResult): void {
  page.heading('What a later step gets: ${{ steps.sync.outputs.… }}');
  page.table(Object.entries(files.outputs));
  page.heading('Job summary (Markdown)');
  for (const line of files.summary.trimEnd().split('\n')) page.line(line);
}

/** The truth, as the service knows it. */
export function showService(page: Page, { requests, world, now }: Sandbox): void {
  page.heading('What the service saw');
  for (const { line, times } of counted(requests.map(requestLine))) {
    page.line(times === 1 ? line : `${line}  (${String(times)} times)`);
  }
  const runs = world.jobs.map(({ id, ...job }) => ({ id, status: stateAt({ id, ...job }, now())?.status ?? '' }));
  const inProgress = runs.filter(({ status }) => IN_PROGRESS.has(status));
  const queued = `${String(runs.length)} ${runs.length === 1 ? 'run' : 'runs'} queued`;
  const list = runs.map(({ id, status }) => `${id} is ${status}`).join(', ');
  page.note(
    `${queued}${list === '' ? '' : `: ${list}`}; in progress: ${inProgress.length === 0 ? 'none' : String(inProgress.length)}`,
  );
}

function requestLine({ method, path, answeredStatus }: RequestRecord): string {
  const came = answeredStatus === null ? 'no answer' : String(answeredStatus);
  return `${method.padEnd(5)} ${path} → ${came}`;
}

/** Equal neighbours as one. */
function counted(lines: readonly string[]): readonly { readonly line: string; readonly times: number }[] {
  const groups: { line: string; times: number }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.line === line) last.times += 1;
    else groups.push({ line, times: 1 });
  }
  return groups;
}

const IN_PROGRESS: ReadonlySet<string> = new Set(['queued', 'picked', 'running']);

/** What a process returns for the step: its exit code, and 1 if a signal ended it. */
export function exitCodeOf({ main }: StepResult): number {
  return main.exitCode ?? 1;
}
