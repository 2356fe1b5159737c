const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Between two labels of the axis: how long, and as Mermaid and d3 write it. */
type Tick = readonly [ms: number, interval: string, format: string];

const TICKS: readonly Tick[] = [
  ...[1, 2, 5, 10, 15, 30].map((n): Tick => [n * SECOND, `${n}second`, '%H:%M:%S']),
  ...[1, 2, 5, 10, 15, 30].map((n): Tick => [n * MINUTE, `${n}minute`, '%H:%M']),
  ...[1, 2, 3].map((n): Tick => [n * HOUR, `${n}hour`, '%H:%M']),
  ...[6, 12].map((n): Tick => [n * HOUR, `${n}hour`, '%d %b %H:%M']),
  [DAY, '1day', '%d %b'],
  [7 * DAY, '1week', '%d %b'],
];

/** So many labels stand beside each other without touching, also on a narrow page. */
const MOST_TICKS = 8;

/** The lines of a Mermaid gantt chart that say how its axis is written, for so many milliseconds from end to end. */
export function axisLines(spanMs: number): readonly string[] {
  // Below that, no whole second may lie between the ends.
  if (spanMs < 2 * SECOND) return ['axisFormat %S.%L s'];
  const tick = TICKS.find(([ms]) => spanMs / ms <= MOST_TICKS) ?? TICKS.at(-1);
  return tick === undefined ? [] : [`axisFormat ${tick[2]}`, `tickInterval ${tick[1]}`];
}
