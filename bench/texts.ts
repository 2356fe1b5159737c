/*
 * How long a response keeps the event loop busy, for each nasty text, field and call: n bytes against 2n. Work that is
 * linear takes twice as long at most. While the loop is busy, no signal is noticed, so no response may block it for more
 * than 50 ms. `npm run bench -- --only texts` prints the slowest text of each field, and `--all` prints every text.
 */

import { adviseOn } from '../src/action/suggestions.ts';
import type { Clock } from '../src/base/clock.ts';
import { lookUp } from '../src/run/lookup.ts';
import { type ListedPipeline, Service } from '../src/service/api.ts';
import { Secrets } from '../src/service/secrets.ts';
import type { Answer, Answered } from '../src/service/send.ts';
import { type Shape, shapesWith } from './nasty-texts.ts';

/** The largest bodies that the action reads: a list, and any other. */
const LIST_BYTES = 4_194_304;
const BYTES = 262_144;
/** The number of bytes around the text in a body. A grant contains a token. */
const FRAME = 2_000;
/** A slow result may be due to the compiler or the garbage collector, so it is measured again. */
const ROUNDS = 3;
const SLOW_MS = 20;

const KEY = `ak_${'Zx81Qw72'.repeat(5)}`;
/** As long as a typical JSON Web Token. */
const TOKEN = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'eyJzdWIiOiIx'.repeat(60)}.c2lnbmF0dXJl`;
const ID = '11111111-2222-4333-8444-555555555555';

/** A response, which is complete and successful by default, or an error. */
type Delivery = Partial<Answered> | Exclude<Answer, Answered>;
/** Puts a text into a response of a size. */
type Place = (shape: Shape, bytes: number) => Delivery;
type CallName = 'connect' | 'list' | 'trigger' | 'read' | 'cancel';

const body: Place = (shape, bytes) => ({ text: shape.fill(bytes) });
const errorBody: Place = (shape, bytes) => ({ status: 500, text: shape.fill(bytes) });

/** Puts the text as one JSON string into a body that `frame` creates. */
function inJson(frame: (json: string) => string, status = 200): Place {
  return (shape, bytes) => {
    const json = JSON.stringify(shape.fill(bytes - FRAME, (text) => JSON.stringify(text).slice(1, -1)));
    return { status, text: frame(json) };
  };
}

/** Puts the text as many JSON strings into a list that `frame` creates. */
function inPieces(frame: (json: readonly string[]) => string, length = 12): Place {
  return (shape, bytes) => ({
    text: `[${frame(piecesOf(shape.fill((bytes - FRAME) / 3), length).map((piece) => JSON.stringify(piece)))}]`,
  });
}

function piecesOf(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, nth) =>
    text.slice(nth * length, (nth + 1) * length),
  );
}

/** Makes a JSON string the name of a field, with a number that makes it unique. */
function field(json: string, nth: number): string {
  return `"${nth} ${json.slice(1)}:1`;
}

const row = (fields: string): string => `[{"id":"${ID}",${fields}}]`;
const grant = (fields: string): string =>
  `{"token":"${TOKEN}","backend_anon_key":"anon","backend_url":"https://api.example.test",${fields}}`;
const pipeline = (name: string): string => `{"pipeline_id":"${ID}","pipeline_name":${name}}`;

const PLACES: readonly (readonly [call: CallName, where: string, place: Place])[] = [
  ['connect', 'body', body],
  ['connect', 'body of an error', errorBody],
  ['connect', 'message of an error', inJson((json) => `{"message":${json}}`, 400)],
  ['connect', 'token', inJson((json) => grant(`"token":${json}`))],
  ['connect', 'API host', inJson((json) => grant(`"backend_url":${json}`))],
  ['connect', 'region', inJson((json) => grant(`"region":${json}`))],
  ['list', 'body', body],
  ['list', 'body of an error', errorBody],
  ['list', 'one name', inJson((json) => `[${pipeline(json)}]`)],
  ['list', 'many names', inPieces((pieces) => pieces.map(pipeline).join(','))],
  ['list', 'many long names', inPieces((pieces) => pieces.map(pipeline).join(','), 1_000)],
  ['list', 'names of fields', inPieces((pieces) => pieces.map((json, nth) => `{${field(json, nth)}}`).join(','))],
  ['list', 'values', inPieces((pieces) => pieces.join(','))],
  ['trigger', 'body', body],
  ['trigger', 'body of an error', errorBody],
  ['read', 'body', body],
  ['read', 'body of an error', errorBody],
  ['read', 'message of an error', inJson((json) => `{"message":${json}}`, 400)],
  ['read', 'code of an error', inJson((json) => `{"message":"no","code":${json}}`, 400)],
  ['read', 'target of a redirect', (shape, bytes) => ({ status: 302, headers: { location: shape.fill(bytes) } })],
  ['read', 'Retry-After', (shape, bytes) => ({ status: 429, headers: { 'retry-after': shape.fill(bytes) } })],
  [
    'read',
    'content-encoding',
    (shape, bytes) => ({ body: 'undecodable', headers: { 'content-encoding': shape.fill(bytes) } }),
  ],
  [
    'read',
    'connection error',
    (shape, bytes) => ({ kind: 'unanswered', connected: false, code: 'EPROTO', message: shape.fill(bytes) }),
  ],
  ['read', 'status message', inJson((json) => row(`"job_status":"running","status_message":${json}`))],
  ['read', 'status', inJson((json) => row(`"job_status":${json}`))],
  ['read', 'values', inPieces((pieces) => pieces.join(','))],
  ['read', 'names of fields', inPieces((pieces) => `{${pieces.map(field).join(',')}}`)],
  ['cancel', 'status message', inJson((json) => row(`"job_status":"cancelled","status_message":${json}`))],
];

const CLOCK: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, task) {
    const timer = ms === Infinity ? undefined : setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

function answerOf(delivery: Delivery): Answer {
  if (delivery.kind === 'unanswered' || delivery.kind === 'aborted') return delivery;
  const { status = 200, headers = {}, text = '', body: end = 'complete' } = delivery;
  return { kind: 'answered', status, headers, text, body: end };
}

/** Makes a call with the real client, to which the service responds with the delivery. */
function make(call: CallName, delivery: Delivery): Promise<unknown> {
  const granted = answerOf({ text: grant('"region":"eu"') });
  const answer = answerOf(delivery);
  const service = new Service({
    clock: CLOCK,
    env: {},
    baseUrl: new URL('https://app.example.test'),
    apiKey: KEY,
    setSecret: () => undefined,
    debug: () => undefined,
    send: async ({ url }) => (call !== 'connect' && url.pathname.endsWith('/bootstrap') ? granted : answer),
  });
  const order = { pipelineId: ID, fullResync: false, resetTarget: false };
  const options = { beforeSend: () => undefined, signal: new AbortController().signal };
  const calls = {
    connect: () => service.exchange(),
    list: () => service.list(),
    trigger: () => service.trigger(order, options),
    read: () => service.read(ID),
    cancel: () => service.cancel(ID),
  };
  return calls[call]();
}

type Work = () => Promise<unknown>;

/** Searches the text for the key and for 100 tokens that a hostile service has chosen. */
function searchFor(tokenOf: (nth: number) => string): (shape: Shape, bytes: number) => Work {
  const secrets = new Secrets(KEY, () => undefined);
  for (let nth = 0; nth < 100; nth += 1) secrets.add(tokenOf(nth));
  return (shape, bytes) => {
    const text = shape.fill(bytes);
    return async () => secrets.clean(text, 500);
  };
}

/** Looks up a name among many, and suggests similar ones. */
function suggest(shape: Shape, bytes: number): Work {
  const pipelines = piecesOf(shape.fill(bytes / 3), 90).map(
    (name, nth): ListedPipeline => ({ id: `${ID} ${nth}`, name, apiName: '', received: [name] }),
  );
  const names = [shape.fill(90), `x${shape.fill(90)}`, `${shape.fill(88)}yz`];
  return async () => {
    await lookUp(names, pipelines, CLOCK);
    await adviseOn(names, pipelines, CLOCK);
  };
}

/** What is measured with each text: a name, the size of the text, and the work. */
const WORKS: readonly (readonly [name: string, bytes: number, prepare: (shape: Shape, bytes: number) => Work])[] = [
  ...PLACES.map(([call, where, place]) => {
    const prepare = (shape: Shape, bytes: number): Work => {
      const delivery = place(shape, bytes);
      return () => make(call, delivery);
    };
    return [`${call}, ${where}`, call === 'list' ? LIST_BYTES : BYTES, prepare] as const;
  }),
  ['100 tokens of one issuer', BYTES, searchFor((nth) => `${TOKEN.slice(0, 200)}${nth}`)],
  ['100 tokens of equal letters', BYTES, searchFor((nth) => `${'x'.repeat(4_000 + nth)}y${'x'.repeat(4_000)}`)],
  ['100 short tokens', BYTES, searchFor((nth) => `xxxxxxxx${nth}`)],
  ['suggestions', LIST_BYTES, suggest],
];

/** Returns the longest time in ms during which the work kept the event loop busy. */
async function blockedMs(work: Work): Promise<number> {
  let longest = 0;
  let isOver = false;
  let turn = performance.now();
  const watch = (): void => {
    longest = Math.max(longest, performance.now() - turn);
    turn = performance.now();
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  await new Promise((resolve) => setImmediate(resolve));
  longest = 0;
  turn = performance.now();
  await work();
  isOver = true;
  return Math.max(longest, performance.now() - turn);
}

async function shortest(work: Work): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best > SLOW_MS; round += 1) best = Math.min(best, await blockedMs(work));
  return best;
}

/** Prints the times of each field, with the slowest text, or with all texts. */
export async function compareTexts(isComplete: boolean): Promise<void> {
  console.log('\nNasty texts: how long half of the largest body, and the largest, block the event loop');
  const shapes = shapesWith(`${KEY} ${TOKEN} ${Buffer.from(KEY).toString('base64')} `);
  for (const [name, most, prepare] of WORKS) {
    const rows: { readonly text: string; readonly half: number; readonly whole: number }[] = [];
    for (const shape of shapes) {
      const [half, whole] = [await shortest(prepare(shape, most / 2)), await shortest(prepare(shape, most))];
      rows.push({ text: shape.name, half, whole });
    }
    const slowestFirst = rows.sort((a, b) => b.whole - a.whole);
    for (const { text, half, whole } of slowestFirst.slice(0, isComplete ? rows.length : 1))
      console.log(`  ${name.padEnd(30)} ${half.toFixed(1).padStart(6)} ms ${whole.toFixed(1).padStart(6)} ms  ${text}`);
  }
}
