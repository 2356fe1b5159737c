import { stateAt } from '../model/index.ts';
import type { ProcessResult, StepResult } from '../runner/index.ts';
import type { RequestRecord, Sandbox } from '../server/index.ts';
import type { Page } from './page.ts';

/** Shows the step as it appears in a workflow file. */
export function showWorkflow(page: Page, inputs: Readonly<Record<string, string>>): void {
  page.heading('The workflow');
  page.line('- uses: run-pipeline');
  page.line('  id: sync');
  page.line('  with:');
  for (const [name, value] of Object.entries(inputs)) {
    const lines = name === 'api-key' ? ['${{ secrets.PIPELINE_API_KEY }}'] : value.split('\n');
    page.line(`    ${name}: ${lines.length === 1 ? lines.join('') : '|'}`);
    if (lines.length > 1) for (const line of lines) page.line(`      ${line}`);
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
  page.heading('Outputs for later steps: ${{ steps.sync.outputs.… }}');
  page.table(Object.entries(files.outputs));
  page.heading('Job summary (Markdown that GitHub renders, with character codes decoded)');
  for (const line of decoded(files.summary).trimEnd().split('\n')) page.line(line);
}

/** Decodes the numeric character codes of HTML (`&#46;`) and Mermaid (`#46;`), and drops zero-width spaces. */
function decoded(summary: string): string {
  const characterOf = (_: string, code: string): string => (code === '8203' ? '' : String.fromCodePoint(Number(code)));
  return summary.replace(/&?#(\d+);/g, characterOf).replaceAll('&amp;', '&');
}

/** Shows the requests and the final state of the service. */
export function showService(page: Page, { world, now }: Sandbox, requests: readonly RequestRecord[]): void {
  page.heading('Requests to the service, and its runs');
  const inOrder = requests.toSorted((a, b) => a.at - b.at);
  for (const { line, times } of counted(inOrder.map(requestLine))) {
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
  return `${method.padEnd(5)} ${path} → ${answeredStatus ?? 'no response'}`;
}

/** Merges consecutive equal lines. */
function counted(lines: readonly string[]): readonly { readonly line: string; readonly times: number }[] {
  const groups: { line: string; times: number }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.line === line) last.times += 1;
    else groups.push({ line, times: 1 });
  }
  return groups;
}

/** Suggests other commands. */
export function showOptions(page: Page): void {
  page.heading('More examples');
  page.line('npm run demo -- --pipeline broken');
  page.line('npm run demo -- --pipeline endless --cancel-after 2s');
  page.line('npm run demo -- --help');
}

const IN_PROGRESS: ReadonlySet<string> = new Set(['queued', 'picked', 'running']);

/** Returns the exit code of the step, or 1 if a signal ended the step. */
export function exitCodeOf({ main }: StepResult): number {
  return main.exitCode ?? 1;
}
