import { formatDuration } from '../base/duration.ts';
import { oneLine } from '../base/safe-text.ts';
import type { Expectation } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import { columnsOf, cutToColumns } from './columns.ts';
import { axisLines } from './timeline-axis.ts';
import { type Phase, phasesOf } from './timeline-phases.ts';
import { chartText } from './timeline-text.ts';
import { nameOf } from './words.ts';

/** More rows than these, and a chart is no picture any more. */
const MOST_RUNS = 30;

/** Up to so many phases in all, each has a row of its own, with its name; else each run has one. */
const MOST_ROWS = 12;

/** Mermaid draws nothing for a text of more than 50,000 characters (its default `maxTextSize`). */
const LONGEST_CHART = 45_000;

/** When a summary is written, by both clocks in milliseconds: the one that runs evenly and the one on the wall. */
export interface Instant {
  readonly now: number;
  readonly wall: number;
}

/**
 * What each run spent its time on, as a Mermaid gantt chart in Markdown, for runs in the order in which they are
 * to be shown. Empty when there is nothing that took time.
 */
export function timelineOf(runs: readonly RunState[], plan: Expectation, at: Instant): string {
  const begun = Math.min(...runs.flatMap(({ startedAt }) => startedAt ?? []));
  const lives = runs
    .map((run) => ({ name: nameOf(run), phases: phasesOf(run, plan, begun, at.now) }))
    .filter(({ phases }) => phases.length > 0);
  if (lives.length === 0) return '';
  let shown = lives.slice(0, MOST_RUNS);
  let chart = chartOf(shown, at);
  while (chart.length > LONGEST_CHART) {
    shown = shown.slice(0, Math.floor(shown.length / 2));
    chart = chartOf(shown, at);
  }
  const [first] = ends(shown);
  return [
    '```mermaid',
    chart,
    '```',
    '',
    `${LEGEND} The chart begins at ${utc(first + at.wall - at.now)} UTC and shows your own time zone.`,
    ...(shown.length < lives.length
      ? ['', `The chart shows ${shown.length} of ${lives.length} runs, what needs attention first.`]
      : []),
  ].join('\n');
}

const LEGEND =
  'Grey: waiting or queued. Pale: picked up. Full colour: running. Red: ended in need of attention.';

interface Life {
  readonly name: string;
  readonly phases: readonly Phase[];
}

function ends(lives: readonly Life[]): readonly [first: number, last: number] {
  const phases = lives.flatMap((life) => life.phases);
  return [Math.min(...phases.map(({ from }) => from)), Math.max(...phases.map(({ to }) => to))];
}

function chartOf(lives: readonly Life[], at: Instant): string {
  const [first, last] = ends(lives);
  const isCompact = lives.flatMap(({ phases }) => phases).length > MOST_ROWS;
  const names = sectionNames(lives.map(({ name }) => name));
  const widest = Math.max(...lives.map(({ name }) => Math.min(columnsOf(name), NAME_COLUMNS)));
  const wall = (now: number): number => Math.round(now + at.wall - at.now);
  return [
    '---',
    'config:',
    '  gantt:',
    ...(isCompact ? ['    displayMode: compact'] : []),
    '    numberSectionStyles: 2',
    `    leftPadding: ${NAME_MARGIN_PX + widest * COLUMN_PX}`,
    '---',
    'gantt',
    'accTitle: What the pipeline runs spent their time on',
    'dateFormat x',
    ...axisLines(last - first),
    'todayMarker off',
    ...lives.flatMap(({ phases }, index) => [
      `section ${names[index] ?? ''}`,
      ...phases.map((phase) => {
        const columns = isCompact ? (CHART_COLUMNS * (phase.to - phase.from)) / (last - first) : Infinity;
        return `${labelOf(phase, columns)} :${tagOf(phase)}${wall(phase.from)}, ${wall(phase.to)}`;
      }),
    ]),
  ].join('\n');
}

/** Room for the names on the left: so many columns at most, each so wide in Mermaid's font of 11 pixels. */
const NAME_COLUMNS = 28;
const COLUMN_PX = 6;
const NAME_MARGIN_PX = 25;

/** Mermaid puts runs of the same name into one section: those that look alike get a number. */
function sectionNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  for (const name of names) {
    let text = chartText(name, NAME_COLUMNS);
    for (let nth = 2; taken.has(text); nth += 1) {
      text = `${chartText(name, NAME_COLUMNS - 5)} #40;${nth}#41;`;
    }
    taken.add(text);
  }
  return [...taken];
}

/** Mermaid wants a text for each bar: a space of no width. */
const NO_LABEL = '#8203;';

/** How many columns of text the bars have on a page of usual width. */
const CHART_COLUMNS = 110;

const OWN_WORDS = [
  'waiting',
  'triggering',
  'first read',
  'queued',
  'picked',
  'running',
  'cancelling',
  'unknown',
];

/** The phase and how long it took, or as much of that as fits into so many columns. */
function labelOf({ name, from, to }: Phase, columns: number): string {
  const words = cutToColumns(oneLine(name), NAME_COLUMNS);
  const label = [`${words} ${formatDuration(to - from)}`, words].find(
    (text) => columnsOf(text) + 2 <= columns,
  );
  if (label === undefined) return NO_LABEL;
  return OWN_WORDS.includes(name) ? label : chartText(label, label.length);
}

function tagOf({ name, isBad }: Phase): string {
  if (isBad) return 'crit, ';
  if (['waiting', 'triggering', 'first read', 'queued'].includes(name)) return 'done, ';
  return name === 'picked' ? 'active, ' : '';
}

/** A clock that is off must not cost the summary. */
function utc(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return 'an unknown time';
  return date.toISOString().replace('T', ' ').slice(0, 19);
}
