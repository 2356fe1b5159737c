import { describe, expect, it } from 'vitest';
import type { SingleFacts } from './model/facts.ts';
import { plainSingle } from './model/plain.ts';
import { simulateAlone } from './model/simulate.ts';
import type { Crash, Fault, Moment, SingleSpec } from './model/spec.ts';

/** The plain scenario with a crash of main at a moment, and with changes. */
function crashedAt(at: Moment, kind: Crash['kind'], changes: Partial<SingleSpec> = {}): Promise<SingleFacts> {
  return simulateAlone(plainSingle({ crashes: [{ on: 'main', at, kind }], ...changes }));
}

function requestsOf({ requests }: SingleFacts, on = 'main'): string[] {
  return requests.filter((one) => one.on === on).map(({ call, atMs }) => `${atMs} ${call}`);
}

function resetOf(call: Fault['call']): Fault {
  return { on: 'main', call, from: 1, to: 1, what: 'reset', commit: 'never', ms: 1, retryAfter: null };
}

describe('a crash anchored to a request', () => {
  it('strikes before that request is sent', async () => {
    const whole = await simulateAlone(plainSingle());
    const fourth = requestsOf(whole)[3];
    const facts = await crashedAt({ request: 4 }, 'kill');
    expect(requestsOf(facts)).toEqual(requestsOf(whole).slice(0, 3));
    expect(`${facts.crashed[0]?.atMs} read`).toBe(fourth);
  });

  it('counts the requests of post separately', async () => {
    const killed = { on: 'main', at: { request: 4 }, kind: 'kill' } as const;
    const crash = { on: 'post', at: { request: 2 }, kind: 'kill' } as const;
    const facts = await simulateAlone(plainSingle({ crashes: [killed, crash] }));
    expect(requestsOf(facts, 'post').map((one) => one.split(' ')[1])).toEqual(['exchange']);
    expect(facts.post?.end?.how).toBe('killed');
  });

  it('strikes before the request that a fault hits', async () => {
    const at = { fault: 0, before: 'request' } as const;
    const facts = await crashedAt(at, 'kill', { faults: [resetOf('trigger')] });
    expect(facts.requests.filter(({ on }) => on === 'main').map(({ call }) => call)).not.toContain('trigger');
    expect(facts.crashed[0]?.kind).toBe('kill');
  });

  it('does not move when main prints more lines', async () => {
    const runner = { ...plainSingle().runner, debug: false };
    for (const at of [{ request: 4 }, { response: 3 }] as const) {
      const more = await crashedAt(at, 'kill');
      const less = await crashedAt(at, 'kill', { runner });
      expect(less.main.effects).toBeLessThan(more.main.effects);
      expect(requestsOf(less)).toEqual(requestsOf(more));
      expect(less.crashed[0]?.atMs).toBe(more.crashed[0]?.atMs);
    }
  });
});

describe('a crash anchored to a response', () => {
  it('strikes before the first byte of that response reaches the process', async () => {
    const whole = await simulateAlone(plainSingle());
    const facts = await crashedAt({ response: 3 }, 'kill');
    expect(requestsOf(facts)).toEqual(requestsOf(whole).slice(0, 3));
    const third = facts.requests[2];
    expect(third?.committedAtMs).toBeDefined();
    expect(third?.status).toBeUndefined();
    const head = whole.log.find((line) => line.includes('head 200 trigger'));
    expect(facts.crashed[0]?.atMs).toBe(Number(head?.trim().split(' ')[0]));
  });

  it('delivers a signal in the instant of the response, and before it', async () => {
    const { log } = await crashedAt({ response: 3 }, 'cancel');
    const signal = log.findIndex((line) => line.includes('signal SIGINT'));
    const head = log.findIndex((line) => line.includes('head 200 trigger'));
    expect(head).toBe(signal + 1);
    expect(log[head]?.slice(0, 9)).toBe(log[signal]?.slice(0, 9));
  });

  it('strikes before the connection fails if no response arrives', async () => {
    const at = { fault: 0, before: 'response' } as const;
    const facts = await crashedAt(at, 'kill', { faults: [resetOf('trigger')] });
    const trigger = facts.requests.find(({ call }) => call === 'trigger');
    expect(trigger?.connectedAtMs).toBeDefined();
    expect(trigger?.over).toBeUndefined();
    expect(facts.crashed[0]?.atMs).toBeGreaterThan(trigger?.connectedAtMs ?? Infinity);
  });
});

describe('random numbers of a request and of a process', () => {
  /** How long each request of main took, by its kind and its number. */
  function durations({ requests }: SingleFacts): Map<string, number> {
    return new Map(
      requests.flatMap(({ on, call, nth, atMs, over }) =>
        on === 'main' && over?.how === 'complete' ? [[`${call} ${nth}`, over.atMs - atMs]] : [],
      ),
    );
  }

  it('do not depend on how many requests were sent before', async () => {
    const plain = durations(await simulateAlone(plainSingle()));
    const retried = durations(await simulateAlone(plainSingle({ faults: [resetOf('list')] })));
    const common = [...plain].filter(([name]) => retried.has(name) && !name.startsWith('list'));
    expect(common.length).toBeGreaterThan(4);
    expect(common.map(([name]) => [name, retried.get(name)])).toEqual(common);
    expect(new Set(plain.values()).size).toBeGreaterThan(2);
  });

  it('give the first retry of a process the same pause whatever was sent before', async () => {
    const pauseBefore = async (call: Fault['call'], seed: number): Promise<number> => {
      const { requests } = await simulateAlone(plainSingle({ seed, faults: [resetOf(call)] }));
      const [first, second] = requests.filter((one) => one.call === call);
      return (second?.atMs ?? 0) - (first?.over?.atMs ?? 0);
    };
    const pause = await pauseBefore('exchange', 1);
    expect(pause).toBeGreaterThan(0);
    expect(await pauseBefore('list', 1)).toBe(pause);
    expect(await pauseBefore('exchange', 2)).not.toBe(pause);
  });
});
