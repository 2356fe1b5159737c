import { formatDuration } from '../base/duration.ts';
import type { Problem } from '../service/problem.ts';
import type { Run } from './ledger.ts';
import type { Outside } from './parts.ts';
import type { Stop } from './state.ts';

type StopsParts = Pick<Outside, 'clock' | 'interruption' | 'ledger' | 'plan'>;

/**
 * Decides when the step stops runs, and why: an interruption, `timeout`, `queue-timeout` or `fail-fast`. The ledger then
 * records the reason in the run's state and aborts `run.halted`.
 */
export class Stops {
  /** Aborts when `timeout` has passed, which counts from now. The status of each unfinished run is then checked once more. */
  readonly timedOut: AbortSignal;
  /** Aborts when nothing more may be triggered: at the first interruption, or when `timeout` has passed. */
  readonly ofStep: AbortSignal;
  readonly #parts: StopsParts;
  readonly #endsAt: number;

  /** `hindranceOf` returns why a run cannot be triggered when `timeout` passes, if requests fail. */
  constructor(parts: StopsParts, hindranceOf: (run: Run) => Problem | undefined) {
    const { clock, interruption, ledger, plan } = parts;
    const timer = new AbortController();
    this.timedOut = timer.signal;
    this.ofStep = AbortSignal.any([interruption.signal, timer.signal]);
    this.#parts = parts;
    this.#endsAt = clock.now() + plan.timeoutMs;
    clock.after(plan.timeoutMs, () => {
      // A trigger in flight may still queue its run, which then continues because of `wait: false`.
      const unaffected = plan.wait ? ['in_progress'] : ['in_progress', 'triggering'];
      const others = ledger.runs.filter(({ state }) => !unaffected.includes(state.phase.at));
      for (const run of others) this.timeOut(run, hindranceOf(run));
      timer.abort();
    });
  }

  /** Returns the time in ms until `timeout` has passed. */
  leftMs(): number {
    return this.#endsAt - this.#parts.clock.now();
  }

  /** Applies `on-cancel` to all runs after an interruption. */
  interrupt(): void {
    const { interruption, plan } = this.#parts;
    this.#stop('interruption', plan.onCancel, interruption.first?.by ?? '');
  }

  /**
   * Applies `on-timeout` to a run or, with `wait: false`, lets it continue. If the run's last request failed, `problem` is
   * the reason.
   */
  timeOut(run: Run, problem?: Problem): void {
    const { onTimeout, timeoutMs, wait } = this.#parts.plan;
    this.#stop('timeout', wait ? onTimeout : 'leave', formatDuration(timeoutMs), { runs: [run], problem });
  }

  /** Applies `on-timeout` to a run that was in the queue for longer than `queue-timeout`. */
  queueTimeOut(run: Run): void {
    const { onTimeout, queueTimeoutMs } = this.#parts.plan;
    this.#stop('queue_timeout', onTimeout, formatDuration(queueTimeoutMs), { runs: [run] });
  }

  /** Applies `on-cancel` to all runs because the run or pipeline called `which` did not succeed. */
  failFast(which: string): void {
    this.#stop('fail_fast', this.#parts.plan.onCancel, which);
  }

  #stop(
    why: Stop['why'],
    policy: Stop['policy'],
    detail: string,
    { problem, runs }: { problem?: Problem | undefined; runs?: readonly Run[] } = {},
  ): void {
    const { clock, ledger } = this.#parts;
    ledger.stop({ why, policy, at: clock.now(), detail, problem }, runs);
  }
}
