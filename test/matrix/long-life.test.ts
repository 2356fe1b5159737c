import { describe, expect, it } from 'vitest';
import { tokenOf } from '../support/service.ts';
import { playStep } from '../support/step.ts';
import { FAULTS, type FaultName } from './faults.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** From when to when, in minutes, the whole service, the exchange alone or the reads alone meet a fault. */
const OUTAGES: readonly (readonly [from: number, to: number, what: 'all' | 'exchange' | 'read', FaultName])[] = [
  [95, 104, 'all', 'connection refused'],
  [161, 170, 'exchange', 'web page with 200'],
  [210, 224, 'read', 'HTTP 503'],
  [377, 386, 'all', 'connect never answers'],
  [431, 445, 'exchange', 'HTTP 502'],
  [600, 613, 'read', "another run's row"],
  [702, 711, 'all', 'DNS: no answer'],
  [915, 927, 'read', 'HTTP 401'],
  [1_000, 1_001, 'all', 'TLS: certificate expired'],
  [1_190, 1_204, 'all', 'headers never come'],
  [1_377, 1_391, 'exchange', 'HTTP 429, Retry-After absurd'],
];

function outageAt(ms: number, call: 'exchange' | 'read'): FaultName | undefined {
  const minute = ms / MINUTE;
  return OUTAGES.find(([from, to, what]) => minute >= from && minute < to && (what === 'all' || what === call))?.[3];
}

describe('a day', () => {
  it('with a new token every hour, and outages in between, ends well and leaves nothing behind', async () => {
    let over = false;
    const meets =
      (call: 'exchange' | 'read') =>
      (_nth: number, usual: string, { atMs }: { readonly atMs: number }) => {
        const fault = outageAt(atMs, call);
        over ||= call === 'read' && atMs >= DAY;
        if (fault !== undefined) return FAULTS[fault](usual);
        if (call === 'exchange' || !over) return undefined;
        const completed = usual.replace('"running"', '"completed"');
        return [{ connected: true } as const, { status: 200 }, { text: completed }, { end: 'complete' as const }];
      };
    const played = await playStep({
      statuses: ['running'],
      scripts: { exchange: meets('exchange'), read: meets('read') },
      longestMs: 2 * DAY,
      random: rotating(),
    });
    expect(played.outputs).toMatchObject({ outcome: 'succeeded', 'job-status': 'completed' });
    expect(Number(played.outputs['duration'])).toBeCloseTo(DAY / 1_000, -2);
    expect(played.exitCode).toBe(0);
    expect(played.annotations).toEqual([]);
    expect(played.of('trigger')).toHaveLength(1);
    expect(played.of('cancel')).toEqual([]);
    expect(played.timersLeft).toBe(0);
    const times = played.of('read').map(({ atMs }) => atMs);
    const renewed = new Set(played.of('read').map(tokenOf)).size;
    expect(renewed).toBeGreaterThanOrEqual(24);
    // While each token is answered with 401, each read asks for another one.
    expect(renewed).toBeLessThan(90);
    const tooClose = times.filter((atMs, nth) => nth > 0 && atMs - (times[nth - 1] ?? 0) < 30_000);
    // Those that repeat a read at once, with a new token.
    expect(tooClose.length).toBeLessThan(30);
    expect(times.length).toBeGreaterThan(2_700);
    expect(times.length).toBeLessThan(2_950);
    const told = played.lines.filter((line) => line.includes('contact restored'));
    expect(told.length).toBeGreaterThanOrEqual(7);
    expect(told.length).toBeLessThanOrEqual(OUTAGES.length);
    // A sign of life every quarter of an hour, and a line for each read that failed.
    expect(played.lines.length).toBeLessThan(500);
  });
});

/** Not random, and not always the same. */
function rotating(): () => number {
  let nth = 0;
  return () => {
    nth = (nth + 7) % 10;
    return nth / 10;
  };
}
