import { mistakeInKey } from '../../src/action/inputs/connection-inputs.ts';
import { InputReader } from '../../src/action/inputs/input-reader.ts';
import { readRunUrl } from '../../src/action/inputs/run-url.ts';
import { changeWords } from '../../src/action/report/log/lines.ts';
import { outputsOfRun } from '../../src/action/report/outputs.ts';
import { cutToColumns, plainMarkdown } from '../../src/action/report/summary/markdown.ts';
import { chartText } from '../../src/action/report/summary/timeline.ts';
import { failureOf, nameOf } from '../../src/action/report/words.ts';
import { recordsInText } from '../../src/action/state/records.ts';
import { checkAddress, under } from '../../src/base/address.ts';
import { parseDuration } from '../../src/base/duration.ts';
import { neutral, oneLine, quoted } from '../../src/base/safe-text.ts';
import { asUuid } from '../../src/base/uuid.ts';
import type { Expectation } from '../../src/run/plan.ts';
import { nearest } from '../../src/run/resolve.ts';
import { newRun } from '../../src/run/state/run-state.ts';
import { parseRetryAfter } from '../../src/service/classify.ts';
import { connectionWords } from '../../src/service/http/connection-words.ts';
import { createRedactor, tokensIn } from '../../src/service/redact.ts';
import type { TerminalStatus } from '../../src/service/statuses.ts';
import type { Work } from './sample.ts';
import { type Delivery, ID, KEY, serviceWith, TOKEN } from './service.ts';
import type { Shape } from './shapes.ts';

/** Code that processes text from outside. */
export interface Case {
  readonly name: string;
  /** The only shape to measure if text arrives in pieces. Each piece is a separate event, so only the ratio counts. */
  readonly inPieces?: string;
  readonly prepare: (shape: Shape, bytes: number) => Work;
}

const redactor = createRedactor(KEY);
redactor.learn(TOKEN);

/** Every function that applies a regular expression or a loop to text from the network or the environment. */
const FUNCTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  oneLine: (text) => oneLine(text),
  quoted: (text) => quoted(text),
  neutral,
  redact: (text) => redactor.redact(text),
  tokensIn,
  plainMarkdown: (text) => plainMarkdown(text),
  'a cell of the summary': (text) => plainMarkdown(cutToColumns(nameOf(runWith(text)), 40)),
  chartText: (text) => chartText(text, 40),
  'the log line of a status change': (text) => changeWords(runWith(text), { status: text }),
  'the outputs of a run': (text) => outputsOfRun(runWith(text), ANY, text),
  'the text of a failure': (text) => failureOf({ attempted: text, cause: text, remedy: text }),
  checkAddress,
  under: (text) => under(new URL(`https://a.test/${text}`), '/rest'),
  asUuid,
  parseDuration,
  mistakeInKey,
  nearest: (text) => nearest('orders', [[text]]),
  'records in a file': recordsInText,
  'the input run-url': (text) => readRunUrl(readerOf(text)),
  'the text of an early connection error': (text) => wordsOf('EPROTO', text, false),
  'the text of a late connection error': (text) => wordsOf('ODD', text, true),
  'Retry-After': (text) => parseRetryAfter({ 'retry-after': text, date: text }, 0),
  'Retry-After as a date': (text) => parseRetryAfter({ 'retry-after': `Mon, 01 Jan 2029 00:00:00 ${text}` }, 0),
};

const ANY: Expectation = {
  succeedOn: new Set<TerminalStatus>(['completed']),
  resetTarget: false,
  onLostResponse: 'fail',
  maxAttempts: 1,
  retryOn: new Set(),
  onCancel: 'cancel',
};

function runWith(text: string): ReturnType<typeof newRun> {
  return {
    ...newRun(1, { kind: 'pipeline', pipeline: text }),
    status: text,
    statusMessage: text,
    phase: { at: 'in_progress' },
  };
}

function readerOf(text: string): InputReader {
  return new InputReader({ 'INPUT_RUN-URL': text });
}

function wordsOf(code: string, message: string, connected: boolean): unknown {
  return connectionWords({ kind: 'unanswered', connected, error: { code, message } }, 'a.test', true);
}

/** The largest number of bytes around the shape in a body. A grant contains a token. */
const FRAME = 2_000;

/** The number of characters in each of many short strings. */
const PIECE = 12;

/** Puts a shape into a body or a header. */
type Place = (shape: Shape, bytes: number) => Delivery;

/** Puts the shape as one JSON string into a body that `frame` creates. */
function inJson(frame: (json: string) => string, status = 200): Place {
  return (shape, bytes) => {
    const json = JSON.stringify(shape.text(bytes - FRAME, (text) => JSON.stringify(text).slice(1, -1)));
    return { status, body: frame(json) };
  };
}

/** Puts the shape as many short JSON strings into a list that `frame` creates. */
function inPieces(frame: (json: readonly string[]) => string): Place {
  return (shape, bytes) => {
    const text = shape.text((bytes - FRAME) / 3);
    const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
      JSON.stringify(text.slice(index * PIECE, (index + 1) * PIECE)),
    );
    return { body: `[${frame(pieces)}]` };
  };
}

const html = { 'content-type': 'text/html' };
const row = (fields: string): string => `[{"id":"${ID}",${fields}}]`;
const grant = (fields: string): string =>
  `{"token":"${TOKEN}","backend_anon_key":"anon","backend_url":"https://a.test",${fields}}`;

const EVERYWHERE: Readonly<Record<string, Place>> = {
  'as the body of a success': (shape, bytes) => ({ body: shape.text(bytes) }),
  'as the body of an error': (shape, bytes) => ({ status: 500, body: shape.text(bytes) }),
};

/** Responses measured with only two calls, because all calls share this code. */
const SHARED: Readonly<Record<string, Place>> = {
  'as a web page': (shape, bytes) => ({ status: 502, headers: html, body: shape.text(bytes) }),
  'as a JSON string': inJson((json) => json),
  'as the message of an error': inJson((json) => `{"message":${json}}`, 400),
  'as the code of an error': inJson((json) => `{"message":"no","code":${json}}`, 400),
  'as the hint of an error': inJson((json) => `{"message":"no","hint":${json}}`, 400),
  'as the target of a redirect': (shape, bytes) => ({ status: 302, headers: { location: shape.text(bytes) } }),
  'as Retry-After': (shape, bytes) => ({ status: 429, headers: { 'retry-after': shape.text(bytes) } }),
  'as a connection error': (shape, bytes) => ({
    error: { code: 'EPROTO', message: shape.text(bytes), connected: false },
  }),
};

const OF_CALLS: Readonly<Record<string, Readonly<Record<string, Place>>>> = {
  connect: {
    ...SHARED,
    'as the token': inJson((json) => grant(`"token":${json}`)),
    'as the anon key': inJson((json) => grant(`"backend_anon_key":${json}`)),
    'as the API host': inJson((json) => grant(`"backend_url":${json}`)),
    'as the path of the API host': inJson((json) => grant(`"backend_url":"https://a.test/${json.slice(1)}`)),
    'as the region': inJson((json) => grant(`"region":${json}`)),
  },
  list: {
    'as a name': inJson((json) => `[{"pipeline_id":"${ID}","pipeline_name":${json}}]`),
    'as many rows': (_shape, bytes) => ({ body: `[${`{"pipeline_id":"${ID}"},`.repeat((bytes - FRAME) / 55)}{}]` }),
  },
  trigger: {},
  read: {
    ...SHARED,
    'as a status message': inJson((json) => row(`"job_status":"running","status_message":${json}`)),
    'as a status': inJson((json) => row(`"job_status":${json}`)),
    'as the name of a field': inJson((json) => row(`${json}:1`)),
    'as many values': inPieces((json) => json.join(',')),
    'as the names of many fields': inPieces(
      (json) => `{${json.map((each, index) => `"${index} ${each.slice(1)}:${each}`).join(',')}}`,
    ),
  },
  cancel: { 'as a status message': inJson((json) => row(`"job_status":"cancelled","status_message":${json}`)) },
};

/** Every function, and every call of the service with a shape in every part of a response. */
export const CASES: readonly Case[] = [
  ...Object.entries(FUNCTIONS).map(
    ([name, apply]): Case => ({
      name,
      prepare: (shape, bytes) => {
        const text = shape.text(bytes);
        return () => apply(text);
      },
    }),
  ),
  ...Object.entries(OF_CALLS).flatMap(([call, places]) =>
    Object.entries({ ...EVERYWHERE, ...places }).map(
      ([name, place]): Case => ({
        name: `${call}, ${name}`,
        prepare: (shape, bytes) => serviceWith(call, place(shape, bytes)),
      }),
    ),
  ),
  ...Object.keys(OF_CALLS).map(
    (call): Case => ({
      name: `${call}, in chunks of one byte`,
      inPieces: 'quotes',
      prepare: (shape, bytes) => serviceWith(call, { body: shape.text(bytes), piece: 1 }),
    }),
  ),
];
