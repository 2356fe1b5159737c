// Checks that hostile text in a response remains plain text in the log, annotations, files and requests.
import { describe, expect, it, vi } from 'vitest';
import { parseRecords } from '../../sandbox/runner/records.ts';
import { StepLog } from '../../sandbox/runner/step-log.ts';
import { OUTPUTS } from '../../src/action/report/outputs.ts';
import { githubToolkit } from '../../src/action/runner/toolkit.ts';
import { API_KEY, JOB, PIPELINE } from '../support/service.ts';
import { playStep, STEP_FILES, type StepOptions } from '../support/step.ts';
import { PLACES } from './hostile-places.ts';
import { HOSTILE } from './hostile-texts.ts';

/** Runs a step with debug logging through GitHub's toolkit, and reads its stdout and files by the runner's rules. */
async function seeStep(options: StepOptions) {
  vi.stubEnv('RUNNER_DEBUG', '1');
  let stdout = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const played = await playStep({ ...options, toolkit: githubToolkit, print }).finally(() => vi.restoreAllMocks());
  const log = new StepLog(new Set(), true);
  const lines = stdout.split(/\r\n|\r|\n/);
  for (const line of lines) log.take(line);
  const read = (path = ''): string => played.files.read(path) ?? '';
  return {
    played,
    log,
    lines,
    output: parseRecords(read(STEP_FILES.output)),
    state: parseRecords(read(STEP_FILES.state)),
    journal: parseRecords(read(played.files.paths.find((path) => path.endsWith('.journal')))),
    summary: read(STEP_FILES.summary),
  };
}

type SeenStep = Awaited<ReturnType<typeof seeStep>>;

/** The workflow commands that this action uses. */
const OURS: ReadonlySet<string> = new Set(['add-mask', 'debug', 'error', 'warning', 'notice']);
/** Control characters and marks that reverse text, which no line, output or summary may contain. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

describe.each(Object.entries(PLACES))('hostile text in %s', (_place, place) => {
  it.each(Object.entries(HOSTILE))('remains plain text if it contains %s', async (_what, text) => {
    const seen = await seeStep(place(text));
    expectNoCommand(seen);
    expectNoForgedLine(seen);
    expectNoForgedRecord(seen);
    expectPlainSummary(seen.summary);
    expectOurRequestsOnly(seen);
    expectNoSecret(seen);
    expect(seen.log.commands.filter(({ name }) => name === 'debug').length).toBeGreaterThan(0);
  });
});

function expectNoCommand({ log }: SeenStep): void {
  const strange = log.commands.filter(({ name }) => !OURS.has(name));
  expect(strange).toEqual([]);
  for (const { name, data, properties } of log.commands) {
    if (name === 'add-mask' || name === 'debug') continue;
    expect(properties['title']).toMatch(/^run-pipeline/);
    expect(Object.keys(properties)).toEqual(['title']);
    expect(data).not.toMatch(/^\s*(?:::|INJECTED)/);
  }
}

/** Expects that no line starts with hostile text, and that no line is too long to read. */
function expectNoForgedLine({ lines, log }: SeenStep): void {
  const forged = log.shown.filter((line) => /^[\s\u200B]*(?:INJECTED|section |click |#|\|)/u.test(line));
  // In the table of a dry run, each row starts with the name of a pipeline, followed by its id.
  expect(forged.filter((line) => !line.includes(`  ${PIPELINE}  `))).toEqual([]);
  expect(lines.filter((line) => CONTROL.test(line))).toEqual([]);
  expect(log.shown.filter((line) => CONTROL.test(line))).toEqual([]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(6_000);
}

function expectNoForgedRecord({ output, state, journal }: SeenStep): void {
  expect([output.broken, state.broken, journal.broken]).toEqual([undefined, undefined, undefined]);
  const foreign = Object.keys(output.values).filter((name) => !OUTPUTS.some((known) => known === name));
  expect(foreign).toEqual([]);
  for (const [name, value] of Object.entries(output.values)) {
    const lines = ['results', 'job-id'].includes(name) ? value.split('\n') : [value];
    expect(lines.filter((line) => CONTROL.test(line) || /^\s*::|##\[/u.test(line))).toEqual([]);
  }
  expect(['', JOB, `${JOB}\n${JOB}`]).toContain(output.values['job-id'] ?? '');
  expect(['', PIPELINE]).toContain(output.values['pipeline-id'] ?? '');
  expect(output.values['outcome']).toMatch(/^[a-z_]+$/);
  JSON.parse(output.values['results'] ?? '');
  for (const records of [state.values, journal.values]) {
    for (const [name, value] of Object.entries(records)) {
      expect(name).toMatch(/^run_pipeline_\d{4}$/);
      JSON.parse(value);
    }
  }
}

/** Expects that the summary contains the text only as entities, not as Markdown, HTML, a mention or a chart line. */
function expectPlainSummary(summary: string): void {
  expect(summary).not.toMatch(/<(?!\/?(?:br|sub|details|summary)\b)[a-z!/]|\]\(|!\[|@INJECTED|(?<!&)#1\b/i);
  const outside = summary.replace(/^```mermaid\n[\s\S]*?^```$/gm, '');
  expect(outside).not.toMatch(/^\s*(?:#+ INJECTED|```|section |click |%%|INJECTED)/m);
  expect(summary).not.toMatch(/^\s*(?:section INJECTED|click |%%\{)/m);
  const columns = outside
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').length);
  expect(new Set(columns).size).toBeLessThanOrEqual(1);
  expect(CONTROL.test(summary.replaceAll('\n', ''))).toBe(false);
  expect(summary.length).toBeLessThan(100_000);
}

/** Expects that every URL has a known form, and that no body contains hostile text or a secret. */
function expectOurRequestsOnly({ played }: SeenStep): void {
  const known = new RegExp(
    String.raw`^https://(?:app\.example\.test/api/cli/bootstrap|api\.example\.test/rest/v1/(?:` +
      String.raw`rpc/create_pipeline_run_job|pipelines_and_datasources\?select=[a-z_,]+|` +
      String.raw`jobs\?id=eq\.${JOB}(?:&job_status=in\.\(queued,picked,running\))?&select=[a-z_,]+))$`,
  );
  for (const { request } of played.sent) {
    expect(request.url.href).toMatch(known);
    expect(request.body ?? '').not.toMatch(/INJECTED|ak_|token-/);
  }
}

function expectNoSecret({ played, lines, summary }: SeenStep): void {
  const shown = lines.filter((line) => !line.startsWith('::add-mask::'));
  const written = played.files.paths.map((path) => played.files.text(path));
  const all = [...shown, ...written, summary].join('\n');
  expect(all).not.toContain(API_KEY);
  expect(all).not.toMatch(/token-\d/);
}
