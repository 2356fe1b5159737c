// Runs a case of the cancel matrix.
import type { StepProcess } from '../../../sandbox/runner/index.ts';
import type { Sandbox } from '../../../sandbox/server/index.ts';
import { onLine, onStage, PATIENCE_MS } from '../e2e.ts';
import type { Cell, Instant } from './cells.ts';

export type CellPlayed = Awaited<ReturnType<typeof playCell>>;

export function playCell(action: { readonly folder: string }, cell: Cell) {
  const { instant, stop, policy, service } = cell;
  // With debug logging, post prints every request.
  return onStage(action, { rules: instant.rules ?? [], job: { debug: true } }, async ({ play }) => {
    let [stoppedAt, triggersBefore] = [0, 0];
    const played = await play({
      inputs: { pipeline: 'endless', 'poll-interval': '20ms', 'on-cancel': policy, ...instant.inputs },
      // Post would otherwise keep trying for three minutes.
      step: service.gone ? { onPostStart: (post) => onLine(post, /ECONNREFUSED/, () => post.cancel(PATIENCE_MS)) } : {},
      mode: { ...stop.mode, killAfterMs: PATIENCE_MS },
      async when(main, sandbox) {
        await instant.reached(sandbox, main);
        service.turn(sandbox);
        triggersBefore = sandbox.requests.filter(({ kind }) => kind === 'trigger').length;
        stoppedAt = performance.now();
        void releaseRequest(sandbox, main, instant);
      },
    });
    return {
      ...played,
      /** The number of triggers that the service had received when main was stopped. */
      triggersBefore,
      /** Time from the stop to main's exit, in milliseconds. */
      mainTookMs: (played.main.endedAt ?? Infinity) - stoppedAt,
    };
  });
}

/** Releases the held request once main reports the interruption or exits. */
async function releaseRequest(sandbox: Sandbox, main: StepProcess, { held }: Instant): Promise<void> {
  if (held === undefined) return;
  // The promise rejects when main exits.
  await main.line(/Step interrupted/).catch(() => undefined);
  sandbox.release(held, 1);
}
