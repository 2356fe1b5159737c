import { quoted } from '../base/safe-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { Reply } from './reply.ts';
import type { Headers } from './transport.ts';

const LONGEST_MESSAGE = 300;
const LONGEST_EXCERPT = 160;

/** What a body has to say, as the rest of a sentence that began with `HTTP 503`; empty for an empty body. */
export function bodyWords({ json, text, headers }: Pick<Reply, 'json' | 'text' | 'headers'>): string {
  if (json === undefined && text.trim() === '') return '';
  const told = json === undefined ? undefined : jsonWords(json);
  if (told !== undefined) return told;
  if (isHtml(text, headers)) {
    // Without `<` in the class, each `<title` would be followed to the end of the page.
    const title = /<title[^<>]*>([^<]*)/i.exec(text)?.[1];
    return title === undefined || title.trim() === ''
      ? 'with a web page'
      : `with a web page titled ${quoted(title, LONGEST_EXCERPT)}`;
  }
  return quoted(json === undefined ? text : JSON.stringify(json), LONGEST_EXCERPT);
}

function jsonWords(value: JsonValue): string | undefined {
  if (typeof value === 'string') return quoted(value, LONGEST_MESSAGE);
  if (!isJsonObject(value)) return undefined;
  const message = messageOf(value);
  return message === undefined ? undefined : `${quoted(message, LONGEST_MESSAGE)}${detailWords(value)}`;
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
function detailWords(error: JsonObject): string {
  const { code, hint } = error;
  const parts = [
    typeof code === 'string' || typeof code === 'number'
      ? `code ${quoted(String(code), 40).slice(1, -1)}`
      : '',
    typeof hint === 'string' && hint.trim() !== '' ? `hint: ${quoted(hint, LONGEST_MESSAGE)}` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
