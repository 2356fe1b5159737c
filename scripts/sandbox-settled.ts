/** `node scripts/sandbox-settled.ts URL`: fails if a sandbox (`--admin`) has a run in progress or a violation. */
interface State {
  readonly runs: readonly { readonly id: string; readonly pipeline: string | null; readonly status: string }[];
  readonly violations: readonly { readonly kind: string; readonly detail: string }[];
}

const IN_PROGRESS = ['queued', 'picked', 'running'];

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: node scripts/sandbox-settled.ts URL');
const response = await fetch(`${url}/_sandbox/state`);
const { runs, violations } = (await response.json()) as State;
for (const { id, pipeline, status } of runs) console.log(`${pipeline ?? ''} ${id}: ${status}`);
const problems = [
  ...(runs.length === 0 ? ['The sandbox has no run.'] : []),
  ...runs.filter(({ status }) => IN_PROGRESS.includes(status)).map(({ id }) => `${id} is still in progress.`),
  ...violations.map(({ kind, detail }) => `${kind}: ${detail}`),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
