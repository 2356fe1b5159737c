import type { Play } from './play.ts';

/** The measurements of one step with many runs. */
export interface Figures {
  readonly runs: number;
  /** The number of runs that the step triggered exactly once. */
  readonly once: number;
  /** The number of runs whose final status the step read. */
  readonly ended: number;
  /** The time from a run's end to the read that returned its final status, in poll intervals. */
  readonly medianLate: number;
  readonly latest: number;
  readonly requestsPerMinute: number;
  /** The most reads in any tenth of an interval, as a multiple of an even distribution. Undefined for few runs. */
  readonly burst: number | undefined;
  /** Violations that the service recorded, such as two reads within the minimum interval. */
  readonly violations: number;
  readonly cpuMs: number;
  readonly peakMiB: number;
  readonly stateBytesPerRun: number;
  readonly tookS: number;
}

const TERMINAL = new Set(['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped']);

export function figuresOf(play: Play): Figures {
  const { runs, requests, intervalMs, tookMs } = play;
  const late = runs
    .map(({ createdAt, timeline, reads }) => {
      const end = timeline.find(([, status]) => TERMINAL.has(status))?.[0] ?? Infinity;
      return ((reads.at(-1) ?? -Infinity) - createdAt - end) / intervalMs;
    })
    .sort((a, b) => a - b);
  const pipelines = new Set(runs.map(({ pipelineId }) => pipelineId));
  return {
    runs: play.count,
    once: runs.length === pipelines.size ? runs.length : 0,
    ended: late.filter((each) => each >= 0).length,
    medianLate: late[Math.floor(late.length / 2)] ?? Infinity,
    latest: late.at(-1) ?? Infinity,
    requestsPerMinute: requests.length / (tookMs / 60_000),
    burst: play.count > FEW ? burstOf(play) : undefined,
    violations: play.violations.length,
    cpuMs: play.cpuMs,
    peakMiB: play.peakMiB,
    stateBytesPerRun: play.stateBytes / play.count,
    tookS: tookMs / 1_000,
  };
}

/** With fewer runs, the step reads all of them right after their triggers, which is not a burst. */
const FEW = 10;

/** Looks at the first interval after the last trigger, when the step reads all runs and few have finished. */
function burstOf({ requests, intervalMs, count }: Play): number {
  const lastTrigger = requests.findLast(({ kind }) => kind === 'trigger')?.at ?? 0;
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const { kind, at } of requests) {
    const tenth = Math.floor(((at - lastTrigger) / intervalMs) * 10);
    if (kind === 'read' && tenth >= 0 && tenth < 10) tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  return Math.max(...tenths) / (count / 10);
}

/** Returns how much a figure grows per additional run between two steps. */
export function slope(a: Figures, b: Figures, of: (figures: Figures) => number): number {
  return (of(b) - of(a)) / (b.runs - a.runs);
}
