import { isLoopback } from '../../base/address.ts';
import { quoted } from '../../base/safe-text.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { InputReader } from './input-reader.ts';

/** Maximum length in characters. It is low because links appear in log lines, annotations and the summary. */
const MAX_LENGTH = 2_000;
const PLACEHOLDERS = ['{job-id}', '{pipeline-id}'];
const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';
const REMEDY =
  "Set it to the address of a run in the application, with {job-id} in place of the run's id, such as https://app.example.com/runs/{job-id}.";

/** Reads the template for links to runs. Returns undefined if the input is empty or invalid. */
export function readRunUrl(read: InputReader): string | undefined {
  const text = read.text('run-url');
  if (text === '') return undefined;
  const wrong = mistakeInTemplate(text);
  if (wrong === undefined) return text;
  read.wrongAddress('run-url', wrong, REMEDY);
  return undefined;
}

/** Returns a verb phrase that describes the problem with a template, or undefined if the template is valid. */
function mistakeInTemplate(template: string): string | undefined {
  if (template.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (/\s/.test(template)) return 'contains white space';
  const found: readonly string[] = template.match(/\{[^{}]*\}/g) ?? [];
  const unknown = found.find((placeholder) => !PLACEHOLDERS.includes(placeholder));
  if (unknown !== undefined)
    return `contains ${quoted(unknown, 60)}, but only ${PLACEHOLDERS.join(' and ')} are allowed`;
  if (found.length === 0) return 'does not contain {job-id}';
  const filled = fill(template, SAMPLE_ID, SAMPLE_ID);
  if (/[{}]/.test(filled)) return 'contains an unmatched brace';
  if (!URL.canParse(filled)) return 'is not a URL';
  const url = new URL(filled);
  if (url.username !== '' || url.password !== '') return 'contains credentials';
  if (url.protocol === 'http:' && !isLoopback(url)) return 'uses http (allowed only for loopback addresses)';
  return ['https:', 'http:'].includes(url.protocol) ? undefined : 'does not begin with https://';
}

function fill(template: string, jobId: string, pipelineId: string): string {
  return template.replaceAll('{job-id}', jobId).replaceAll('{pipeline-id}', pipelineId);
}

/** Returns the link to a run, or undefined without a template or while an id that the link needs is unknown. */
export function linkTo(run: Pick<RunState, 'jobId' | 'pipeline'>, template?: string): string | undefined {
  const { jobId, pipeline } = run;
  if (template === undefined || jobId === undefined) return undefined;
  // If the input identifies the run by its own id, the run's pipeline is unknown.
  if (pipeline === undefined && template.includes('{pipeline-id}')) return undefined;
  return new URL(fill(template, jobId, pipeline?.id ?? '')).href;
}
