import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runStep, type StepProcess, type StepResult } from '../../../sandbox/runner/index.ts';
import type { Sandbox } from '../../../sandbox/server/index.ts';
import { checkLines, onStage, type Played, type Stage, seenBy } from '../e2e.ts';
import type { Death } from './deaths.ts';
import type { Instant } from './instants.ts';
import type { Service } from './services.ts';

/** Longer than a runner's, so that a machine that is busy with other tests does not kill what is in time. */
const PATIENCE_MS = 60_000;

/** One case of the matrix. */
export interface Cell {
  readonly instant: Instant;
  readonly death: Death;
  readonly service: Service;
  readonly policy: 'cancel' | 'leave';
}

/** What came of a case. */
export interface CellPlayed extends Played {
  /** How many triggers had left when it was struck. */
  readonly triggersBefore: number;
  /** How many requests the service had seen when post began. */
  readonly callsBefore: number;
  /** From the blow to the end of main, ms; undefined while it is alive. */
  readonly mainTookMs: number | undefined;
  /** How long main needed to start, ms. */
  readonly startUpMs: number;
  /** Everything that was written down, by whoever was to read it. */
  readonly written: string;
}

export function nameOf({ instant, death, service, policy }: Cell): string {
  return `${death.name}, ${instant.name}; the service ${service.name}; on-cancel: ${policy}`;
}

/** What people saw of it, for a test that fails. */
export function logOf({ main, post }: CellPlayed): string {
  return ['main:', ...main.log, 'post:', ...(post?.log ?? [])].join('\n');
}

/** Plays a case from the start of main to the end of post. */
export function playCell(action: { readonly folder: string }, cell: Cell): Promise<CellPlayed> {
  const { instant, death, policy } = cell;
  const service = { rules: [...(instant.rules ?? [])] };
  // Debug logging tells when post has met a service that is gone.
  const options = { service, job: { debug: true } };
  return onStage(action, options, async (stage) => {
    const { sandbox, job } = stage;
    const blow = { at: 0, triggers: 0, startUpMs: 0 };
    let callsBefore = 0;
    const result = await runStep(
      job,
      {
        with: stage.inputs({ pipeline: 'endless', 'on-cancel': policy, ...instant.inputs }),
        onPostStart(post) {
          callsBefore = sandbox.requests.length;
          if (cell.service.gone === true) void endWhenRefused(post);
        },
      },
      {
        mode: { ...death.mode, killAfterMs: PATIENCE_MS },
        async when(main) {
          await instant.reached(sandbox, main);
          cell.service.turn(sandbox);
          blow.triggers = sandbox.requests.filter(({ kind }) => kind === 'trigger').length;
          blow.startUpMs = main.startUpMs;
          blow.at = performance.now();
          void letGo(sandbox, main, instant);
        },
      },
    );
    checkLines(result, sandbox);
    return { ...result, sandbox, ...seenBy(sandbox), ...afterwards(stage, result, blow), callsBefore };
  });
}

/** A request that is held goes on once main has heard of its end, or would never hear of it. */
async function letGo(sandbox: Sandbox, main: StepProcess, { held }: Instant): Promise<void> {
  if (held === undefined) return;
  const heard = main.line(/Step interrupted/).catch(() => undefined);
  await Promise.race([heard, main.ended, sleep(1_000, undefined, { ref: false })]);
  sandbox.release(...held);
}

/** Post would try for three minutes. A runner that ends it earlier is the same test in less time. */
async function endWhenRefused(post: StepProcess): Promise<void> {
  await post.line(/ECONNREFUSED/).then(
    () => post.cancel(PATIENCE_MS),
    () => undefined,
  );
}

function afterwards(
  { job }: Stage,
  { main }: StepResult,
  blow: { readonly at: number; readonly triggers: number; readonly startUpMs: number },
): Pick<CellPlayed, 'triggersBefore' | 'mainTookMs' | 'startUpMs' | 'written'> {
  return {
    triggersBefore: blow.triggers,
    startUpMs: blow.startUpMs,
    mainTookMs: main.endedAt === undefined ? undefined : main.endedAt - blow.at,
    written: journals(job.temp) + JSON.stringify(main.files.state),
  };
}

function journals(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith('.journal'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}
