import { copyOf, oneLine } from '../base/safe-text.ts';
import type { Problem } from './api.ts';
import { bodyWords, isHtml } from './body-words.ts';
import { connectionWords } from './connection-words.ts';
import type { Reply } from './reply.ts';
import type { Unanswered } from './transport.ts';

/** What a call's words are about. */
export interface Subject {
  /** Completes "could not …". */
  readonly attempted: string;
  readonly url: URL;
  /** Whether the host is the one that the user gave, and has to check; else the service named it. */
  readonly isGiven: boolean;
  /** What helps when the service says no; absent where its own words have to do. */
  readonly whenRejected?: string | undefined;
}

/** A problem together with whether another try can help. */
export type ConnectionProblem = Problem & { readonly hopeless: boolean };

/** Words for an attempt that got no answer. */
export function connectionProblem(subject: Subject, unanswered: Unanswered): ConnectionProblem {
  const { attempted, url, isGiven } = subject;
  const { came, remedy, hopeless = false } = connectionWords(unanswered, url.host, isGiven);
  return { attempted, came, remedy, hopeless };
}

/** Words for an answer: what it has to say follows its status. */
export function answerProblem(
  { attempted }: Subject,
  { status }: Reply,
  says: string,
  remedy?: string,
): Problem {
  return { attempted, came: copyOf(`HTTP ${status}${says}`), remedy };
}

/** Words for an answer that is no success. */
export function statusProblem(subject: Subject, answer: Reply): Problem {
  const words = bodyWords(answer);
  const target = isRedirect(answer) ? answer.headers['location'] : undefined;
  const where = target === undefined ? '' : `, a redirect to ${oneLine(target, 200)}`;
  const says = words === '' ? where : `${where} ${words}`;
  return answerProblem(subject, answer, says, statusRemedy(subject, answer));
}

/** Words for an answer that should have been a success, but makes no sense: `why` follows "HTTP 200, but ". */
export function nonsenseProblem(subject: Subject, answer: Reply, why: string, remedy?: string): Problem {
  const words = bodyWords(answer);
  if (isHtml(answer.text, answer.headers)) {
    return answerProblem(subject, answer, `, but ${words}`, remedy ?? inBetween(subject));
  }
  return answerProblem(subject, answer, `, but ${why}${words === '' ? '' : `: ${words}`}`, remedy);
}

/** Why a body could not be read, as `nonsenseProblem` takes it. */
export function notJson(text: string): string {
  return text.trim() === '' ? 'with an empty body' : 'with a body that is not JSON';
}

function inBetween({ url }: Subject): string {
  return `Something in between, such as a proxy with a log-in, answered in the place of the service: have it allow ${url.host}.`;
}

/** How a body was not received as a whole. */
export type BrokenBody = Exclude<Reply['body'], 'complete'>;

/** Words for a body that did not come as a whole. Its text is left out: half a row says nothing. */
export function incompleteProblem(subject: Subject, answer: Reply, how: BrokenBody): Problem {
  const why = {
    cut_off: 'the answer broke off',
    stalled: 'the rest of the answer did not come',
    too_large: 'the answer is larger than any should be',
  }[how];
  return answerProblem(subject, answer, `, but ${why}`);
}

/** Every 401 but the exchange's, which words its own: the call was repeated with a new token by then. */
const TOKEN_REFUSED =
  'The service refuses even a token that it has just given out. Check that the API key has not been revoked; if it ' +
  'has not, only those who run the service can help.';

function redirectRemedy({ isGiven }: Subject): string {
  return isGiven
    ? 'Redirects are not followed, because the API key must not go elsewhere: check base-url.'
    : 'Redirects are not followed, because the token must not go elsewhere: see whether a proxy in between asks for a log-in.';
}

function isRedirect(answer: Reply): boolean {
  return answer.status >= 300 && answer.status < 400;
}

function statusRemedy(subject: Subject, answer: Reply): string | undefined {
  const { status } = answer;
  if (status === 407)
    return 'A proxy in between asks for credentials: check https_proxy and no_proxy on the runner.';
  if (isRedirect(answer)) return redirectRemedy(subject);
  if (status === 403 && isHtml(answer.text, answer.headers)) {
    return `A proxy or a firewall in between may have blocked the request: have it allow ${subject.url.host}.`;
  }
  if (status === 401) return TOKEN_REFUSED;
  const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return isRejected ? subject.whenRejected : undefined;
}
