import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../base/address.ts';

/* The proxy settings of the environment, read as @actions/http-client reads them, with more forms of `no_proxy`. */

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxyServer {
  readonly url: URL;
  /** The value of the header `proxy-authorization`. */
  readonly authorization?: string;
}

/**
 * Returns the proxy for an address, or undefined if the connection is direct, as it is for http, which the action uses
 * only on loopback. Throws if the setting is unusable.
 */
export function proxyFor(url: URL, env: Environment): ProxyServer | undefined {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((each) => (env[each] ?? '').trim() !== '');
  if (name === undefined || url.protocol !== 'https:' || isLoopback(url) || isExempt(url, env)) return undefined;
  const proxy = parseProxy(env[name] ?? '');
  // The value may contain a password, so the message does not.
  if (proxy === undefined)
    throw new Error(`the environment variable ${name} is not an address such as http://host:8080`);
  if (proxy.username === '' && proxy.password === '') return { url: proxy };
  return { url: proxy, authorization: `Basic ${base64(credentialsOf(proxy).join(':'))}` };
}

function parseProxy(value: string): URL | undefined {
  const text = value.trim();
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  // A parser mistakes a password with an unescaped slash for a path.
  const isPlain = url.pathname === '/' && url.search === '' && url.hash === '' && url.port !== '0';
  return isPlain && /^https?:$/.test(url.protocol) ? url : undefined;
}

function credentialsOf({ username, password }: URL): readonly string[] {
  return [username, password].map(decoded);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone `%`.
    return text;
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Returns the passwords in the proxy variables, in each spelling in which a log of Node may show them. */
export function proxySecrets(env: Environment): readonly string[] {
  const values = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].map((name) => env[name] ?? '');
  const spellings = values.flatMap((value) => {
    const [, user = '', password = ''] = /^([^:@]*):(.*)@/.exec(value.trim().replace(/^[a-z\d+.-]*:\/\//i, '')) ?? [];
    const plain = decoded(password);
    const inUrl = parseProxy(value)?.password ?? password;
    return password === ''
      ? []
      : [password, plain, inUrl, encodeURIComponent(plain), base64(`${decoded(user)}:${plain}`)];
  });
  return [...new Set(spellings)].filter((spelling) => spelling !== '');
}

/** Returns the entries of `no_proxy` that have no effect because they have none of the accepted forms. */
export function unknownNoProxyEntries(env: Environment): readonly string[] {
  return entriesOf(env).filter((entry) => ruleOf(entry) === undefined);
}

function isExempt(url: URL, env: Environment): boolean {
  const host = withoutBrackets(url.hostname);
  return entriesOf(env).some((entry) => ruleOf(entry)?.(host, portOf(url)));
}

function entriesOf(env: Environment): readonly string[] {
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  return list.split(/[\s,]+/).filter((entry) => entry !== '');
}

type Rule = (host: string, port: string) => boolean;

/**
 * Reads an entry of `no_proxy`: `*`, a host (with its subdomains), `.suffix` or `*.suffix` (only subdomains), an IP
 * address, each with an optional port, or a range of IP addresses in CIDR notation.
 */
function ruleOf(entry: string): Rule | undefined {
  if (entry === '*') return () => true;
  const { range, length } = /^(?<range>.+)\/(?<length>\d{1,3})$/.exec(entry)?.groups ?? {};
  if (range !== undefined) return inRange(withoutBrackets(range), Number(length));
  const { name = '', port } = /^(?<name>.*?)(?::(?<port>\d{1,5}))?$/.exec(entry)?.groups ?? {};
  const isPort: Rule = (_host, actual) => port === undefined || port === actual;
  if (isIP(entry) === 6 || isIP(withoutBrackets(name)) === 6) {
    const address = isIP(entry) === 6 ? entry : withoutBrackets(name);
    const canonical = withoutBrackets(new URL(`http://[${address}]`).hostname);
    return (host, actual) => host === canonical && (address === entry || isPort(host, actual));
  }
  const { dot, suffix = '' } = /^(?<dot>\*?\.)?(?<suffix>[^.*/:@[\]]+(?:\.[^.*/:@[\]]+)*)$/.exec(name)?.groups ?? {};
  if (!URL.canParse(`http://${suffix}`)) return undefined;
  const { hostname } = new URL(`http://${suffix}`);
  return (host, actual) =>
    isPort(host, actual) && (host.endsWith(`.${hostname}`) || (dot === undefined && host === hostname));
}

function inRange(address: string, length: number): Rule | undefined {
  const version = isIP(address);
  if (version === 0 || length > (version === 4 ? 32 : 128)) return undefined;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(address, length, family);
  return (host) => isIP(host) === version && list.check(host, family);
}

/** Returns the port of an https address. */
export function portOf({ port }: URL): string {
  return port === '' ? '443' : port;
}

/** Returns an IPv6 address as Node's sockets expect it. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
