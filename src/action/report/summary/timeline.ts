import { formatDuration } from '../../../base/duration.ts';
import { oneLine } from '../../../base/safe-text.ts';
import type { Expectation } from '../../../run/plan.ts';
import { OUTCOMES, outcomeOf } from '../../../run/state/outcome.ts';
import type { RunState } from '../../../run/state/run-state.ts';
import { isTerminal } from '../../../service/statuses.ts';
import { isoTime, nameOf } from '../words.ts';
import { columnsOf, cutToColumns } from './markdown.ts';

/** Maximum number of runs. A larger chart would be unreadable. */
const MAX_RUNS = 30;
/** Maximum number of rows. If there are more bars, all bars of a run share a row. */
const MAX_ROWS = 12;
/** Maximum number of characters. Mermaid rejects more than 50,000 (the default of `maxTextSize`). */
const MAX_CHART_LENGTH = 45_000;

/** The time at which the step writes the summary, by the monotonic and by the wall clock, in milliseconds. */
export interface Instant {
  readonly now: number;
  readonly wall: number;
}

/** A period of a run, with monotonic times in milliseconds. */
interface Bar {
  /** A status from the service, or a term of this action. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Whether this is the last bar of a run that needs attention. */
  readonly isBad: boolean;
}

type Row = { readonly name: string; readonly bars: readonly Bar[] };

/** Returns a Mermaid gantt chart in Markdown of how the runs spent their time. Returns '' if no run took any time. */
export function timelineOf(runs: readonly RunState[], plan: Expectation, at: Instant): string {
  const firstStart = Math.min(...runs.flatMap(({ startedAt }) => startedAt ?? []));
  const all = runs
    .map((run) => ({
      name: run.attempt > 1 ? `${nameOf(run)}, attempt ${run.attempt}` : nameOf(run),
      bars: barsOf(run, plan, firstStart, at.now),
    }))
    .filter(({ bars }) => bars.length > 0);
  if (all.length === 0) return '';
  const wallTime = (ms: number): string => isoTime(Math.round(ms + at.wall - at.now)).slice(0, 23);
  let rows = all.slice(0, MAX_RUNS);
  while (chartOf(rows, wallTime).length > MAX_CHART_LENGTH) rows = rows.slice(0, Math.floor(rows.length / 2));
  const legend = `${LEGEND} The chart begins at ${wallTime(rangeOf(rows)[0]).slice(0, 19).replace('T', ' ')}.`;
  const omitted = `\n\nThe chart shows ${rows.length} of ${all.length} runs, the most urgent first.`;
  return `\`\`\`mermaid\n${chartOf(rows, wallTime)}\n\`\`\`\n\n${legend}${rows.length < all.length ? omitted : ''}`;
}

const LEGEND = 'Grey: waiting or queued. Pale: picked up. Full colour: running. Red: needs attention. Times are UTC.';

/** Returns the bars of a run in chronological order. `firstStart` is the start of the first run of the step. */
function barsOf(run: RunState, plan: Expectation, firstStart: number, now: number): readonly Bar[] {
  const { startedAt, phase } = run;
  if (startedAt === undefined || phase.at === 'not_queued') return [];
  const end = endOf(run, now);
  const statuses = statusStarts(run);
  // The chart shows a period before the first status only if the period takes at least 1% of the total.
  const minMs = (end - firstStart) * 0.01;
  const waitsFrom = run.earlier.at(-1)?.endedAt ?? firstStart;
  const firstStatusAt = statuses[0]?.at ?? end;
  const starts = [
    ...(startedAt - waitsFrom < minMs ? [] : [{ name: 'waiting', at: waitsFrom }]),
    ...(firstStatusAt - startedAt < minMs ? [] : [{ name: run.attached ? 'first read' : 'triggering', at: startedAt }]),
    ...statuses,
    ...(phase.at === 'unknown' ? [{ name: 'unknown', at: startedAt }] : []),
  ];
  const isBad = OUTCOMES.indexOf(outcomeOf(run, plan)) < OUTCOMES.indexOf('triggered');
  const bars = starts
    .map(({ name, at }, index) => ({ name, isBad: false, from: at, to: Math.min(starts[index + 1]?.at ?? end, end) }))
    .filter(({ from, to }) => to > from);
  const last = bars.at(-1);
  return last === undefined ? [] : withoutMiddle([...bars.slice(0, -1), { ...last, isBad }]);
}

/** Returns the time when the run ended or, if it has not, the last time when its status was known. */
function endOf({ endedAt, phase, lastReadAt, stop }: RunState, now: number): number {
  if (endedAt !== undefined) return endedAt;
  if (phase.at === 'lost') return lastReadAt ?? now;
  return phase.at === 'left' ? (stop?.at ?? now) : now;
}

/** Returns the start of each status. A cancellation replaces all later statuses. */
function statusStarts({ history, stop, jobId }: RunState): { readonly name: string; readonly at: number }[] {
  const statuses = history.flatMap(({ status, at }) => (isTerminal(status) ? [] : [{ name: status, at }]));
  if (stop === undefined || stop.policy !== 'cancel' || jobId === undefined) return statuses;
  return [...statuses.filter(({ at }) => at <= stop.at), { name: 'cancelling', at: stop.at }];
}

/** Merges all bars except the first three and the last two if several bars remain. */
function withoutMiddle(bars: readonly Bar[]): readonly Bar[] {
  const middle = bars.slice(3, -2);
  const [first, last] = [middle[0], middle.at(-1)];
  if (middle.length < 2 || first === undefined || last === undefined) return bars;
  const merged = { ...first, name: `${middle.length} more changes`, to: last.to };
  return [...bars.slice(0, 3), merged, ...bars.slice(-2)];
}

function rangeOf(rows: readonly Row[]): readonly [from: number, to: number] {
  const bars = rows.flatMap((row) => row.bars);
  return [Math.min(...bars.map(({ from }) => from)), Math.max(...bars.map(({ to }) => to))];
}

/** Maximum width of a name, in columns. */
const NAME_COLUMNS = 28;
/** Number of text columns that fit across a chart on a page of normal width. */
const CHART_COLUMNS = 110;

function chartOf(rows: readonly Row[], wallTime: (ms: number) => string): string {
  const [from, to] = rangeOf(rows);
  const isCompact = rows.flatMap(({ bars }) => bars).length > MAX_ROWS;
  const sections = sectionNames(rows.map(({ name }) => name));
  const widest = Math.max(...rows.map(({ name }) => Math.min(columnsOf(name), NAME_COLUMNS)));
  const lineOf = (bar: Bar): string => {
    const columns = isCompact ? (CHART_COLUMNS * (bar.to - bar.from)) / (to - from) : Infinity;
    return `${labelOf(bar, columns)} :${tagOf(bar)}${wallTime(bar.from)}, ${wallTime(bar.to)}`;
  };
  return [
    '---',
    'config:',
    '  gantt:',
    ...(isCompact ? ['    displayMode: compact'] : []),
    '    numberSectionStyles: 2',
    // 25 pixels of margin, and 6 per column in Mermaid's 11-pixel font.
    `    leftPadding: ${25 + widest * 6}`,
    '---',
    'gantt',
    'accTitle: Timeline of the pipeline runs',
    // Mermaid uses the reader's time zone both to parse and to label times without a zone, so the axis shows UTC.
    'dateFormat YYYY-MM-DDTHH:mm:ss.SSS',
    ...axisLines(to - from),
    'todayMarker off',
    ...rows.flatMap(({ bars }, index) => [`section ${sections[index] ?? ''}`, ...bars.map(lineOf)]),
  ].join('\n');
}

/** Mermaid merges sections with the same name, so repeated names get a number. */
function sectionNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  for (const name of names) {
    let text = chartText(name, NAME_COLUMNS);
    for (let nth = 2; taken.has(text); nth += 1) text = `${chartText(name, NAME_COLUMNS - 5)} #40;${nth}#41;`;
    taken.add(text);
  }
  return [...taken];
}

/** Names that have no special meaning in Mermaid. */
const PLAIN_NAME = /^(?:waiting|triggering|first read|queued|picked|running|cancelling|unknown)$/;

/** Returns the name and duration of a bar, or as much of them as fits in `columns` columns. */
function labelOf({ name, from, to }: Bar, columns: number): string {
  const shortName = cutToColumns(oneLine(name), NAME_COLUMNS);
  const labels = [`${shortName} ${formatDuration(to - from)}`, shortName];
  const label = labels.find((text) => columnsOf(text) + 2 <= columns);
  // Return a zero-width space, because Mermaid requires a label.
  if (label === undefined) return '#8203;';
  return PLAIN_NAME.test(name) ? label : chartText(label, Infinity);
}

/** Returns the tag that sets a bar's colour; see LEGEND. */
function tagOf({ name, isBad }: Bar): string {
  if (isBad) return 'crit, ';
  if (['waiting', 'triggering', 'first read', 'queued'].includes(name)) return 'done, ';
  return name === 'picked' ? 'active, ' : '';
}

/** Time units in ms with their Mermaid names, the possible numbers of units between labels, and a d3 label format. */
const TICKS = [
  [1_000, 'second', [1, 2, 5, 10, 15, 30], '%H:%M:%S'],
  [60_000, 'minute', [1, 2, 5, 10, 15, 30], '%H:%M'],
  [3_600_000, 'hour', [1, 2, 3], '%H:%M'],
  [3_600_000, 'hour', [6, 12], '%d %b %H:%M'],
  [86_400_000, 'day', [1], '%d %b'],
] as const;

/** Returns the lines that configure the axis labels of a chart that spans `spanMs` milliseconds. */
function axisLines(spanMs: number): readonly string[] {
  // A shorter chart might not contain a whole second.
  if (spanMs < 2_000) return ['axisFormat %S.%L s'];
  for (const [ms, unit, counts, format] of TICKS) {
    // More than eight labels would touch each other on a narrow page.
    const count = counts.find((n) => spanMs / (n * ms) <= 8);
    if (count !== undefined) return [`axisFormat ${format}`, `tickInterval ${count}${unit}`];
  }
  return ['axisFormat %d %b', 'tickInterval 1week'];
}

const HARMLESS = /^[\p{L}\p{N}\p{M}\p{Extended_Pictographic} ]$/u;

/** Encodes for Mermaid the first character, as it may begin a keyword, and all but letters, digits, emoji and space. */
export function chartText(text: string, columns: number): string {
  return Array.from(cutToColumns(oneLine(text), columns))
    .map((mark, index) => (index > 0 && HARMLESS.test(mark) ? mark : `#${mark.codePointAt(0)};`))
    .join('');
}
