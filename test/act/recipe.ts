import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parse, stringify } from 'yaml';
import { documentAt, section } from '../docs/documents.ts';
import { type Played, play, type Scene } from './play.ts';

/** What a recipe is played with. */
export interface Casting extends Scene {
  /** Pipelines of the sandbox for those of the recipe. */
  readonly pipelines: Readonly<Record<string, string>>;
  /** Scripts of the reader's own, by what the recipe runs. The others print what they are. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** Texts of the recipe that are played as others: times, mostly. */
  readonly instead?: Readonly<Record<string, string>>;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const CHECKOUT = 'actions/checkout@';

/** Plays a workflow of docs/recipes.md, the one below this heading, as it stands but for what act cannot have. */
export async function playRecipe(heading: string, casting: Casting): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'recipe-'));
  try {
    const file = join(folder, 'recipe.yml');
    writeFileSync(file, asPlayed(heading, casting));
    return await play(relative(import.meta.dirname, file), casting);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Secrets and inputs come as variables, and the action comes with a checkout of this repository. */
function asPlayed(heading: string, { pipelines, scripts = {}, instead = {} }: Casting): string {
  const [, shown = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(section(documentAt('docs/recipes.md'), heading)) ?? [];
  const replaced = Object.entries(instead).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The recipe "${heading}" has no "${from}".`);
    return text.replaceAll(from, to);
  }, shown);
  const text = replaced
    .replaceAll('secrets.PIPELINE_API_KEY', 'vars.API_KEY')
    .replaceAll('https://app.example.com', '${{ vars.BASE_URL }}')
    .replace(/\b(?:secrets|inputs)\.([\w-]+)/g, (_, name: string) => `vars.${name.replaceAll('-', '_')}`);
  const workflow = parse(text) as Workflow;
  const jobs = Object.entries(workflow.jobs).map(([name, job]) => {
    const steps = job.steps.filter(({ uses = '' }) => !uses.startsWith(CHECKOUT)).map(played);
    const checkout = { uses: `${CHECKOUT}v7`, with: { 'persist-credentials': 'false' } };
    return [name, { ...job, environment: undefined, steps: [checkout, ...steps] }] as const;
  });
  return stringify({ ...workflow, on: 'workflow_dispatch', jobs: Object.fromEntries(jobs) });

  function played(step: Step): Step {
    if (step.run !== undefined) {
      return { ...step, run: step.run.startsWith('./') ? (scripts[step.run] ?? `echo ${step.run}`) : step.run };
    }
    const [, folder = ''] = /^OWNER\/run-pipeline([^@]*)@/.exec(step.uses ?? '') ?? [];
    if (folder !== '') return { ...step, uses: `.${folder}` };
    const pipeline = step.with?.['pipeline']?.replace(/\w+/g, (name) => pipelines[name] ?? name);
    const inputs = { ...step.with, ...(pipeline !== undefined && { pipeline }), 'poll-interval': '100ms' };
    return { ...step, uses: './', with: inputs };
  }
}
