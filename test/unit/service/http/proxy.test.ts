// Tests requests through a proxy over real sockets.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { selfSigned } from '../../../../sandbox/server/certificate.ts';
import { closed, hasIpv6, httpHost, httpsHost, proxyTo } from '../../../support/hosts.ts';
import { send, trust } from '../../../support/sending.ts';

// Requests to loopback addresses bypass proxies, so the tests use names that lead to a host only through the proxy.
const HTTP = 'http://service.example.test/path';
const HTTPS = 'https://service.example.test/path';
const identity = selfSigned();

function useProxy(address: string): void {
  for (const name of ['http_proxy', 'https_proxy']) vi.stubEnv(name, address);
}

/** Starts a proxy in front of an HTTP host that responds with the host and path of each request. */
async function proxyToHttp(options: Parameters<typeof proxyTo>[2] = {}) {
  const { port } = await httpHost(({ headers, url }, response) => response.end(`${headers.host}${url}`));
  const proxy = await proxyTo(port, undefined, options);
  useProxy(`http://127.0.0.1:${proxy.port}`);
  return proxy;
}

/** Starts a proxy that passes each CONNECT to `answer`. */
async function proxyThat(answer: Parameters<typeof proxyTo>[1]) {
  const proxy = await proxyTo(0, answer);
  useProxy(`http://127.0.0.1:${proxy.port}`);
  return proxy;
}

beforeEach(() => {
  for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, '');
});

describe('a request through a proxy', () => {
  it('without TLS uses a tunnel that closes after the request', async () => {
    const proxy = await proxyToHttp();
    const { events, text } = await send(HTTP).over;
    expect(events).toEqual(['connected', 'head 200', 'chunk', 'complete']);
    expect(text).toBe('service.example.test/path');
    expect(proxy.connects).toEqual(['service.example.test:80']);
    await Promise.all(proxy.sockets.map(closed));
  });

  it('closes its tunnel if the caller hangs up', async () => {
    const proxy = await proxyToHttp();
    const sending = send(HTTP, {}, 'connected');
    await sending.saw('connected');
    await Promise.all(proxy.sockets.map(closed));
    expect(sending.report().events).toEqual(['connected']);
  });

  it('aborts a pending CONNECT if the caller hangs up', async () => {
    const proxy = await proxyThat((socket) => socket.resume().once('end', () => socket.end()));
    const sending = send(HTTPS);
    await vi.waitUntil(() => proxy.connects.length === 1);
    sending.hangUp();
    await closed(proxy.sockets[0]);
    expect(sending.report().events).toEqual([]);
  });

  it.each([
    ['a host name', HTTPS, 'service.example.test:443', 'service.example.test', ['service.example.test']],
    ['an IPv6 address', 'https://[2001:db8::1]/', '[2001:db8::1]:443', 'IP: 2001:db8::1 is not', []],
  ])('with TLS checks whether the host certificate is valid for %s', async (_what, url, authority, message, sni) => {
    const names: string[] = [];
    const SNICallback = (name: string, done: (error: null) => void): void => {
      names.push(name);
      done(null);
    };
    const options = { ...identity, SNICallback };
    trust(identity.cert);
    const proxy = await proxyTo((await httpsHost(options, (_request, response) => response.end())).port);
    useProxy(`http://127.0.0.1:${proxy.port}`);
    const { events, error } = await send(url).over;
    expect(proxy.connects).toEqual([authority]);
    expect(events).toEqual(['failed']);
    expect(error?.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(error?.message).toContain(message);
    expect(names).toEqual(sni);
  });

  it('can be sent to an IPv6 address', async () => {
    const proxy = await proxyToHttp();
    expect(await send('http://[2001:db8::1]:8080/').over).toMatchObject({ text: '[2001:db8::1]:8080/' });
    expect(proxy.connects).toEqual(['[2001:db8::1]:8080']);
  });

  it.each([
    ['responds with HTTP 407', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'statusCode=407'],
    ['closes the connection', '', 'cause='],
  ])('does not count as connected if the proxy %s', async (_what, bytes, message) => {
    await proxyThat((socket) => socket.end(bytes));
    const { events, error } = await send(HTTPS).over;
    expect(events).toEqual(['failed']);
    expect(error?.message).toContain(message);
  });
});

describe('a proxy address', () => {
  it.each([
    ['contain credentials', 'http://user:pass%40word@127.0.0.1', 'user:pass@word'],
    ['omit the scheme', '127.0.0.1', ''],
  ])('may %s', async (_how, address, credentials) => {
    const proxy = await proxyToHttp();
    useProxy(`${address}:${proxy.port}`);
    expect((await send(HTTP).over).events).toContain('complete');
    const authorization = credentials === '' ? '' : ` Basic ${Buffer.from(credentials).toString('base64')}`;
    expect(proxy.connects).toEqual([`service.example.test:80${authorization}`]);
  });

  it.runIf(hasIpv6)('may be an IPv6 address', async () => {
    const proxy = await proxyToHttp({ address: '::1' });
    useProxy(`http://[::1]:${proxy.port}`);
    expect((await send(HTTP).over).events).toContain('complete');
  });

  it('may use https if the certificate is valid for the host name of the proxy', async () => {
    trust(identity.cert);
    const proxy = await proxyToHttp({ identity });
    useProxy(`https://localhost:${proxy.port}`);
    expect(await send(HTTP).over).toMatchObject({ text: 'service.example.test/path' });
    expect(proxy.connects).toEqual(['service.example.test:80']);
  });

  it('makes each request fail if it is invalid, and does not appear in the error', async () => {
    useProxy('http://user:secret@127.0.0.1:99999');
    const sending = send(HTTP);
    expect(sending.report().events).toEqual([]);
    const { events, error } = await sending.over;
    expect(events).toEqual(['failed']);
    expect(error?.message).toContain('http_proxy');
    expect(error?.message).not.toMatch(/secret|99999/);
  });

  it('has no effect on a request to a loopback address', async () => {
    useProxy('http://127.0.0.1:99999');
    const { port } = await httpHost((_request, response) => response.end());
    expect((await send(`http://127.0.0.1:${port}/`).over).events).toContain('complete');
  });

  it('comes from the uppercase variable if the lowercase variable is blank', async () => {
    const proxy = await proxyToHttp();
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('http_proxy', ' ');
    expect((await send(HTTP).over).events).toContain('complete');
    expect(proxy.connects).toHaveLength(1);
    expect(process.env['HTTP_PROXY']).toBe(`http://127.0.0.1:${proxy.port}`);
  });

  it.each([
    ['http_proxy for http, which does not change', HTTP, 'http://127.0.0.1', 80, /\d$/],
    ['http_proxy for http, which gets a scheme if it has none', HTTP, '127.0.0.1', 80, /^http:.*\/$/],
    ['https_proxy for https, which does not change', HTTPS, 'http://127.0.0.1', 443, /\d$/],
    ['https_proxy for https, which gets a scheme if it has none', HTTPS, '127.0.0.1', 443, /^http:.*\/$/],
  ])('comes from the variable %s', async (what, url, address, port, value) => {
    const proxy = await proxyThat((socket) => socket.end());
    useProxy('http://127.0.0.1:99999');
    const [variable = ''] = what.split(' ');
    vi.stubEnv(variable, `${address}:${proxy.port}`);
    await send(url).over;
    expect(process.env[variable]).toMatch(value);
    expect(proxy.connects).toEqual([`service.example.test:${port}`]);
  });

  it('is not set if both variables are blank', async () => {
    useProxy('');
    vi.stubEnv('HTTP_PROXY', ' ');
    const { error } = await send('http://255.255.255.255:9/').over;
    expect(error?.message).toContain('255.255.255.255');
  });
});
