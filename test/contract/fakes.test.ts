// What the unit tests and the simulation rely on: each fake behaves as the real part does.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RequestFault } from '../../sandbox/faults.ts';
import { SANDBOX_KEY, type World as Service } from '../../sandbox/model/index.ts';
import { parseRecords } from '../../sandbox/runner/index.ts';
import { startSandbox } from '../../sandbox/server/index.ts';
import { realWorld } from '../../src/real-world.ts';
import type { Answer, HttpRequest, Limits } from '../../src/service/send.ts';
import type { World } from '../../src/world.ts';
import { fakeWorld } from '../support/world.ts';
import { sendTo } from './network.ts';

/** A process in an environment with these variables, and an empty folder for its files. */
interface Place {
  readonly world: World;
  readonly folder: string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

function realPlace(env: Readonly<Record<string, string>>): Place {
  const folder = mkdtempSync(join(tmpdir(), 'fakes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value.replace('FOLDER', folder));
  return {
    world: realWorld(),
    folder,
    write: (path, text) => writeFileSync(path, text),
    read: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}

function fakePlace(env: Readonly<Record<string, string>>): Place {
  const folder = '/folder';
  const all = Object.entries(env).map(([name, value]) => [name, value.replace('FOLDER', folder)]);
  const fake = fakeWorld({ env: Object.fromEntries(all) });
  return {
    world: fake.world,
    folder,
    write: (path, text) => void fake.files.texts.set(path, text),
    read: (path) => fake.files.read(path) ?? '',
    pass: (ms) => fake.clock.advance(ms),
  };
}

const PLACES = [
  ['real', realPlace],
  ['fake', fakePlace],
] as const;

describe.each(PLACES)('a file on a %s machine', (_, placeWith) => {
  /** A path in an empty folder, and the machine's files. */
  const placed = () => {
    const place = placeWith({});
    return { ...place, files: place.world.files, path: join(place.folder, 'file') };
  };

  it('is created only once', () => {
    const { files, path } = placed();
    files.create(path, 'first\n');
    expect(() => files.create(path, 'second\n')).toThrow(/EEXIST/);
    expect(files.read(path)).toBe('first\n');
  });

  it('must exist before text is appended', () => {
    const { files, path } = placed();
    expect(() => files.append(path, 'text\n')).toThrow(/ENOENT/);
    expect(files.read(path)).toBeUndefined();
  });

  it.each([
    ['', 'new\n'],
    ['line\n', 'line\nnew\n'],
    ['torn', 'torn\nnew\n'],
    ['\n', '\nnew\n'],
  ])('that contains %j begins appended text on a new line', (before, after) => {
    const { files, path, read, write } = placed();
    write(path, before);
    files.append(path, 'new\n');
    expect(read(path)).toBe(after);
  });

  it('is listed by its name, and a folder that cannot be read is empty', () => {
    const { files, folder, path } = placed();
    files.create(path, '');
    expect([files.list(folder), files.list(join(folder, 'missing'))]).toEqual([['file'], []]);
  });
});

it.skipIf(process.platform === 'win32')('only the owner of a real file can read it', () => {
  const { folder, world } = realPlace({});
  world.files.create(join(folder, 'file'), '');
  expect(statSync(join(folder, 'file')).mode & 0o777).toBe(0o600);
});

it.skipIf(!existsSync('/dev/full'))('a failed write to a real file that never ends is reported', () => {
  expect(() => realPlace({}).world.files.append('/dev/full', 'text')).toThrow(/ENOSPC/);
});

describe.each(PLACES)('the %s toolkit', (_, placeWith) => {
  it.each(['', 'one line', 'two\nlines', 'END', 'a\nEND\nforged<<END\nx\nEND', ' spaces '])(
    'writes the output %j as the runner reads it',
    (value) => {
      const { folder, read, world, write } = placeWith({ GITHUB_OUTPUT: 'FOLDER/output' });
      write(join(folder, 'output'), '');
      world.toolkit.setOutput('message', value);
      world.toolkit.setOutput('next', 'x');
      expect(parseRecords(read(join(folder, 'output')))).toEqual({ values: { message: value, next: 'x' } });
    },
  );

  it.each([{ GITHUB_OUTPUT: '' }, { GITHUB_OUTPUT: 'FOLDER/missing' }])(
    'throws if it cannot write an output (%j)',
    (env) => {
      expect(() => placeWith(env).world.toolkit.setOutput('message', 'x')).toThrow(/ENOENT/);
    },
  );

  it('trims inputs, and an input that is not set is empty', () => {
    const { getInput } = placeWith({ 'INPUT_POLL-INTERVAL': ' 45s\n', INPUT_RUN_URL: 'x' }).world.toolkit;
    expect(['poll-interval', 'run url', 'timeout'].map((name) => getInput(name))).toEqual(['45s', 'x', '']);
  });
});

describe.each(PLACES)('the %s clock', (_, placeWith) => {
  it('runs tasks in order, those without a delay not synchronously, and none that was cancelled or never due', async () => {
    const { pass, world } = placeWith({});
    const { clock } = world;
    const ran: string[] = [];
    const cancel = clock.after(1, () => ran.push('cancelled'));
    clock.after(30, () => ran.push('30 ms'));
    clock.after(Infinity, () => ran.push('never'));
    clock.after(-5, () => ran.push('negative'));
    cancel();
    expect(ran).toEqual([]);
    await pass(60);
    expect(ran).toEqual(['negative', '30 ms']);
  });

  it('never runs backwards', async () => {
    const { pass, world } = placeWith({});
    const before = world.clock.now();
    await pass(20);
    expect(world.clock.now() - before).toBeGreaterThan(15);
  });
});

describe.each(PLACES)('the %s host', (_, placeWith) => {
  it('knows which processes exist', () => {
    const { host } = placeWith({}).world;
    // Linux gives no process an id above 4,194,304.
    expect([host.isAlive(host.pid), host.isAlive(4_194_305)]).toEqual([true, false]);
  });

  it('has the same parent as long as its runner lives', () => {
    const { host } = placeWith({}).world;
    expect(host.parent()).toBe(host.parent());
  });

  it('reports when stdout has accepted everything', async () => {
    const { pass, world } = placeWith({});
    const [isFlushed] = await Promise.all([world.host.flushed(), pass(20)]);
    expect(isFlushed).toBe(true);
  });
});

/** What the process received, without what differs in each run. */
function seen(answer: Answer): string {
  if (answer.kind !== 'answered') return answer.kind === 'aborted' ? 'aborted' : `${answer.code}, ${answer.connected}`;
  return `${answer.status}, ${answer.body}, ${answer.text.startsWith('{"token":"at_') ? 'a token' : answer.text.slice(0, 20)}`;
}

interface Send {
  readonly faults: readonly RequestFault[];
  readonly limits: Partial<Limits>;
}

const EXCHANGE = { method: 'POST', headers: { authorization: `Bearer ${SANDBOX_KEY}` } } as const;

/** Exchanges the key over a real connection to the sandbox. Returns what arrives and whether the service processed it. */
async function sendForReal({ faults, limits }: Send): Promise<string> {
  const isRefused = faults.some((fault) => fault.what === 'refused');
  const sandbox = await startSandbox({ faults: isRefused ? [] : faults });
  if (isRefused) await sandbox.away();
  const answer = await sendTo(`${sandbox.url}/api/cli/bootstrap`, { request: EXCHANGE, limits });
  await sandbox.close();
  return `${seen(answer)}: ${processedBy(sandbox.world)}`;
}

async function sendInVirtualTime({ faults, limits }: Send): Promise<string> {
  const fake = fakeWorld({ faults });
  const request: HttpRequest = { ...EXCHANGE, url: new URL('https://app.example.test/api/cli/bootstrap') };
  const sent = fake.world.send(request, { withinMs: 20_000, maxBytes: 262_144, ...limits });
  const answer = await fake.clock.until(sent);
  await fake.clock.advance(1_000);
  return `${seen(answer)}: ${processedBy(fake.service)}`;
}

function processedBy({ tokens }: Service): string {
  return tokens.length > 0 ? 'processed' : 'not processed';
}

describe.each([
  ['real', sendForReal],
  ['fake', sendInVirtualTime],
])('a request over a %s network', (_, send) => {
  const aborted = AbortSignal.abort();

  it.each<[string, readonly RequestFault[], Partial<Limits>, expected: string]>([
    ['without faults is answered', [], {}, '200, complete, a token: processed'],
    ['may be refused a connection', [{ what: 'refused' }], {}, 'ECONNREFUSED, false: not processed'],
    ['may be lost', [{ what: 'reset' }], {}, 'ECONNRESET, true: not processed'],
    ['may lose its response', [{ what: 'lost' }], {}, 'ECONNRESET, true: processed'],
    ['may get no response', [{ what: 'silent' }], { withinMs: 300 }, 'DEADLINE, true: processed'],
    ['may be slow', [{ what: 'slow', ms: 50 }], {}, '200, complete, a token: processed'],
    ['may be too slow', [{ what: 'slow', ms: 5_000 }], { withinMs: 300 }, 'DEADLINE, true: processed'],
    ['may get half a body that stalls', [{ what: 'stalled' }], { withinMs: 300 }, '200, stalled, a token: processed'],
    ['may get half a body', [{ what: 'cut_off' }], {}, '200, cut off, a token: processed'],
    [
      'may get a body that stalls but says enough',
      [{ what: 'stalled' }],
      { isEnough: (text) => text.includes('at_') },
      '200, complete, a token: processed',
    ],
    [
      'may meet an unavailable service',
      [{ what: 'http_503' }],
      {},
      '503, complete, {"message":"try agai: not processed',
    ],
    ['may meet a firewall', [{ what: 'page_403' }], {}, '403, complete, <!doctype html><titl: not processed'],
    ['follows no redirect', [{ what: 'redirect' }], {}, '302, complete, <!doctype html><titl: not processed'],
    ['may get no token', [{ what: 'no_token' }], {}, '200, complete, {"token":null}: not processed'],
    [
      'is not affected by a fault of another call',
      [{ call: 'read', what: 'reset' }],
      {},
      '200, complete, a token: processed',
    ],
    [
      'is not affected by a fault that begins later',
      [{ from: 2, what: 'reset' }],
      {},
      '200, complete, a token: processed',
    ],
    ['is not sent after an abort', [], { signal: aborted }, 'aborted: not processed'],
  ])('%s', async (_how, faults, limits, expected) => {
    expect(await send({ faults, limits })).toBe(expected);
  });
});

it('a fault that no server can have is rejected by the sandbox', async () => {
  await expect(startSandbox({ faults: [{ what: 'unreachable' }] })).rejects.toThrow(/cannot play "unreachable"/);
});
