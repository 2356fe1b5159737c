/* No secret leaks, and no external text acts as anything but text. */
import type { Instant, ProcessHistory } from '../history.ts';
import { CORE_OF_KEY } from '../runner.ts';
import { bearerOf, type StepFacts } from './facts.ts';

/** Control characters, bidirectional marks and everything else that can rewrite a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to look for
const ACTING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const MOST_ANNOTATIONS = 10;

export function safety({ history, main, post }: StepFacts): string[] {
  // What no encoding of text changes.
  const cores = [CORE_OF_KEY, ...history.service.tokens.map(({ value }) => value.slice('at_'.length))];
  return [main, post].flatMap((process) => {
    if (process === undefined) return [];
    return [...leaks(process, history.files, cores), ...unmasked(process, history.key), ...acting(process)];
  });
}

function leaks(process: ProcessHistory, files: ReadonlyMap<string, string>, cores: readonly string[]): string[] {
  const texts = [
    ...process.lines.map(({ text }) => text),
    ...process.annotations.map(({ message, title }) => `${title} ${message}`),
    ...process.outputs.map(({ value }) => value),
    ...process.requests.map(({ url }) => url),
    ...files.values(),
    ...files.keys(),
  ].join('\n');
  const leaked = cores.find((each) => texts.includes(each));
  return leaked === undefined ? [] : [`a secret is readable: ${leaked}`];
}

/** The runner masks a secret in the log once it receives the mask command, which must precede the first use. */
function unmasked({ masked, requests, role }: ProcessHistory, key: string): string[] {
  const isMasked = (secret: string, { order }: Instant): boolean =>
    masked.some((each) => each.secret === secret && each.order < order);
  return requests
    .map((request) => ({ ...request, secret: bearerOf(request) }))
    .filter(({ secret, sent }) => secret !== '' && !isMasked(secret, sent))
    .slice(0, 1)
    .map(({ secret, call }) => `${role} sent a ${call} with an unmasked ${secret === key ? 'key' : 'token'}`);
}

function acting({ annotations, lines, outputs, role }: ProcessHistory): string[] {
  const messages = annotations.map(({ message }) => message);
  const all = [...lines.map(({ text }) => text), ...messages];
  const values = outputs.filter(({ name }) => name !== 'results' && name !== 'job-id').map(({ value }) => value);
  const counts = ['error', 'warning', 'notice'].map(
    (level) => annotations.filter((each) => each.level === level).length,
  );
  return [
    ...lines.filter(({ text }) => /^\s*::/u.test(text)).map(({ text }) => `a line of ${role} is a command: ${text}`),
    ...all.filter((text) => text.includes('##[')).map((text) => `a line of ${role} is a command: ${text}`),
    ...[...all, ...values]
      .filter((text) => ACTING.test(text))
      .map((text) => `${role} shows a control character: ${JSON.stringify(text)}`),
    ...[...lines.map(({ text }) => text), ...values]
      .filter((text) => /[\n\u2028]/.test(text))
      .map((text) => `${role} shows several lines as one: ${JSON.stringify(text)}`),
    ...(Math.max(...counts) > MOST_ANNOTATIONS ? [`${role} has ${Math.max(...counts)} annotations of a level`] : []),
  ];
}

/** The summary is Markdown. */
export function summary({ step }: StepFacts): string[] {
  const text = step.summaries.join('\n');
  return [
    ...(/<b>CANARY/.test(text) ? ['the summary contains HTML from outside'] : []),
    ...(Buffer.byteLength(text) > 2 ** 20 ? ['the summary is too long'] : []),
  ];
}
