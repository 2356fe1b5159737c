import { InputReader } from '../../src/action/input-reader.ts';
import { decodeRun } from '../../src/action/run-line.ts';
import { checkAddress, under } from '../../src/base/address.ts';
import { parseDuration } from '../../src/base/duration.ts';
import { flat, oneLine, quoted, unescaped, withoutCommands } from '../../src/base/text.ts';
import { asUuid } from '../../src/base/uuid.ts';
import { cutToColumns, plain } from '../../src/report/markdown.ts';
import { planned } from '../../src/run/state.ts';
import { Secrets } from '../../src/service/secrets.ts';
import type { Work } from './sample.ts';
import { type Delivery, ID, KEY, serviceWith, TOKEN } from './service.ts';
import type { Shape } from './shapes.ts';

/** Code that processes text from outside. */
export interface Case {
  readonly name: string;
  readonly prepare: (shape: Shape, bytes: number) => Work;
}

const secrets = new Secrets(KEY, () => undefined);
secrets.add(TOKEN);

/** Every function that applies a regular expression or a loop to text from the network or the environment. */
const FUNCTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  flat,
  oneLine: (text) => oneLine(text),
  quoted: (text) => quoted(text),
  unescaped,
  withoutCommands,
  redact: (text) => secrets.redact(text),
  plain: (text) => plain(text),
  'a cell of the summary': (text) => cutToColumns(plain(text), 40),
  checkAddress: (text) => checkAddress(text),
  under: (text) => under(new URL(`https://a.test/${text}`), '/rest'),
  asUuid,
  parseDuration,
  decodeRun: (text) => decodeRun({ ...planned({ pipeline: text }), message: text }),
  'an input': (text) => new InputReader({ getInput: () => text }).statuses('retry-on'),
};

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
    return { status, text: frame(json) };
  };
}

/** Puts the shape as many short JSON strings into a list that `frame` creates. */
function inPieces(frame: (json: readonly string[]) => string): Place {
  return (shape, bytes) => {
    const text = shape.text((bytes - FRAME) / 3);
    const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
      JSON.stringify(text.slice(index * PIECE, (index + 1) * PIECE)),
    );
    return { text: `[${frame(pieces)}]` };
  };
}

const html = { 'content-type': 'text/html' };
const row = (fields: string): string => `[{"id":"${ID}",${fields}}]`;
const grant = (fields: string): string =>
  `{"token":"${TOKEN}","backend_anon_key":"anon","backend_url":"https://a.test",${fields}}`;

const EVERYWHERE: Readonly<Record<string, Place>> = {
  'as the body of a success': (shape, bytes) => ({ text: shape.text(bytes) }),
  'as the body of an error': (shape, bytes) => ({ status: 500, text: shape.text(bytes) }),
};

/** Responses measured with only two calls, because all calls share this code. */
const SHARED: Readonly<Record<string, Place>> = {
  'as a web page': (shape, bytes) => ({ status: 502, headers: html, text: shape.text(bytes) }),
  'as a JSON string': inJson((json) => json),
  'as the message of an error': inJson((json) => `{"message":${json}}`, 400),
  'as the code of an error': inJson((json) => `{"message":"no","code":${json}}`, 400),
  'as the hint of an error': inJson((json) => `{"message":"no","hint":${json}}`, 400),
  'as the target of a redirect': (shape, bytes) => ({ status: 302, headers: { location: shape.text(bytes) } }),
  'as Retry-After': (shape, bytes) => ({ status: 429, headers: { 'retry-after': shape.text(bytes) } }),
  'as a connection error': (shape, bytes) => ({
    kind: 'unanswered',
    connected: false,
    code: 'EPROTO',
    message: shape.text(bytes),
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
    'as many rows': (_shape, bytes) => ({ text: `[${`{"pipeline_id":"${ID}"},`.repeat((bytes - FRAME) / 55)}{}]` }),
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
];
