// No secret is readable anywhere, and the runner never interprets external text as a command.
import type { Facts, ProcessFacts } from '../../model/facts.ts';
import { KEY } from '../../model/world.ts';
import { isOpen, isWithoutEcho } from '../exemptions.ts';
import { SecretSearch } from '../spelled-secrets.ts';

export function secrets(facts: Facts): string[] {
  const all = [KEY, ...facts.world.tokens.map(({ value }) => value)];
  const seen = [...places(facts)].flatMap(([where, text]) =>
    all.filter((secret) => text.includes(secret)).map((secret) => `${secret} is in ${where}`),
  );
  const processes = [facts.main, ...(facts.post === undefined ? [] : [facts.post])];
  return [...seen, ...spelledOut(facts, all), ...processes.flatMap(commands), ...unmasked(facts)];
}

/** Secrets in any spelling, and parts of them. */
function spelledOut(facts: Facts, all: readonly string[]): string[] {
  if (isWithoutEcho(facts)) return [];
  const search = new SecretSearch(all);
  const texts = [...places(facts)];
  if (search.find(texts.map(([, text]) => text).join('\0\n')) === undefined) return [];
  return texts.flatMap(([where, text]) => {
    const part = search.find(text);
    return part === undefined ? [] : [`${part}, a part of a secret, is in ${where}`];
  });
}

function* places(facts: Facts): Iterable<readonly [string, string]> {
  for (const [path, text] of facts.files) yield [path, text];
  for (const { path, text } of facts.writes) yield [path, text];
  for (const { url } of facts.requests) yield ['an address', url];
  for (const process of [facts.main, facts.post]) {
    for (const text of process?.lines ?? []) yield ['a line', text];
    for (const { title, message } of process?.annotations ?? []) yield ['an annotation', `${title} ${message}`];
  }
}

/** A runner interprets `::` after white space at the start of a line as a command, and `##[` anywhere. */
function commands({ lines, annotations }: ProcessFacts): string[] {
  const obeyed = lines
    .flatMap((text) => text.split(/\r\n|[\n\r\u2028\u2029]/u))
    .filter((line) => /^\s*::/u.test(line) || line.includes('##[') || line.includes('\u001b'));
  const forged = annotations.filter(({ title }) => title.includes('forged'));
  return [
    ...obeyed.map((line) => `a line is a command: ${line}`),
    ...forged.map(({ title }) => `an annotation is forged: ${title}`),
  ];
}

/** Main masks every secret before sending the first request that contains it. */
function unmasked(facts: Facts): string[] {
  return facts.requests.flatMap((request) => {
    const secret = (request.headers['authorization'] ?? '').replace(/^Bearer /, '');
    const masked = facts[request.on]?.masked ?? [];
    const isKnown = masked.some((one) => one.secret === secret && one.step <= request.step);
    return isKnown || !isOpen(facts, request.on) ? [] : [`${request.call} was sent with an unmasked secret`];
  });
}
