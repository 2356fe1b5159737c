import { describe, expect, it } from 'vitest';
import { OUTPUTS } from '../../src/action/report/outputs.ts';
import { API_KEY, JOB, PIPELINE } from '../support/service.ts';
import { PLACES } from './hostile-places.ts';
import { HOSTILE } from './hostile-texts.ts';
import { type SeenStep, seeStep } from './seen.ts';

/** The commands that this action has a use for. */
const OURS: ReadonlySet<string> = new Set(['add-mask', 'debug', 'error', 'warning', 'notice']);
/** What no line, no output and no summary may hold: controls, and marks that turn text around. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

describe.each(Object.entries(PLACES))('%s', (_place, place) => {
  it.each(Object.entries(HOSTILE))('that is %s stays text', async (_what, text) => {
    const seen = await seeStep(place(text));
    expectNoCommand(seen);
    expectNoForgedLine(seen);
    expectNoForgedRecord(seen);
    expectPlainSummary(seen.summary);
    expectOurRequestsOnly(seen);
    expectNoSecret(seen);
    expect(seen.log.commands.filter(({ name }) => name === 'debug').length).toBeGreaterThan(0);
    expect([0, 1]).toContain(seen.played.exitCode);
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

/** Nothing that came from outside begins a line, or is longer than anybody reads. */
function expectNoForgedLine({ lines, log }: SeenStep): void {
  const forged = log.shown.filter((line) => /^[\s\u200B]*(?:INJECTED|section |click |#|\|)/u.test(line));
  // A row of the table of a dry run begins with a name, and always goes on with an id.
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

/** The text may be there, as entities; nothing of it is Markdown, HTML, a mention or a line of a chart. */
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

/** What is not a UUID never becomes part of an address, nor does a secret. */
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
