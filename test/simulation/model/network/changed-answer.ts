import type { ModelEffect } from '../../../../sandbox/model/index.ts';
import type { Fault } from '../spec.ts';
import { answered, type Legs, type Step } from './script.ts';

/** Faults that the service's own model can have, and answers that are changed on their way. */
export function changedAnswer(fault: Fault, legs: Legs, split: number): Step[] {
  const commit = (how?: ModelEffect, edit?: (body: string) => string): Step[] => [
    { ms: legs.send + legs.work, do: 'commit', ...(how !== undefined && { how }), ...(edit !== undefined && { edit }) },
    ...answered(legs, split),
  ];
  const fields = (change: Readonly<Record<string, unknown>>): Step[] =>
    commit(undefined, (body) => JSON.stringify({ ...(JSON.parse(body) as object), ...change }));
  switch (fault.what) {
    case 'denied':
      return fault.call === 'exchange'
        ? commit({ do: 'answer', status: 401, body: '{"message":"Invalid API key"}' })
        : commit({ do: 'refuse-token' });
    case 'slow':
      return [
        { ms: legs.send + (fault.commit === 'at_once' ? 0 : fault.ms), do: 'commit' },
        ...answered({ ...legs, back: fault.commit === 'at_once' ? fault.ms : 1 }, split),
      ];
    case 'empty':
      return commit({ do: 'empty' });
    case 'foreign_row':
      return commit({ do: 'foreign-row', instead: true });
    case 'two_rows':
      // The right one first or last.
      return commit({ do: 'foreign-row' }, (body) =>
        legs.work % 2 === 0 ? body : JSON.stringify((JSON.parse(body) as unknown[]).reverse()),
      );
    case 'lag':
      return commit({ do: 'lag', byMs: fault.ms });
    case 'odd_status':
      return commit({ do: 'status', status: 'paused::warning::by agent' });
    case 'still_running':
      return commit({ do: 'status', status: 'running' });
    case 'no_credits':
      return commit({ do: 'null' });
    case 'ttl_zero':
      return fields({ ttl_seconds: 0 });
    case 'ttl_absurd':
      return fields({ ttl_seconds: 1e12 });
    case 'ttl_missing':
      return fields({ ttl_seconds: undefined });
    case 'no_token':
      return fields({ token: undefined });
    case 'null_token':
      return fields({ token: null });
    case 'other_scheme':
      return fields({ backend_url: 'ftp://api.example.test' });
    default:
      throw new Error(`The fault ${fault.what} has no script.`);
  }
}
