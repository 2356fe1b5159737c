// Measures how long the largest responses keep the event loop busy. A signal must be noticed in time, even if the service is hostile.
import { expect, it } from 'vitest';
import { checkAddress, under } from '../../src/base/address.ts';
import type { Clock } from '../../src/base/clock.ts';
import { flat, oneLine, quoted, unescaped, withoutCommands } from '../../src/base/text.ts';
import { asUuid } from '../../src/base/uuid.ts';
import { cutToColumns, plain } from '../../src/report/markdown.ts';
import { Service } from '../../src/service/api.ts';
import { Secrets } from '../../src/service/secrets.ts';
import type { Answer, Answered } from '../../src/service/send.ts';
import { type Shape, shapesWith } from './hostile-bodies.ts';

/** The longest body that the action reads, except a list of pipelines. */
const BYTES = 262_144;
/** A quadratic parser is too slow even with this body, and a larger one could take minutes. */
const SMALL_BYTES = BYTES / 8;
const MAX_MS = 50;
/** A slow result may be due to the compiler, the garbage collector or a shared cache, so it is measured again. */
const MAX_ROUNDS = 8;

type Work = () => unknown;

/** Returns the CPU time that the work takes in this thread, in milliseconds. It does not include what other processes do. */
async function cpuMsOf(work: Work): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Returns the shortest of several measurements, or the first one that is short enough. */
async function shortest(work: Work, enoughMs: number): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < MAX_ROUNDS && best >= enoughMs; round += 1) best = Math.min(best, await cpuMsOf(work));
  return best;
}

/** The CPU time of this work on the machine for which the limit holds, in milliseconds. Slower machines get more time. */
const REFERENCE_MS = 8;
const reference = 'a1 '.repeat(BYTES / 3);
const pace = (await shortest(() => reference.replace(/[a-z]/g, (letter) => letter.toUpperCase()), 0)) / REFERENCE_MS;
const limitMs = MAX_MS * Math.max(1, pace);

const KEY = `ak_${'Zx81Qw72'.repeat(5)}`;
/** As long as a typical JSON Web Token. */
const TOKEN = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'eyJzdWIiOiIx'.repeat(60)}.c2lnbmF0dXJl`;
const ID = '11111111-2222-4333-8444-555555555555';
const SHAPES = shapesWith(`${KEY} ${TOKEN} ${Buffer.from(KEY).toString('base64')} `);

/** Returns the shapes that take too long, with the time. `prepare` returns the work for a shape with this many bytes. */
async function tooSlow(prepare: (shape: Shape, bytes: number) => Work, shapes = SHAPES): Promise<readonly string[]> {
  const slow: string[] = [];
  for (const shape of shapes) {
    for (const bytes of [SMALL_BYTES, BYTES]) {
      const ms = await shortest(prepare(shape, bytes), limitMs);
      if (ms < limitMs) continue;
      slow.push(`${shape.name}: ${ms.toFixed(0)} ms for ${bytes / 1_024} KiB`);
      break;
    }
  }
  return slow;
}

it('the measurement detects a quadratic regular expression', async () => {
  const quadratic = (shape: Shape, bytes: number): Work => {
    const text = shape.fill(bytes);
    return () => /<title[^>]*>([^<]*)/i.exec(text);
  };
  expect(
    await tooSlow(
      quadratic,
      SHAPES.filter(({ name }) => name === 'unclosed titles'),
    ),
  ).toHaveLength(1);
});

const secrets = new Secrets(KEY, () => undefined);
secrets.add(TOKEN);

it.each<readonly [string, (text: string) => unknown]>([
  ['flat', flat],
  ['oneLine', oneLine],
  ['quoted', quoted],
  ['unescaped', unescaped],
  ['withoutCommands', withoutCommands],
  ['redact', (text) => secrets.redact(text)],
  ['plain', plain],
  ['a cell of the summary', (text) => cutToColumns(plain(text), 40)],
  ['checkAddress', checkAddress],
  ['under', (text) => under(new URL(`https://a.test/${text}`), '/rest')],
  ['asUuid', asUuid],
])(`%s blocks the event loop for less than ${MAX_MS} ms with any text`, async (_, apply) => {
  const slow = await tooSlow((shape, bytes) => {
    const text = shape.fill(bytes);
    return () => apply(text);
  });
  expect(slow).toEqual([]);
});

/** A response, which is complete and successful by default, or an error. */
type Delivery = Partial<Answered> | Exclude<Answer, Answered>;
/** Puts a shape into a response. */
type Place = (shape: Shape, bytes: number) => Delivery;

/** The largest number of bytes around the shape in a body. A grant contains a token. */
const FRAME = 2_000;

/** Puts the shape as one JSON string into a body that `frame` creates. */
function inJson(frame: (json: string) => string, status = 200): Place {
  return (shape, bytes) => {
    const json = JSON.stringify(shape.fill(bytes - FRAME, (text) => JSON.stringify(text).slice(1, -1)));
    return { status, text: frame(json) };
  };
}

/** Puts the shape as many short JSON strings into a list that `frame` creates. */
function inPieces(frame: (json: readonly string[]) => string): Place {
  return (shape, bytes) => {
    const pieces = shape.fill((bytes - FRAME) / 3).match(/.{1,12}/gsu) ?? [];
    return { text: `[${frame(pieces.map((piece) => JSON.stringify(piece)))}]` };
  };
}

const row = (fields: string): string => `[{"id":"${ID}",${fields}}]`;
const grant = (fields: string): string =>
  `{"token":"${TOKEN}","backend_anon_key":"anon","backend_url":"https://api.example.test",${fields}}`;

const PLACES: readonly (readonly [call: CallName, where: string, Place])[] = [
  ['connect', 'body', (shape, bytes) => ({ text: shape.fill(bytes) })],
  ['connect', 'body of an error', (shape, bytes) => ({ status: 500, text: shape.fill(bytes) })],
  ['connect', 'message of an error', inJson((json) => `{"message":${json}}`, 400)],
  ['connect', 'token', inJson((json) => grant(`"token":${json}`))],
  ['connect', 'anon key', inJson((json) => grant(`"backend_anon_key":${json}`))],
  ['connect', 'API host', inJson((json) => grant(`"backend_url":${json}`))],
  ['connect', 'path of the API host', inJson((json) => grant(`"backend_url":"https://a.test/${json.slice(1)}`))],
  ['connect', 'region', inJson((json) => grant(`"region":${json}`))],
  ['list', 'name', inJson((json) => `[{"pipeline_id":"${ID}","pipeline_name":${json}}]`)],
  ['trigger', 'body', (shape, bytes) => ({ text: shape.fill(bytes) })],
  ['trigger', 'body of an error', (shape, bytes) => ({ status: 500, text: shape.fill(bytes) })],
  ['read', 'body', (shape, bytes) => ({ text: shape.fill(bytes) })],
  ['read', 'body of an error', (shape, bytes) => ({ status: 500, text: shape.fill(bytes) })],
  ['read', 'web page', webPage],
  ['read', 'body, which is a JSON string', inJson((json) => json)],
  ['read', 'message of an error', inJson((json) => `{"message":${json}}`, 400)],
  ['read', 'code of an error', inJson((json) => `{"message":"no","code":${json}}`, 400)],
  ['read', 'hint of an error', inJson((json) => `{"message":"no","hint":${json}}`, 400)],
  ['read', 'target of a redirect', (shape, bytes) => ({ status: 302, headers: { location: shape.fill(bytes) } })],
  ['read', 'Retry-After', (shape, bytes) => ({ status: 429, headers: { 'retry-after': shape.fill(bytes) } })],
  ['read', 'connection error', connectionError],
  ['read', 'status message', inJson((json) => row(`"job_status":"running","status_message":${json}`))],
  ['read', 'status', inJson((json) => row(`"job_status":${json}`))],
  ['read', 'name of a field', inJson((json) => row(`${json}:1`))],
  ['read', 'values of a list', inPieces((pieces) => pieces.join(','))],
  ['read', 'names of the fields', inPieces((pieces) => `{${pieces.map(field).join(',')}}`)],
  ['cancel', 'body', (shape, bytes) => ({ text: shape.fill(bytes) })],
  ['cancel', 'status message', inJson((json) => row(`"job_status":"cancelled","status_message":${json}`))],
];

function webPage(shape: Shape, bytes: number): Delivery {
  return { status: 502, headers: { 'content-type': 'text/html' }, text: shape.fill(bytes) };
}

function connectionError(shape: Shape, bytes: number): Delivery {
  return { kind: 'unanswered', connected: false, code: 'EPROTO', message: shape.fill(bytes) };
}

/** Makes a JSON string the name of a field, with a number that makes it unique. */
function field(json: string, index: number): string {
  return `"${index} ${json.slice(1)}:1`;
}

it.each(PLACES)(
  `the response to %s blocks the event loop for less than ${MAX_MS} ms with any %s`,
  async (call, _, place) => {
    expect(await tooSlow((shape, bytes) => callOf(call, place(shape, bytes)))).toEqual([]);
  },
);

type CallName = 'connect' | 'list' | 'trigger' | 'read' | 'cancel';

/** Timers never fire, because every response arrives at once. */
const CLOCK: Clock = { now: () => performance.now(), wall: () => Date.now(), after: () => () => undefined };

/** Returns a function that makes a call with the real client, to which the service responds with the delivery. */
function callOf(call: CallName, delivery: Delivery): Work {
  const granted = answerOf({ text: grant('"region":"eu"') });
  const answer = answerOf(delivery);
  const service = new Service({
    clock: CLOCK,
    baseUrl: new URL('https://app.example.test'),
    apiKey: KEY,
    setSecret: () => undefined,
    debug: () => undefined,
    send: async ({ url }) => (call !== 'connect' && url.pathname.endsWith('/bootstrap') ? granted : answer),
  });
  switch (call) {
    case 'connect':
      return () => service.connect();
    case 'list':
      return () => service.list();
    case 'trigger': {
      const order = { pipelineId: ID, fullResync: false, resetTarget: false };
      return () => service.trigger(order, { beforeSend: () => undefined, signal: new AbortController().signal });
    }
    case 'read':
      return () => service.read(ID);
    case 'cancel':
      return () => service.cancel(ID);
  }
}

function answerOf(delivery: Delivery): Answer {
  if (delivery.kind === 'unanswered' || delivery.kind === 'aborted') return delivery;
  const { status = 200, headers = {}, text = '', body = 'complete' } = delivery;
  return { kind: 'answered', status, headers, text, body };
}
