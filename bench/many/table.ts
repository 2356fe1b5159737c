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
  ['took (s)', ({ tookS }) => tookS.toFixed(1)],
];

/** Returns a Markdown table that is padded for terminals. */
export function table(all: readonly Figures[]): string {
  const rows = [COLUMNS.map(([head]) => head), ...all.map((figures) => COLUMNS.map(([, cell]) => cell(figures)))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Growth counts as linear if it is at most this many times as steep in the last section. Measurements are noisy. */
const MAX_STEEPENING = 1.5;

/** Checks that the cost of a run does not grow with the number of runs, and that the step kept its guarantees. */
export function verdict(all: readonly Figures[]): { readonly ok: boolean; readonly text: string } {
  const [a, b, c] = all.slice(-3);
  const lines = all.flatMap(problemsOf);
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
  const ok = after <= MAX_STEEPENING * before;
  const grows = `${before.toFixed(2)} ${unit} per run from ${a.runs} to ${b.runs} runs, ${after.toFixed(2)} from ${b.runs} to ${c.runs}`;
  return { ok, text: `${what}: ${grows}: ${ok ? 'linear' : 'NOT linear'}` };
}

/** The maximum delay from a run's end to its read, in intervals. A tenth allows for slow responses. */
const MAX_DELAY = 1.1;

function problemsOf(figures: Figures): Line[] {
  const { runs, once, ended, latest, violations } = figures;
  const wrong = [
    ...(once === runs ? [] : ['not every run was triggered once']),
    ...(ended === runs ? [] : ['not every end was seen']),
    ...(latest <= MAX_DELAY ? [] : [`an end was seen only after ${latest.toFixed(2)} intervals`]),
    ...(violations === 0 ? [] : [`the service noted ${violations} violations`]),
  ];
  return wrong.map((text) => ({ ok: false, text: `${runs} runs: ${text}` }));
}
