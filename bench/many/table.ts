import { type Figures, slope } from './figures.ts';

const COLUMNS: readonly (readonly [string, (figures: Figures) => string])[] = [
  ['runs', ({ runs }) => String(runs)],
  ['triggered once', ({ once, runs }) => `${once} of ${runs}`],
  ['ends seen', ({ ended, runs }) => `${ended} of ${runs}`],
  [
    'seen after (median / latest, intervals)',
    ({ medianLate, latest }) => `${medianLate.toFixed(2)} / ${latest.toFixed(2)}`,
  ],
  ['requests per minute', ({ requestsPerMinute }) => requestsPerMinute.toFixed(0)],
  ['burst', ({ burst }) => burst?.toFixed(1) ?? '–'],
  ['violations', ({ violations }) => String(violations)],
  ['CPU (ms)', ({ cpuMs }) => cpuMs.toFixed(0)],
  ['peak memory (MiB)', ({ peakMiB }) => peakMiB.toFixed(0)],
  ['state per run (bytes)', ({ stateBytesPerRun }) => stateBytesPerRun.toFixed(0)],
  ['took (s)', ({ took }) => took.toFixed(1)],
];

/** A table in Markdown, which reads well in a terminal too. */
export function table(all: readonly Figures[]): string {
  const rows = [COLUMNS.map(([head]) => head), ...all.map((figures) => COLUMNS.map(([, cell]) => cell(figures)))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** How much steeper the last stretch may be than the one before and still count as a straight line; measuring is noisy. */
const STRAIGHT = 1.5;

/** Says whether what a run costs grows with how many there are; `ok` is false if it does, or a promise was broken. */
export function verdict(all: readonly Figures[]): { readonly ok: boolean; readonly text: string } {
  const [a, b, c] = all.slice(-3);
  const lines = all.flatMap(brokenBy);
  if (a !== undefined && b !== undefined && c !== undefined) {
    lines.push(growth('CPU time', 'ms', a, b, c, ({ cpuMs }) => cpuMs));
    lines.push(growth('Peak memory', 'MiB', a, b, c, ({ peakMiB }) => peakMiB));
  }
  return { ok: lines.every(({ ok }) => ok), text: lines.map(({ text }) => text).join('\n') };
}

interface Line {
  readonly ok: boolean;
  readonly text: string;
}

function growth(
  what: string,
  unit: string,
  a: Figures,
  b: Figures,
  c: Figures,
  of: (figures: Figures) => number,
): Line {
  const before = slope(a, b, of);
  const after = slope(b, c, of);
  const ok = after <= STRAIGHT * before;
  const grows = `${before.toFixed(2)} ${unit} per run from ${a.runs} to ${b.runs} runs, ${after.toFixed(2)} from ${b.runs} to ${c.runs}`;
  return { ok, text: `${what}: ${grows}: ${ok ? 'linear' : 'NOT linear'}` };
}

/** An answer takes a while, on a busy machine longer: what one interval and a tenth do not cover is late. */
const LATEST = 1.1;

function brokenBy(figures: Figures): Line[] {
  const { runs, once, ended, latest, violations } = figures;
  const wrong = [
    ...(once === runs ? [] : ['not every run was triggered once']),
    ...(ended === runs ? [] : ['not every end was seen']),
    ...(latest <= LATEST ? [] : [`an end was seen ${latest.toFixed(2)} intervals late`]),
    ...(violations === 0 ? [] : [`${violations} requests broke a rule of the service`]),
  ];
  return wrong.map((text) => ({ ok: false, text: `${runs} runs: ${text}` }));
}
