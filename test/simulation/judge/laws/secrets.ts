import { SANDBOX_KEY } from '../../../../sandbox/model/index.ts';
import type { ProcessFacts } from '../../life/facts.ts';
import { isHeard } from '../stdout-heard.ts';
import type { Story } from '../story.ts';

/** No secret is seen anywhere, and no text from outside is taken for a command. */
export function secrets(story: Story): string[] {
  const { facts } = story;
  const all = [SANDBOX_KEY, ...facts.world.tokens.map(({ value }) => value)];
  const seen = [...places(story)].flatMap(([where, text]) =>
    all.filter((secret) => text.includes(secret)).map((secret) => `${secret} is in ${where}`),
  );
  const processes = [facts.main, ...(facts.post === undefined ? [] : [facts.post])];
  return [...seen, ...processes.flatMap(commands), ...unmasked(story), ...inUrls(story, all)];
}

function* places({ facts }: Story): Iterable<readonly [string, string]> {
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
function unmasked({ told, facts }: Story): string[] {
  return told.flatMap(({ request }) => {
    const secret = (request.headers['authorization'] ?? '').replace(/^Bearer /, '');
    const masked = facts[request.on]?.masked ?? [];
    const isKnown = masked.some((one) => one.secret === secret && one.step <= request.step);
    return isKnown || !isHeard(facts, request.on)
      ? []
      : [`${request.call} left with a secret that was not masked`];
  });
}

function inUrls({ told }: Story, all: readonly string[]): string[] {
  return told
    .filter(({ request }) => all.some((secret) => request.url.includes(secret)))
    .map(({ request }) => `a secret is in the address ${request.url}`);
}
