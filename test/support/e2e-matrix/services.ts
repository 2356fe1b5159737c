import type { CallKind } from '../../../sandbox/model/index.ts';
import type { Sandbox } from '../../../sandbox/server/index.ts';

/** What the service does from the blow on. */
export interface Service {
  readonly name: string;
  readonly turn: (sandbox: Sandbox) => void;
  readonly gone?: true;
}

/** All but the trigger, whose failures are a matter of their own. */
const CALLS: readonly CallKind[] = ['exchange', 'list', 'read', 'cancel'];

export const ANSWERS: Service = { name: 'answers', turn: () => undefined };

export const IS_SLOW: Service = {
  name: 'is slow',
  turn(sandbox) {
    sandbox.misbehave({ kind: 'any', how: { do: 'delay', ms: 300 } });
  },
};

export const FAILS_ONCE: Service = {
  name: 'fails once at each call',
  turn({ world, misbehave }) {
    for (const kind of CALLS) {
      const nth = (world.counts[kind] ?? 0) + 1;
      misbehave({ kind, nth, how: { do: 'answer', status: 503, body: 'upstream unavailable' } });
    }
  },
};

export const IS_GONE: Service = { name: 'is gone for good', turn: (sandbox) => void sandbox.away(), gone: true };
