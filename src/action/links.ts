import { isLoopback } from '../base/address.ts';
import { quoted } from '../base/safe-text.ts';
import type { RunState } from '../run/run-state.ts';
import { type InputReader, listed } from './input-reader.ts';

/** What a template of `run-url` may name, in braces. */
const PLACEHOLDERS = ['job-id', 'pipeline-id'] as const;

/** A template goes into each log line, annotation and row of the summary; browsers take no more than this either. */
const LONGEST = 2_000;

const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

const REMEDY =
  'Write the address of a run in the application, with {job-id} where its id belongs, such as https://app.example.com/runs/{job-id}.';

/** Reads the template of `run-url`; undefined when it is empty, and after a mistake. */
export function readRunUrl(read: InputReader): string | undefined {
  const text = read.text('run-url');
  if (text === '') return undefined;
  const wrong = mistakeIn(text);
  if (wrong === undefined) return text;
  // Whatever stands before an @ may be a password.
  read.mistake('run-url', `${text.includes('@') ? wrong : `is ${quoted(text)}, which ${wrong}`}. ${REMEDY}`);
  return undefined;
}

/** What is wrong with a template, in words that follow its name. */
function mistakeIn(template: string): string | undefined {
  if (template.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (/\s/.test(template)) return 'contains white space';
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '');
  const strange = names.find((name) => !PLACEHOLDERS.some((known) => known === name));
  const known = listed(
    PLACEHOLDERS.map((name) => `{${name}}`),
    'and',
  );
  if (strange !== undefined) return `names ${quoted(`{${strange}}`, 60)}, and only ${known} are known`;
  if (names.length === 0) return 'names no run';
  const filled = fill(template, SAMPLE_ID, SAMPLE_ID);
  if (/[{}]/.test(filled)) return 'has a brace without its counterpart';
  if (!URL.canParse(filled)) return 'is not a URL';
  const url = new URL(filled);
  if (url.username !== '' || url.password !== '') return 'contains credentials';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return undefined;
  return url.protocol === 'http:'
    ? 'is not https, and its host is not this machine'
    : 'does not begin with https://';
}

function fill(template: string, jobId: string, pipelineId: string): string {
  return template.replaceAll('{job-id}', jobId).replaceAll('{pipeline-id}', pipelineId);
}

/**
 * Where the application shows a run. Undefined without a template, and while an id that the template names is
 * not known: a run that was given by its id alone has no pipeline here.
 */
export function linkTo(
  run: Pick<RunState, 'jobId' | 'pipeline'>,
  template: string | undefined,
): string | undefined {
  if (template === undefined) return undefined;
  const { jobId, pipeline } = run;
  if (jobId === undefined || (pipeline === undefined && template.includes('{pipeline-id}'))) return undefined;
  return new URL(fill(template, jobId, pipeline?.id ?? '')).href;
}
