type ProxyCheck =
  /** `url` is undefined without a proxy. `isPlain` means that a set value has a scheme and no outer blanks. */
  | { readonly ok: true; readonly url: URL | undefined; readonly isPlain: boolean }
  /** `why` completes a sentence about the variable. Neither string contains the value, which may hold a password. */
  | { readonly ok: false; readonly variable: string; readonly why: string };

/** Reads the proxy for a protocol. If a value has no scheme, `http://` applies. */
export function checkProxy(env: NodeJS.ProcessEnv, protocol: 'http:' | 'https:'): ProxyCheck {
  // The first variable that is set wins, in the same order as in @actions/http-client.
  const variables =
    protocol === 'https:'
      ? { https_proxy: env['https_proxy'], HTTPS_PROXY: env['HTTPS_PROXY'] }
      : { http_proxy: env['http_proxy'], HTTP_PROXY: env['HTTP_PROXY'] };
  let isPlain = true;
  for (const [variable, given = ''] of Object.entries(variables)) {
    const value = given.trim();
    const address = value.includes('://') ? value : `http://${value}`;
    isPlain &&= given === '' || given === address;
    if (value === '') continue;
    const why = mistakeIn(address);
    return why === undefined ? { ok: true, url: new URL(address), isPlain } : { ok: false, variable, why };
  }
  return { ok: true, url: undefined, isPlain };
}

function mistakeIn(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return 'does not begin with http:// or https://';
  if (!URL.canParse(address)) return 'is not a valid address';
  const { username, password, port, pathname, search, hash } = new URL(address);
  if (port === '0') return 'uses port 0';
  // The parser mistakes part of a password that contains /, ? or # for a path, a query or a fragment.
  if (pathname !== '/' || search !== '' || hash !== '' || /[?#]$/.test(address)) {
    return 'contains a path, a query or a fragment';
  }
  try {
    decodeURIComponent(`${username}:${password}`);
    return undefined;
  } catch {
    return 'contains a % that is not part of a percent-encoded character';
  }
}
