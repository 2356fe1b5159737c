/*
 * Shows how long texts from the network keep the event loop busy, and that twice the text takes about twice the time. No
 * response may block the event loop for more than 50 ms, because signals must be noticed in time even if the service is
 * hostile.
 */
import type { Clock } from '../src/base/clock.ts';
import { asSeen, oneLine } from '../src/base/text.ts';
import { asUuid } from '../src/base/uuid.ts';
import { plain } from '../src/report/markdown.ts';
import { lookUp } from '../src/run/lookup.ts';
import { adviseOn } from '../src/run/suggestions.ts';
import { type ListedPipeline, Service } from '../src/service/api.ts';
import { Secrets } from '../src/service/secrets.ts';
import type { Answer, Answered } from '../src/service/send.ts';
import { type Shape, shapesWith } from './nasty-texts.ts';

/** The longest bodies that the action reads. */
const BODY_BYTES = 262_144;
const LIST_BYTES = 4_194_304;
const MAX_MS = 50;
/** Shorter times are not measured again, and say nothing about the growth. */
const SHORT_MS = 10;

type Work = () => Promise<unknown>;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Returns the longest CPU time in ms that the work takes without a pause. Other processes do not count. The shortest of
 * several measurements counts, because the compiler and the garbage collector disturb the others.
 */
async function longestMs(work: Work): Promise<number> {
  let best = Infinity;
  const startedAt = performance.now();
  const isPatient = (): boolean => performance.now() - startedAt < 1_000;
  for (let round = 0; round === 0 || (round < 5 && best > SHORT_MS && isPatient()); round += 1) {
    let longest = 0;
    let isDone = false;
    let lastMs = cpuMs();
    const measure = (): void => {
      longest = Math.max(longest, cpuMs() - lastMs);
      lastMs = cpuMs();
    };
    const tick = (): void => {
      measure();
      if (!isDone) setImmediate(tick);
    };
    setImmediate(tick);
    await work();
    isDone = true;
    measure();
    best = Math.min(best, longest);
  }
  return best;
}

const KEY = `ak_${'Zx81Qw72'.repeat(5)}`;
/** As long as a typical JSON Web Token. */
const TOKEN = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'eyJzdWIiOiIx'.repeat(60)}.c2lnbmF0dXJl`;
const ID = '11111111-2222-4333-8444-555555555555';
const SHAPES = shapesWith(`${KEY} ${TOKEN} ${Buffer.from(KEY).toString('base64')} `);

/** A response, which is complete and successful by default, or an error. */
type Delivery = Partial<Answered> | Exclude<Answer, Answered>;
/** Puts a text that has about this many bytes into a response. */
type Place = (shape: Shape, bytes: number) => Delivery;

/** The largest number of bytes around the text in a body. A grant contains a token. */
const FRAME = 2_000;

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
const inBody =
  (status = 200, headers = {}): Place =>
  (shape, bytes) => ({ status, headers, text: shape.fill(bytes) });
/** Puts the text as one JSON string into a body. */
const inJson =
  (frame: (json: string) => string, status = 200): Place =>
  (shape, bytes) => ({ status, text: frame(JSON.stringify(shape.fill(bytes - FRAME, escaped))) });
/** Puts the text as many JSON strings into a list. */
const inPieces =
  (frame: (json: readonly string[]) => string, length = 12): Place =>
  (shape, bytes) => {
    const text = shape.fill((bytes - FRAME) / 3);
    const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, nth) =>
      JSON.stringify(text.slice(nth * length, (nth + 1) * length)),
    );
    return { text: `[${frame(pieces)}]` };
  };
const inHeader =
  (name: string, status: number): Place =>
  (shape, bytes) => ({ status, headers: { [name]: shape.fill(bytes) } });

const row = (fields: string): string => `[{"id":"${ID}",${fields}}]`;
const pipeline = (fields: string): string => `{"pipeline_id":"${ID}",${fields}}`;
const grant = (fields: string): string =>
  `{"token":"${TOKEN}","backend_anon_key":"anon","backend_url":"https://api.example.test",${fields}}`;

type CallName = 'connect' | 'list' | 'trigger' | 'read' | 'cancel';

const PLACES: readonly (readonly [call: CallName, field: string, Place])[] = [
  ['connect', 'body', inBody()],
  ['connect', 'body of an error', inBody(500)],
  ['connect', 'message of an error', inJson((json) => `{"message":${json}}`, 400)],
  ['connect', 'token', inJson((json) => grant(`"token":${json}`))],
  ['connect', 'anon key', inJson((json) => grant(`"backend_anon_key":${json}`))],
  ['connect', 'API host', inJson((json) => grant(`"backend_url":${json}`))],
  ['connect', 'path of the API host', inJson((json) => grant(`"backend_url":"https://a.test/${json.slice(1)}`))],
  ['connect', 'region', inJson((json) => grant(`"region":${json}`))],
  ['list', 'body', inBody()],
  ['list', 'name', inJson((json) => `[${pipeline(`"pipeline_name":${json}`)}]`)],
  ['list', 'names', inPieces((pieces) => pieces.map((json) => pipeline(`"pipeline_name":${json}`)).join(','), 999)],
  ['list', 'short names', inPieces((pieces) => pieces.map((json) => pipeline(`"pipeline_name":${json}`)).join(','))],
  ['list', 'values', inPieces((pieces) => pieces.join(','))],
  ['list', 'names of fields', inPieces((pieces) => pieces.map((json, nth) => `{${field(json, nth)}}`).join(','))],
  ['list', 'Content-Range', inHeader('content-range', 200)],
  ['list', 'body of an error', inBody(500)],
  ['trigger', 'body', inBody()],
  ['trigger', 'body of an error', inBody(500)],
  ['read', 'body', inBody()],
  ['read', 'body of an error', inBody(500)],
  ['read', 'web page', inBody(502, { 'content-type': 'text/html' })],
  ['read', 'JSON string', inJson((json) => json)],
  ['read', 'message of an error', inJson((json) => `{"message":${json}}`, 400)],
  ['read', 'code of an error', inJson((json) => `{"message":"no","code":${json}}`, 400)],
  ['read', 'hint of an error', inJson((json) => `{"message":"no","hint":${json}}`, 400)],
  ['read', 'Location', inHeader('location', 302)],
  ['read', 'Retry-After', inHeader('retry-after', 429)],
  ['read', 'Date', inHeader('date', 429)],
  ['read', 'Content-Type', inHeader('content-type', 400)],
  ['read', 'connection error', connectionError],
  ['read', 'status message', inJson((json) => row(`"job_status":"running","status_message":${json}`))],
  ['read', 'status', inJson((json) => row(`"job_status":${json}`))],
  ['read', 'name of a field', inJson((json) => row(`${json}:1`))],
  ['read', 'values', inPieces((pieces) => pieces.join(','))],
  ['read', 'names of fields', inPieces((pieces) => `{${pieces.map(field).join(',')}}`)],
  ['cancel', 'body', inBody()],
  ['cancel', 'status message', inJson((json) => row(`"job_status":"cancelled","status_message":${json}`))],
];

function connectionError(shape: Shape, bytes: number): Delivery {
  return { kind: 'unanswered', connected: false, code: 'EPROTO', message: shape.fill(bytes) };
}

/** Makes a JSON string the name of a field, with a number that makes it unique. */
function field(json: string, nth: number): string {
  return `"${nth} ${json.slice(1)}:1`;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, task) {
    if (ms === Infinity) return () => undefined;
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/** Makes a call with the real client, to which the service responds with the delivery. Shows what a user would see. */
function callOf(call: CallName, delivery: Delivery): Work {
  const granted = answerOf({ text: grant('"region":"eu"') });
  const answer = answerOf(delivery);
  const isExchange = (url: URL): boolean => url.pathname.endsWith('/bootstrap');
  const service = new Service({
    clock: CLOCK,
    baseUrl: new URL('https://app.example.test'),
    apiKey: KEY,
    setSecret: () => undefined,
    debug: () => undefined,
    send: async ({ url }) => (call !== 'connect' && isExchange(url) ? granted : answer),
  });
  const order = { pipelineId: ID, fullResync: false, resetTarget: false };
  const calls = {
    connect: () => service.connect(),
    list: () => service.list(),
    trigger: () => service.trigger(order, { beforeSend: () => undefined, signal: new AbortController().signal }),
    read: () => service.read(ID),
    cancel: () => service.cancel(ID),
  };
  return async () => {
    const outcome = await calls[call]();
    if (outcome.kind === 'job') plain(outcome.job.message);
    if ('problem' in outcome) oneLine(outcome.problem?.cause ?? '', 1_000);
    if (outcome.kind !== 'pipelines') return;
    const find = await lookUp(['orders'], outcome.pipelines, CLOCK);
    find('orders');
    await adviseOn(['ordres', 'custmers', 'x'.repeat(100)], outcome.pipelines, CLOCK);
  };
}

function answerOf(delivery: Delivery): Answer {
  if (delivery.kind === 'unanswered' || delivery.kind === 'aborted') return delivery;
  const { status = 200, headers = {}, text = '', body = 'complete' } = delivery;
  return { kind: 'answered', status, headers, text, body };
}

/** A hundred tokens, which a hostile service chooses so that searching for them is slow. */
function secretsWith(tokenOf: (nth: number) => string): (text: string) => unknown {
  const secrets = new Secrets(KEY, () => undefined);
  for (let nth = 0; nth < 100; nth += 1) secrets.add(tokenOf(nth));
  return (text) => secrets.clean(text, 500);
}

const STEPS: readonly (readonly [step: string, (text: string) => unknown])[] = [
  ['a plain pass, for comparison', (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())],
  ['100 tokens of one issuer', secretsWith((nth) => `${TOKEN.slice(0, 200)}${nth}`)],
  ['100 tokens of equal letters', secretsWith((nth) => `${'x'.repeat(4_000 + nth)}y${'x'.repeat(4_000)}`)],
  ['100 short tokens', secretsWith((nth) => `xxxxxxxx${nth}`)],
  ['asSeen', asSeen],
  ['asUuid', asUuid],
];

/** A pair of works: with half of the text, and with all of it. */
interface Case {
  readonly name: string;
  readonly of: (bytes: number) => Work;
}

function listOf(shape: Shape): (bytes: number) => Work {
  return (bytes) => {
    const text = shape.fill(bytes / 4);
    const pipelines = Array.from({ length: Math.ceil(text.length / 90) }, (_, nth): ListedPipeline => {
      const name = text.slice(nth * 90, nth * 90 + 90);
      return { id: `${ID}${nth}`, name, apiName: '', received: [name] };
    });
    return () => adviseOn([shape.fill(90), `x${shape.fill(90)}`, `${shape.fill(88)}yz`], pipelines, CLOCK);
  };
}

/** Prints, for each call and field (or step), the texts with the longest time and with the largest growth. */
export async function compareTexts(): Promise<void> {
  console.log(
    `\nTexts: longest time without a pause, in ms of CPU time, for half of the largest text and for all of it`,
  );
  const print = async (what: string, maxBytes: number, cases: readonly Case[]): Promise<void> => {
    const rows = [];
    for (const { name, of } of cases) {
      const [half, all] = [await longestMs(of(maxBytes / 2)), await longestMs(of(maxBytes))];
      rows.push({ name, half, all });
    }
    const growth = ({ half, all }: { half: number; all: number }): number =>
      all < SHORT_MS ? 0 : all / Math.max(half, 1);
    const slowest = rows.toSorted((a, b) => b.all - a.all)[0];
    const steepest = rows.toSorted((a, b) => growth(b) - growth(a))[0];
    for (const [kind, found] of [['slowest', slowest] as const, ['steepest', steepest] as const]) {
      if (found === undefined || (kind === 'steepest' && growth(found) < 3)) continue;
      const mark = found.all > MAX_MS ? `  more than ${MAX_MS} ms` : '';
      const times = `${found.half.toFixed(1).padStart(7)} ${found.all.toFixed(1).padStart(7)}`;
      console.log(`  ${what.padEnd(34)}${times}  ×${growth(found).toFixed(1)}  ${kind}: ${found.name}${mark}`);
    }
  };
  for (const [call, where, place] of PLACES) {
    const cases = SHAPES.map((shape) => ({
      name: shape.name,
      of: (bytes: number) => callOf(call, place(shape, bytes)),
    }));
    await print(`${call}: ${where}`, call === 'list' ? LIST_BYTES : BODY_BYTES, cases);
  }
  for (const [step, apply] of STEPS) {
    const cases = SHAPES.map((shape) => ({
      name: shape.name,
      of: (bytes: number): Work => {
        const text = shape.fill(bytes);
        return async () => apply(text);
      },
    }));
    await print(step, BODY_BYTES, cases);
  }
  await print(
    'suggestions',
    LIST_BYTES,
    SHAPES.map((shape) => ({ name: shape.name, of: listOf(shape) })),
  );
}
