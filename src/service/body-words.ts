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
  const say = (words: string, longest: number): string => quoted(redact(oneLine(words, Infinity)), longest);
  const value = parseJson(text);
  const message = isJsonObject(value) ? messageOf(value) : typeof value === 'string' ? value : undefined;
  if (message !== undefined) return `${say(message, LONGEST_MESSAGE)}${detailWords(value, say)}`;
  if (isHtml(text, headers)) {
    const title = /<title[^>]*>([^<]*)/i.exec(text.slice(0, LOOKED_AT))?.[1]?.trim();
    return title === undefined || title === ''
      ? 'with a web page'
      : `with a web page titled ${say(title, LONGEST_EXCERPT)}`;
  }
  return say(text.slice(0, LOOKED_AT), LONGEST_EXCERPT);
}

/** Whether a body is a web page: what a proxy, a login or a wrong address answers with. */
export function isHtml(body: string, headers: Headers): boolean {
  const type = headers['content-type'];
  if (type !== undefined && /^\s*(?:text\/html|application\/xhtml)/i.test(type)) return true;
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
function detailWords(error: unknown, say: (words: string, longest: number) => string): string {
  if (!isJsonObject(error)) return '';
  const { code, hint } = error;
  const parts = [
    typeof code === 'string' || typeof code === 'number' ? `code ${say(String(code), 40).slice(1, -1)}` : '',
    typeof hint === 'string' && hint.trim() !== '' ? `hint: ${say(hint, LONGEST_MESSAGE)}` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
