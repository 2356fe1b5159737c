import { SANDBOX_KEY } from '../../../../sandbox/model/index.ts';
import type { ProcessFacts } from '../../model/facts.ts';
import type { History } from '../history.ts';
import { isOpen } from '../stdout-read.ts';

/** No secret is seen anywhere, and no text from outside is taken for a command. */
export function secrets(history: History): string[] {
  const { facts } = history;
  const all = [SANDBOX_KEY, ...facts.world.tokens.map(({ value }) => value)];
  const seen = [...places(history)].flatMap(([where, text]) =>
    all.filter((secret) => text.includes(secret)).map((secret) => `${secret} is in ${where}`),
  );
  const processes = [facts.main, ...(facts.post === undefined ? [] : [facts.post])];
  return [...seen, ...processes.flatMap(commands), ...unmasked(history), ...inUrls(history, all)];
}

function* places({ facts }: History): Iterable<readonly [string, string]> {
  for (const [path, text] of facts.files) yield [path, text];
  for (const { path, text } of facts.writes) yield [path, text];
  for (const process of [facts.main, facts.post]) {
    for (const { text } of process?.lines ?? []) yield ['a line', text];
    for (const { title, message } of process?.annotations ?? [])
      yield ['an annotation', `${title} ${message}`];
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
    return isKnown || !isOpen(facts, request.on)
      ? []
      : [`${request.call} left with a secret that was not masked`];
  });
}

function inUrls({ observedRequests }: History, all: readonly string[]): string[] {
  return observedRequests
    .filter(({ request }) => all.some((secret) => request.url.includes(secret)))
    .map(({ request }) => `a secret is in the address ${request.url}`);
}
