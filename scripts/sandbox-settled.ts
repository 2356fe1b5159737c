/** `node scripts/sandbox-settled.ts URL`: fails when a sandbox (`--admin`) has a run in progress, or saw a rule broken. */
interface State {
  readonly runs: readonly { readonly id: string; readonly pipeline: string | null; readonly status: string }[];
  readonly violations: readonly { readonly kind: string; readonly detail: string }[];
}

const IN_PROGRESS = ['queued', 'picked', 'running'];

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: node scripts/sandbox-settled.ts URL');
const answer = await fetch(`${url}/_sandbox/state`);
const { runs, violations } = (await answer.json()) as State;
for (const { id, pipeline, status } of runs) console.log(`${pipeline ?? ''} ${id}: ${status}`);
const complaints = [
  ...(runs.length === 0 ? ['There was no run.'] : []),
  ...runs.filter(({ status }) => IN_PROGRESS.includes(status)).map(({ id }) => `${id} is still in progress.`),
  ...violations.map(({ kind, detail }) => `${kind}: ${detail}`),
];
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;
