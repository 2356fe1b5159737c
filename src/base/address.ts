/** Maximum length of an address in characters. Some servers and proxies reject longer URLs. */
const LONGEST = 2_000;
/** The lookbehind makes the search start only at the first of several slashes, which keeps it linear. */
const TRAILING_SLASHES = /(?<!\/)\/+$/;

/** Checks the address of a service host and drops trailing slashes. `why` completes a sentence about the address. */
export function checkAddress(text: string, allowHttp: (url: URL) => boolean = isLoopback) {
  const trimmed = text.trim();
  const why = mistakeIn(trimmed, allowHttp);
  if (why !== undefined) return { ok: false, why } as const;
  const url = new URL(trimmed);
  url.pathname = url.pathname.replace(TRAILING_SLASHES, '');
  return { ok: true, url } as const;
}

function mistakeIn(text: string, allowHttp: (url: URL) => boolean): string | undefined {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'contains credentials';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'does not begin with https://';
  if (text.includes('?')) return 'contains a query';
  if (text.includes('#')) return 'contains a fragment';
  if (url.protocol === 'http:' && !allowHttp(url)) return 'uses http (allowed only for loopback addresses)';
  // The toolkit's HTTP client mistakes any host that begins with `127.` for this machine and bypasses the proxy.
  const isMistakable = url.hostname.startsWith('127.') && !isLoopback(url);
  return isMistakable ? 'has a host name that looks like a loopback address' : undefined;
}

/** Returns whether a URL's host is this machine: `localhost`, 127.0.0.0/8 or `::1`. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(hostname);
}

/** Returns the host for a lookup by Node, without the brackets that surround an IPv6 address in a URL. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/[[\]]/g, '');
}

/** Joins a host's address, with its path prefix if it has one, and an absolute path with an optional query. */
export function under(base: URL, pathAndQuery: string): URL {
  return new URL(base.href.replace(TRAILING_SLASHES, '') + pathAndQuery);
}
