import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../base/address.ts';

/* The proxy settings in the environment, in every form that @actions/http-client and curl accept. */

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for a URL, or undefined if the connection is direct. Connections to loopback addresses, the only
 * ones that use http, are always direct. If the proxy setting is invalid, throws an error with the code `PROXY_ADDRESS`.
 */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const name = variableFor(url, env);
  if (name === undefined) return undefined;
  const proxy = parseProxy(env[name] ?? '');
  // The value may contain a password, so the message does not quote it.
  if (proxy === undefined) {
    const error = new Error(`the ${name} environment variable is not a valid URL`);
    throw Object.assign(error, { code: 'PROXY_ADDRESS' });
  }
  return proxy;
}

/** Returns the name of the variable with the proxy for a URL, or undefined if the connection is direct. */
function variableFor(url: URL, env: Environment): string | undefined {
  if (isLoopback(url) || isExempt(url, env)) return undefined;
  return ['https_proxy', 'HTTPS_PROXY'].find((name) => (env[name] ?? '').trim() !== '');
}

function parseProxy(value: string): URL | undefined {
  const text = value.trim();
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.username = encodeURIComponent(decoded(url.username));
  url.password = encodeURIComponent(decoded(url.password));
  // If a password contains an unescaped slash, the parser may take part of the password for a path.
  const isPlain = `${url.pathname}${url.search}${url.hash}` === '/' && url.port !== '0';
  return isPlain && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Decodes each valid sequence, because a password may also contain a lone `%`. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/**
 * Returns the password of the proxy for a URL: as written, decoded, percent-encoded, and in base64 with the user name. A
 * user name without a password may be an ordinary word, so only its base64 is a secret.
 */
export function proxySecrets(url: URL, env: Environment): readonly string[] {
  const value = env[variableFor(url, env) ?? ''] ?? '';
  if (parseProxy(value) === undefined) return [];
  const [, user = '', password = ''] = /^\s*(?:[a-z][\w+.-]*:\/\/)?([^:]*):?(.*)@/i.exec(value) ?? [];
  if (user === '' && password === '') return [];
  const credentials = Buffer.from(`${decoded(user)}:${decoded(password)}`).toString('base64');
  const spellings = [password, decoded(password), encodeURIComponent(decoded(password))];
  return [...new Set([...spellings.filter((each) => each !== ''), credentials])];
}

/** Returns the `no_proxy` entries that have no effect because they have none of the accepted forms. */
export function unknownNoProxyEntries(env: Environment): readonly string[] {
  return [...new Set(entriesOf(env))].filter((entry) => ruleOf(entry) === undefined);
}

function isExempt(url: URL, env: Environment): boolean {
  const host = withoutBrackets(url.hostname);
  return entriesOf(env).some((entry) => ruleOf(entry)?.(host, portOf(url)));
}

function entriesOf(env: Environment): readonly string[] {
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  return list.split(/[\s,]/).filter((entry) => entry !== '');
}

type Rule = (host: string, port: string) => boolean;

/**
 * Reads a `no_proxy` entry: `*`, a host (with its subdomains), `.suffix` or `*.suffix` (only subdomains), an IP address
 * or a range in CIDR notation, each with an optional port.
 */
function ruleOf(entry: string): Rule | undefined {
  if (entry === '*') return () => true;
  const range = /^\[?(?<ip>[^[\]/]+?)\]?(?:\/(?<bits>\d{1,3}))?(?::(?<port>\d{1,5}))?$/.exec(entry)?.groups ?? {};
  const { ip = '', bits, port } = isIP(entry) === 0 ? range : { ip: entry };
  if (isIP(ip) !== 0) return rangeRule(ip, bits, port);
  const name = /^(?<dot>\*?\.)?(?<suffix>[^.*/:@[\]][^*/:@[\]]*)(?::(?<port>\d{1,5}))?$/.exec(entry)?.groups;
  if (name === undefined || !URL.canParse(`http://${name['suffix']}`)) return undefined;
  const hostname = new URL(`http://${name['suffix']}`).hostname.replace(/\.$/, '');
  // The parser accepts characters that no host name contains, such as the semicolon that separates lists on Windows. It
  // also completes an address such as `10.1`.
  if (!/^[\w.-]+$/.test(hostname) || isIP(hostname) !== 0) return undefined;
  return (host, actual) =>
    (name['port'] ?? actual) === actual &&
    (host.endsWith(`.${hostname}`) || (name['dot'] === undefined && host === hostname));
}

function rangeRule(ip: string, bits: string | undefined, port: string | undefined): Rule | undefined {
  const version = isIP(ip);
  const [family, longest] = version === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  const length = Number(bits ?? longest);
  if (length > longest) return undefined;
  const list = new BlockList();
  list.addSubnet(ip, length, family);
  return (host, actual) => (port ?? actual) === actual && isIP(host) === version && list.check(host, family);
}

/** Returns the port of an https URL. */
export function portOf({ port }: URL): string {
  return port === '' ? '443' : port;
}

/** Returns a host as Node's sockets expect it, with an IPv6 address in its plain form. */
export function withoutBrackets(host: string): string {
  return host.replace(/[[\]]/g, '');
}
