/** Faults of the connection, and the moments that tests wait for. The model has its own rules for other misbehaviour. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallKind, ModelRule, Occasion } from '../model/index.ts';

/** The time before a request takes effect, or the time between its effect and its response. */
export type Point = 'before-commit' | 'after-commit';

export type WireEffect =
  /** Continues after this time. */
  | { readonly do: 'delay'; readonly point?: Point; readonly ms: number }
  /** Continues when the test calls `release`. */
  | { readonly do: 'hold'; readonly point: Point }
  /** Sends no response and leaves the connection open. */
  | { readonly do: 'silence'; readonly point: Point }
  /** Resets the TCP connection. Sandboxes with TLS cannot do this. */
  | { readonly do: 'reset'; readonly point: Point };

export interface WireRule extends Occasion {
  readonly how: WireEffect;
}

export type Rule = ModelRule | WireRule;

export function isWireRule(rule: Rule): rule is WireRule {
  return ['delay', 'hold', 'silence', 'reset'].includes(rule.how.do);
}

/** Promises for moments in the life of each request, so that tests need not sleep. */
export class Moments<Value> {
  readonly #all = new Map<string, PromiseWithResolvers<Value>>();

  /** Returns the promise for a moment of the nth request of a kind, which may be past or future. */
  of(moment: string, kind: CallKind, nth: number): PromiseWithResolvers<Value> {
    const name = `${moment} ${kind} ${nth}`;
    const promise = this.#all.get(name) ?? Promise.withResolvers<Value>();
    this.#all.set(name, promise);
    return promise;
  }
}

/**
 * Applies the effects for a point to a request.
 * @param released settles when the test releases this request
 * @param closing aborts when the sandbox closes, after which no request may take effect
 * @returns whether the request continues. Otherwise it gets no response
 */
export async function passes(
  point: Point,
  effects: readonly WireEffect[],
  { socket }: IncomingMessage,
  released: Promise<unknown>,
  closing: AbortSignal,
): Promise<boolean> {
  for (const effect of effects.filter((one) => (one.point ?? 'before-commit') === point)) {
    switch (effect.do) {
      case 'delay':
        await sleep(effect.ms, undefined, { signal: closing }).catch(() => undefined);
        break;
      case 'hold':
        await Promise.race([released, aborted(closing)]);
        break;
      case 'silence':
        return false;
      case 'reset':
        socket.resetAndDestroy();
        return false;
    }
  }
  return !closing.aborted;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
