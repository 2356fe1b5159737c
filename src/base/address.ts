/** What became of an address that somebody gave us: usable, or why not in words that follow its name. */
export type AddressCheck = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly why: string };

/** In characters. Some servers and proxies accept no longer URL. */
const LONGEST = 2_000;

/** The condition in front lets a search begin only at the first of several slashes, not at each. */
const TRAILING_SLASHES = /(?<!\/)\/+$/;

/**
 * Checks the address of a service host: `https:`, or `http:` where `allowHttp` says so for that URL; no
 * credentials, query or fragment. A path prefix is fine; a trailing slash is dropped.
 */
export function checkAddress(text: string, allowHttp: (url: URL) => boolean = isLoopback): AddressCheck {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return { ok: false, why: `is longer than ${LONGEST} characters` };
  if (!URL.canParse(trimmed)) return { ok: false, why: 'is not a URL' };
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') return { ok: false, why: 'contains credentials' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { ok: false, why: 'does not begin with https://' };
  }
  if (url.search !== '' || trimmed.includes('?')) return { ok: false, why: 'contains a query' };
  if (url.hash !== '' || trimmed.includes('#')) return { ok: false, why: 'contains a fragment' };
  if (url.protocol === 'http:' && !allowHttp(url)) {
    return { ok: false, why: 'is not https, and its host is not this machine' };
  }
  if (url.hostname.startsWith('127.') && !isLoopback(url)) {
    // The toolkit's HTTP client takes it for this machine, and would not use the proxy.
    return { ok: false, why: 'has a host name that looks like an address of this machine' };
  }
  url.pathname = url.pathname.replace(TRAILING_SLASHES, '');
  return { ok: true, url };
}

/** Whether a URL's host is this very machine: `localhost`, 127.0.0.0/8 or `::1`. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname;
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** A host as Node looks it up: the brackets of an IPv6 address belong to the URL. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/[[\]]/g, '');
}

/** Joins a host's address, with its path prefix if it has one, and an absolute path with an optional query. */
export function under(base: URL, pathAndQuery: string): URL {
  return new URL(base.href.replace(TRAILING_SLASHES, '') + pathAndQuery);
}
