import { describe, expect, it } from 'vitest';
import { SecretSearch } from './checker/spelled-secrets.ts';
import { CONNECTING_PHASES, phaseAfter } from './model/network/connecting.ts';
import { type Echoed, withEcho } from './model/network/echo.ts';
import { plainSingle } from './model/plain.ts';
import { simulateAlone } from './model/simulate.ts';
import type { Echo, Fault } from './model/spec.ts';
import { NOT_IN_HEADERS, SPELLINGS, spelled } from './model/spelling.ts';
import { KEY } from './model/world.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const READ: Echoed = { call: 'read', key: KEY, token: undefined };
const IN_A_MESSAGE: Echo = { of: 'key', where: 'message', as: 'raw', after: 40 };
const ROW = { id: '1', job_status: 'running', status_message: null };

function slow(phase: string): Fault {
  return {
    on: 'main',
    call: 'trigger',
    from: 1,
    to: 1,
    what: `slow_${phase}` as Fault['what'],
    commit: 'never',
    ms: 5_000,
    retryAfter: null,
  };
}

describe('a simulated connection', () => {
  it.each(CONNECTING_PHASES)('is killed in its phase %s, and its request is not processed', async (phase) => {
    const { requests, world, crashed } = await simulateAlone(
      plainSingle({ faults: [slow(phase)], crashes: [{ on: 'main', at: { fault: 0, plusMs: 500 }, kind: 'kill' }] }),
    );
    const trigger = requests.find(({ call }) => call === 'trigger');
    if (trigger === undefined) throw new Error('Nothing was triggered.');
    expect(phaseAfter(trigger.connecting, (crashed[0]?.atMs ?? 0) - trigger.atMs)).toBe(phase);
    expect(trigger.connectedAtMs).toBeUndefined();
    expect(world.jobs).toEqual([]);
  });

  it('is established when its slow phase is over', async () => {
    const { requests, world } = await simulateAlone(plainSingle({ faults: [slow('proxy')] }));
    const trigger = requests.find(({ call }) => call === 'trigger');
    expect((trigger?.connectedAtMs ?? 0) - (trigger?.atMs ?? 0)).toBeGreaterThanOrEqual(5_000);
    expect(world.jobs).toHaveLength(1);
  });

  it('waits for a thread when two lookups hang', async () => {
    const hanging: Fault = { ...slow('lookup'), call: 'read', to: 2, what: 'hanging_lookup', ms: 20_000 };
    const pipelines = ['a', 'b', 'c'].map((name) => ({
      ...(plainSingle().pipelines[0] ?? never()),
      name,
      apiName: name,
    }));
    const { requests } = await simulateAlone(plainSingle({ pipelines, faults: [hanging] }));
    const [, , third] = requests.filter(({ call }) => call === 'read');
    expect(third?.what).toBeUndefined();
    expect(third?.connecting.lookup).toBeGreaterThan(15_000);
  });
});

function never(): never {
  throw new Error('A plain scenario has a pipeline.');
}

describe('a simulated service that repeats secrets', () => {
  it.each(SPELLINGS)('writes %s so that the search finds it in the parsed body', (as) => {
    const response = withEcho(
      { status: 200, headers: JSON_TYPE, body: JSON.stringify([ROW]) },
      { ...IN_A_MESSAGE, as },
      READ,
    );
    const [row] = JSON.parse(response.body) as (typeof ROW)[];
    expect(new SecretSearch([KEY]).find(String(row?.status_message))).toBeDefined();
  });

  it('writes a secret into the source of the JSON with none of its characters as they are', () => {
    const { body } = withEcho(
      { status: 200, headers: JSON_TYPE, body: JSON.stringify([ROW]) },
      { ...IN_A_MESSAGE, as: 'json_source' },
      READ,
    );
    expect(body).toContain('\\u0061\\u006b\\u005f');
    expect(body).toContain('"job_status":"running"');
  });

  it.each(['error', 'header'] as const)('repeats nothing in an %s where there is none', (where) => {
    const response = { status: 200, headers: JSON_TYPE, body: JSON.stringify([ROW]) };
    expect(withEcho(response, { ...IN_A_MESSAGE, where }, READ)).toEqual(response);
  });
});

describe('the search for secrets', () => {
  const search = new SecretSearch([KEY]);

  it.each(SPELLINGS.filter((as) => as !== 'json_source' && !NOT_IN_HEADERS.has(as)))(
    'finds a secret as %s in the middle of a line',
    (as) => {
      expect(search.find(`It was sent ${spelled(KEY, as)}, which is wrong.`)).toBeDefined();
    },
  );

  it('finds twelve characters of a secret in a row, from anywhere in it', () => {
    for (let at = 0; at + 12 <= KEY.length; at += 1) {
      expect(search.find(`…${KEY.slice(at, at + 12)}…`)).toBeDefined();
    }
  });

  it('does not find what has fewer characters of it', () => {
    for (let at = 0; at + 11 <= KEY.length; at += 1) {
      expect(search.find(`…${KEY.slice(at, at + 11)}…`)).toBeUndefined();
    }
    expect(search.find('Orders: run ak_*** of 5 objects is running')).toBeUndefined();
  });
});
