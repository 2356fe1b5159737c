import { oneLine, quoted } from '../base/safe-text.ts';
import { isJsonObject, type JsonObject, parseJson } from './json.ts';
import type { Headers } from './transport.ts';

/** How much of a body is looked at for words, in characters: what people should read comes first. */
const LOOKED_AT = 65_536;
const LONGEST_MESSAGE = 300;
const LONGEST_EXCERPT = 160;

/** What a body has to say, as the rest of a sentence that began with `HTTP 503`; empty for an empty body. */
export function bodyWords(body: string, headers: Headers, redact: (text: string) => string): string {
  const text = body.trim();
  if (text === '') return '';
  // Flattened before it is redacted, because an escape sequence inside a secret would hide it.
  const say: Say = (words, longest) => quoted(redact(oneLine(words, Infinity)), longest);
  const told = jsonWords(parseJson(text), say);
  if (told !== undefined) return told;
  if (isHtml(text, headers)) {
    const title = /<title[^>]*>([^<]*)/i.exec(text.slice(0, LOOKED_AT))?.[1];
    return title === undefined || title.trim() === ''
      ? 'with a web page'
      : `with a web page titled ${say(title, LONGEST_EXCERPT)}`;
  }
  return say(text.slice(0, LOOKED_AT), LONGEST_EXCERPT);
}

type Say = (words: string, longest: number) => string;

function jsonWords(value: unknown, say: Say): string | undefined {
  if (typeof value === 'string') return say(value, LONGEST_MESSAGE);
  if (!isJsonObject(value)) return undefined;
  const message = messageOf(value);
  return message === undefined ? undefined : `${say(message, LONGEST_MESSAGE)}${detailWords(value, say)}`;
}

/** Whether a body is a web page: what a proxy, a login or a wrong address answers with. */
export function isHtml(body: string, headers: Headers): boolean {
  const type = headers['content-type'];
  if (type !== undefined && /^(?:text\/html|application\/xhtml)/i.test(type)) return true;
  return /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(body);
}

/** The message of an error: PostgREST's `message`, and the members that gateways and log-ins use for it. */
function messageOf(error: JsonObject): string | undefined {
  const nested = error['error'];
  const candidates = [
    error['message'],
    error['msg'],
    error['error_description'],
    isJsonObject(nested) ? nested['message'] : nested,
  ];
  return candidates.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

/** `code` and `hint` of PostgREST's errors. */
function detailWords(error: JsonObject, say: Say): string {
  const { code, hint } = error;
  const parts = [
    typeof code === 'string' || typeof code === 'number' ? `code ${say(String(code), 40).slice(1, -1)}` : '',
    typeof hint === 'string' && hint.trim() !== '' ? `hint: ${say(hint, LONGEST_MESSAGE)}` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
