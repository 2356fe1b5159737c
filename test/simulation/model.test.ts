/** Tests the parts of the simulation: crashes and their effects, network delays, and how a scenario is shrunk. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../support/imports.ts';
import { SecretSearch } from './checker/spelled-secrets.ts';
import { PATHS, type SingleFacts } from './model/facts.ts';
import { SPELLINGS, withEcho } from './model/network/echo.ts';
import { PLAIN_PIPELINE, PLAIN_PLACEMENT, plainCrash, plainFault, plainSingle } from './model/plain.ts';
import { live, simulateAlone } from './model/simulate.ts';
import { alone, type Crash, type SingleSpec } from './model/spec.ts';
import { KEY } from './model/world.ts';
import { examine } from './scenarios/examine.ts';
import { shrink } from './scenarios/report.ts';

function crashedAt(at: Crash['at'], kind: Crash['kind'], changes: Partial<SingleSpec> = {}): Promise<SingleFacts> {
  return simulateAlone(plainSingle({ crashes: [plainCrash(at, kind)], ...changes }));
}

function requestsOf({ requests }: SingleFacts, on = 'main'): string[] {
  return requests.filter((one) => one.on === on).map(({ call, atMs }) => `${atMs} ${call}`);
}

describe('the checker', () => {
  it('imports only types from src', () => {
    const folder = join(import.meta.dirname, 'checker');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const imports = files.flatMap((name) => importsOf(readFileSync(join(folder, name), 'utf8')));
    expect(imports.length).toBeGreaterThan(20);
    expect(imports.filter(({ typeOnly, specifier = '' }) => !typeOnly && /\/src\//.test(specifier))).toEqual([]);
  });

  it('tests the hard invariants without the history and the policy on which the other checks rely', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const { typeOnly, specifier = '' } of importsOf(readFileSync(file, 'utf8'))) {
        if (!typeOnly && specifier.startsWith('.')) visit(join(file, '..', specifier));
      }
    };
    visit(join(import.meta.dirname, 'checker', 'hard-invariants.ts'));
    expect([...seen].map((file) => basename(file))).toEqual(expect.arrayContaining(['secrets.ts', 'exemptions.ts']));
    expect([...seen].filter((file) => /\/(?:history|policy|endings|contact)\.ts$/.test(file))).toEqual([]);
  });
});

describe('an anchored crash', () => {
  it.each<[string, Crash['at']]>([
    ['request with the given number', { request: 3 }],
    ['first request with the given fault', { fault: 0, before: 'request' }],
  ])('happens before the process sends the %s', async (_, at) => {
    const whole = requestsOf(await simulateAlone(plainSingle()));
    const facts = await crashedAt(at, 'kill', { faults: [plainFault('trigger', 'reset')] });
    expect(requestsOf(facts)).toEqual(whole.slice(0, 2));
    expect(`${facts.crashed[0]?.atMs} trigger`).toBe(whole[2]);
  });

  it('numbers the requests of post separately from those of main', async () => {
    const crashes = [plainCrash({ request: 4 }, 'kill'), plainCrash({ request: 2 }, 'kill', 'post')];
    const facts = await simulateAlone(plainSingle({ crashes }));
    expect(requestsOf(facts, 'post').map((one) => one.split(' ')[1])).toEqual(['exchange']);
    expect(facts.post?.end?.how).toBe('killed');
  });

  it('happens when the first byte of a response arrives, before the process receives it', async () => {
    const whole = await simulateAlone(plainSingle());
    const facts = await crashedAt({ response: 3 }, 'kill');
    expect(requestsOf(facts)).toEqual(requestsOf(whole).slice(0, 3));
    const third = facts.requests[2];
    expect([third?.committedAtMs === undefined, third?.status]).toEqual([false, undefined]);
    const head = whole.log.find((line) => line.includes('head 200 trigger'));
    expect(facts.crashed[0]?.atMs).toBe(Number(head?.trim().split(' ')[0]));
  });

  it('happens just before the connection fails if the service sends no response', async () => {
    const at = { fault: 0, before: 'response' } as const;
    const { requests, crashed } = await crashedAt(at, 'kill', { faults: [plainFault('trigger', 'reset')] });
    const trigger = requests.find(({ call }) => call === 'trigger');
    expect(trigger?.over).toBeUndefined();
    expect(crashed[0]?.atMs).toBeGreaterThan(trigger?.connectedAtMs ?? Infinity);
  });
});

describe('a simulated runner', () => {
  it("passes main's state to post except after a crash that loses the state", async () => {
    const namesAfter = async (kind: Crash['kind']): Promise<string> =>
      Object.keys((await crashedAt({ ms: 30_000 }, kind)).postEnv).join(' ');
    expect(await namesAfter('kill')).toContain('STATE_');
    expect(await namesAfter('kill_lost')).not.toContain('STATE_');
  });

  it('runs the post steps of a job in reverse order', async () => {
    const placement = { ...PLAIN_PLACEMENT, begins: 'sequential' } as const;
    const two = [plainSingle(), plainSingle({ placement })].flatMap((one) => alone(one).executions);
    const { executions } = await live({ ...alone(plainSingle()), executions: two });
    const [first, second] = executions.map(({ post }) => post?.startedAtMs ?? NaN);
    expect(second).toBeLessThan(first ?? NaN);
  });
});

describe('a simulated process', () => {
  it.each(['kill', 'power', 'kill_lost'] as const)('has no effects after a "%s" crash', async (kind) => {
    const effectsIn = ({ log }: SingleFacts): string[] => log.filter((line) => / main #/.test(line));
    const whole = effectsIn(await simulateAlone(plainSingle()));
    const killed = effectsIn(await crashedAt({ effect: 22, when: 'after' }, kind));
    expect(killed.length).toBeGreaterThan(15);
    expect(killed).toEqual(whole.slice(0, killed.length));
    expect(killed.length).toBeLessThanOrEqual(22);
  });

  it('leaves half a record behind if a kill interrupts a write', async () => {
    const whole = await simulateAlone(plainSingle());
    const write = whole.writes.find(({ path, text }) => path === PATHS.state && text.includes('queued'));
    const { files } = await crashedAt({ effect: write?.effect ?? 0, when: 'torn' }, 'kill');
    expect(files.get(PATHS.state)).toMatch(/[^\n]$/);
    expect(files.get(PATHS.state)?.length).toBeLessThan(whole.files.get(PATHS.state)?.length ?? 0);
  });

  it('exits with code 1 and the outcome lost if its event loop drains because a timer never fires', async () => {
    const ends = new Set<string>();
    for (let lostTimer = 1; lostTimer <= 12; lostTimer += 1) {
      const { main } = await simulateAlone(plainSingle({ lostTimer }));
      if (main.drained) ends.add(`${main.end?.how} ${main.end?.code} ${main.outputs.get('outcome')}`);
    }
    expect([...ends]).toEqual(['exited 1 lost']);
  });

  it('waits for a free thread while two lookups hang', async () => {
    const faults = [plainFault('read', 'hanging_lookup', { to: 2, ms: 20_000 })];
    const pipelines = ['a', 'b', 'c'].map((name) => ({ ...PLAIN_PIPELINE, name, apiName: name }));
    const { requests } = await simulateAlone(plainSingle({ pipelines, faults }));
    const [, , third] = requests.filter(({ call }) => call === 'read');
    expect(third?.what).toBeUndefined();
    expect(third?.connecting.lookup).toBeGreaterThan(15_000);
  });
});

describe('a service that echoes secrets', () => {
  const row = { id: '1', job_status: 'running', status_message: null };
  const response = { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify([row]) };
  const echoed = (as: (typeof SPELLINGS)[number]): string =>
    withEcho(response, { of: 'key', where: 'message', as, after: 40 }, { call: 'read', key: KEY, token: undefined })
      .body;

  it.each(SPELLINGS)('writes a secret in the "%s" spelling, and the search finds it in the parsed body', (as) => {
    const [read] = JSON.parse(echoed(as)) as (typeof row)[];
    expect(new SecretSearch([KEY]).find(String(read?.status_message))).toBeDefined();
  });

  it('escapes every character of a secret, and nothing else, in the JSON source', () => {
    expect(echoed('json_source')).toContain('\\u0061\\u006b\\u005f');
    expect(echoed('json_source')).toContain('"job_status":"running"');
  });

  const search = new SecretSearch([KEY]);
  /** Every part of the key that has this many characters. */
  const partsOf = (length: number): string[] =>
    Array.from({ length: KEY.length - length + 1 }, (_, at) => `…${KEY.slice(at, at + length)}…`);

  it('exposes a secret through twelve consecutive characters, but not through eleven', () => {
    expect(partsOf(12).filter((part) => search.find(part) === undefined)).toEqual([]);
    const others = [...partsOf(11), 'Orders: run ak_*** of 5 objects is running'];
    expect(others.filter((part) => search.find(part) !== undefined)).toEqual([]);
  });
});

describe('shrinking a large scenario', () => {
  // The run has its final status from the start, so no smaller timeline makes it endless.
  const pipelines = [{ ...PLAIN_PIPELINE, timeline: PLAIN_PIPELINE.timeline.slice(3) }];
  const inputs = { 'poll-interval': '45s' };
  const large = alone(plainSingle({ pipelines, latencyMs: 200, inputs, crashes: [plainCrash(30_000, 'power')] }));
  const spec = { ...large, executions: [...large.executions, ...alone(plainSingle()).executions] };

  it('returns the smallest scenario if no scenario has a violation', async () => {
    const smallest = await shrink({ ...(await examine(spec)), violations: [] });
    expect(smallest.spec.service).toEqual(alone(plainSingle()).service);
    expect(smallest.spec.executions).toMatchObject([{ crashes: [], inputs: {} }]);
  });

  it('returns the same scenario if no smaller one has its violation', async () => {
    const violations = [{ invariant: 'settled', what: 'a run is orphaned' }] as const;
    expect((await shrink({ ...(await examine(spec)), violations })).spec).toBe(spec);
  });
});
