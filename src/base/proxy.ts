/** Environment variables by name. */
type Variables = Readonly<Record<string, string | undefined>>;

export type ProxyCheck =
  /** `url` is undefined if no proxy is set. `isPlain`: the value has a scheme and no blanks, so any client reads it so. */
  | { readonly ok: true; readonly url: URL | undefined; readonly isPlain: boolean }
  /** `why` follows the name of the variable. Neither contains any part of the value, which may hold a password. */
  | { readonly ok: false; readonly variable: string; readonly why: string };

/** Reads the proxy for a protocol. A value without a scheme is read as `http://`. */
export function checkProxy(env: Variables, protocol: 'http:' | 'https:'): ProxyCheck {
  let isPlain = true;
  for (const [variable, given = ''] of protocol === 'https:' ? forHttps(env) : forHttp(env)) {
    const value = given.trim();
    const address = value.includes('://') ? value : `http://${value}`;
    isPlain &&= given === '' || given === address;
    if (value === '') continue;
    const why = mistakeIn(address);
    return why === undefined ? { ok: true, url: new URL(address), isPlain } : { ok: false, variable, why };
  }
  return { ok: true, url: undefined, isPlain };
}

/** The variables in the order of @actions/http-client: the first that is set counts. */
function forHttps(env: Variables): [string, string | undefined][] {
  return [
    ['https_proxy', env['https_proxy']],
    ['HTTPS_PROXY', env['HTTPS_PROXY']],
  ];
}

function forHttp(env: Variables): [string, string | undefined][] {
  return [
    ['http_proxy', env['http_proxy']],
    ['HTTP_PROXY', env['HTTP_PROXY']],
  ];
}

function mistakeIn(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return 'does not begin with http:// or https://';
  if (!URL.canParse(address)) return 'is not a valid address';
  const { username, password, port, pathname, search, hash } = new URL(address);
  if (port === '0') return 'has the port 0';
  // A password with one of these characters would otherwise be taken for a host, a port and a path.
  if (pathname !== '/' || search !== '' || hash !== '' || /[?#]$/.test(address)) {
    return 'contains a path, a query or a fragment';
  }
  return isEncoded(username) && isEncoded(password)
    ? undefined
    : 'contains a % that is not part of a percent-encoded character';
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
