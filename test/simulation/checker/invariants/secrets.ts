import type { ProcessFacts } from '../../model/facts.ts';
import { KEY } from '../../model/world.ts';
import type { History } from '../history.ts';
import { SecretSearch } from '../spelled-secrets.ts';
import { isOpen } from '../stdout-read.ts';

/** No secret is seen anywhere, and no text from outside is taken for a command. */
export function secrets(history: History): string[] {
  const { facts } = history;
  const all = [KEY, ...facts.world.tokens.map(({ value }) => value)];
  const seen = [...places(history)].flatMap(([where, text]) =>
    all.filter((secret) => text.includes(secret)).map((secret) => `${secret} is in ${where}`),
  );
  const processes = [facts.main, ...(facts.post === undefined ? [] : [facts.post])];
  return [
    ...seen,
    ...spelledOut(history, all),
    ...processes.flatMap(commands),
    ...unmasked(history),
    ...inUrls(history, all),
  ];
}

/** Secrets in any spelling, and parts of them. Only a service that repeats what it was sent can be their source. */
function spelledOut(history: History, all: readonly string[]): string[] {
  const { spec, requests } = history.facts;
  if (spec.echo === null && !requests.some(({ what = '' }) => /^s\d/.test(what))) return [];
  const search = new SecretSearch(all);
  const texts = [...places(history)];
  if (search.find(texts.map(([, text]) => text).join('\0\n')) === undefined) return [];
  return texts.flatMap(([where, text]) => {
    const part = search.find(text);
    return part === undefined ? [] : [`${part}, a part of a secret, is in ${where}`];
  });
}

function* places({ facts }: History): Iterable<readonly [string, string]> {
  for (const [path, text] of facts.files) yield [path, text];
  for (const { path, text } of facts.writes) yield [path, text];
  for (const process of [facts.main, facts.post]) {
    for (const { text } of process?.lines ?? []) yield ['a line', text];
    for (const { title, message } of process?.annotations ?? []) yield ['an annotation', `${title} ${message}`];
  }
}

/** A runner takes `::` after any white space at the start of a line for a command, and `##[` anywhere. */
function commands({ lines, annotations }: ProcessFacts): string[] {
  const obeyed = lines
    .flatMap(({ text }) => text.split(/\r\n|[\n\r\u2028\u2029]/u))
    .filter((line) => /^\s*::/u.test(line) || line.includes('##[') || hasEscape(line));
  const forged = annotations.filter(({ title }) => title.includes('forged'));
  return [
    ...obeyed.map((line) => `a line is a command: ${line}`),
    ...forged.map(({ title }) => `an annotation was forged: ${title}`),
  ];
}

function hasEscape(line: string): boolean {
  return line.includes('\u001b');
}

/** Every secret is masked before the first request with it leaves. */
function unmasked({ observedRequests, facts }: History): string[] {
  return observedRequests.flatMap(({ request }) => {
    const secret = (request.headers['authorization'] ?? '').replace(/^Bearer /, '');
    const masked = facts[request.on]?.masked ?? [];
    const isKnown = masked.some((one) => one.secret === secret && one.step <= request.step);
    return isKnown || !isOpen(facts, request.on) ? [] : [`${request.call} left with a secret that was not masked`];
  });
}

function inUrls({ observedRequests }: History, all: readonly string[]): string[] {
  return observedRequests
    .filter(({ request }) => all.some((secret) => request.url.includes(secret)))
    .map(({ request }) => `a secret is in the address ${request.url}`);
}
