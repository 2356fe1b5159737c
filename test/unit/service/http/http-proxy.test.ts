import { networkInterfaces } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { selfSigned } from '../../../../sandbox/server/certificate.ts';
import { closed, httpHost, httpsHost, proxyTo, rawHost } from '../../../support/hosts.ts';
import { send, trust } from '../../../support/sending.ts';

const identity = selfSigned();
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

describe('behind a proxy', () => {
  // Proxies are not asked about hosts of this machine: these names lead nowhere but through the proxy.
  const HTTP = 'http://service.example.test/path';
  const HTTPS = 'https://service.example.test/path';

  function through(port: number, credentials = ''): void {
    for (const name of ['http_proxy', 'https_proxy']) vi.stubEnv(name, `http://${credentials}127.0.0.1:${port}`);
    for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, '');
  }

  it('a request for http goes through a tunnel', async () => {
    const { port } = await httpHost((request, response) => response.end(`${request.headers.host}${request.url}`));
    const proxy = await proxyTo(port);
    through(proxy.port);
    const { events, text } = await send(HTTP).over;
    expect(events).toEqual(['connected', 'head 200', 'chunk', 'complete']);
    expect(text).toBe('service.example.test/path');
    expect(proxy.connects).toEqual(['service.example.test:80']);
    await Promise.all(proxy.sockets.map(closed));
  });

  it('is not connected before the handshake with the host itself is finished', async () => {
    const silent = await rawHost((socket) => socket.resume());
    const proxy = await proxyTo(silent.port);
    through(proxy.port);
    const sending = send(HTTPS);
    await vi.waitUntil(() => silent.sockets.length === 1 && silent.sockets[0]?.bytesRead);
    expect(sending.report().events).toEqual([]);
    expect(proxy.connects).toEqual(['service.example.test:443']);
    sending.hangUp();
    await Promise.all([...proxy.sockets, ...silent.sockets].map(closed));
  });

  it("a host's certificate is looked at", async () => {
    trust(identity.cert);
    const { port } = await httpsHost(identity, (_request, response) => response.end());
    const proxy = await proxyTo(port);
    through(proxy.port);
    const { events, error } = await send(HTTPS).over;
    expect(events).toEqual(['failed']);
    expect(error?.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('a CONNECT that is never answered ends with the request', async () => {
    const proxy = await proxyTo(0, (socket) => socket.resume().once('end', () => socket.end()));
    through(proxy.port);
    const sending = send(HTTPS);
    await vi.waitUntil(() => proxy.connects.length === 1);
    sending.hangUp();
    await closed(proxy.sockets[0]);
    expect(sending.report().events).toEqual([]);
  });

  it('a tunnel ends with the request that it is for', async () => {
    const { port, sockets } = await rawHost((socket) => socket.resume());
    const proxy = await proxyTo(port);
    through(proxy.port);
    const sending = send(HTTP, {}, 'connected');
    await sending.saw('connected');
    await Promise.all([...proxy.sockets, ...sockets].map(closed));
    expect(sending.report().events).toEqual(['connected']);
  });

  it.each([
    ['407', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'statusCode=407'],
    ['403 with a body', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno', 'statusCode=403'],
    ['nothing', '', 'cause='],
  ])('is not connected when it answers with %s', async (_what, bytes, words) => {
    const proxy = await proxyTo(0, (socket) => socket.end(bytes));
    through(proxy.port);
    const { events, error } = await send(HTTPS).over;
    expect(events).toEqual(['failed']);
    expect(error?.message).toContain(words);
  });

  it('is asked with the credentials of its address', async () => {
    const { port } = await httpHost((_request, response) => response.end());
    const proxy = await proxyTo(port);
    through(proxy.port, 'user:pass%40word@');
    await send(HTTP).over;
    expect(proxy.connects).toEqual([
      `service.example.test:80 Basic ${Buffer.from('user:pass@word').toString('base64')}`,
    ]);
  });

  it('whose address cannot be used is not bypassed', async () => {
    vi.stubEnv('http_proxy', 'http://user:secret@127.0.0.1:99999');
    const sending = send(HTTP);
    expect(sending.report().events).toEqual([]);
    const { events, error } = await sending.over;
    expect(events).toEqual(['failed']);
    expect(error).toEqual({ message: 'the environment variable http_proxy is not a valid address' });
  });

  it('is not looked at for a request to this machine', async () => {
    vi.stubEnv('http_proxy', 'http://127.0.0.1:99999');
    const { port } = await httpHost((_request, response) => response.end());
    expect((await send(`http://127.0.0.1:${port}/`).over).events).toContain('complete');
  });

  it.each([
    ['user:word@127.0.0.1', 'Basic dXNlcjp3b3Jk'],
    ['127.0.0.1', ''],
    ['localhost', ''],
  ])('whose address has no scheme is used: %s', async (address, authorization) => {
    const { port } = await httpHost((_request, response) => response.end());
    const proxy = await proxyTo(port);
    through(proxy.port);
    vi.stubEnv('http_proxy', `${address}:${proxy.port}`);
    expect((await send(HTTP).over).events).toEqual(['connected', 'head 200', 'complete']);
    expect(proxy.connects).toEqual([`service.example.test:80 ${authorization}`.trim()]);
  });

  it('is not set by a variable that holds blanks only', async () => {
    const { port } = await httpHost((_request, response) => response.end());
    const proxy = await proxyTo(port);
    through(proxy.port);
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('http_proxy', ' ');
    expect((await send(HTTP).over).events).toContain('complete');
  });

  it.runIf(hasIpv6)('is found at an IPv6 address', async () => {
    const { port } = await httpHost((_request, response) => response.end());
    const proxy = await proxyTo(port, undefined, { address: '::1' });
    through(proxy.port);
    vi.stubEnv('http_proxy', `http://[::1]:${proxy.port}`);
    expect((await send(HTTP).over).events).toEqual(['connected', 'head 200', 'complete']);
  });

  it('connects to an IPv6 address', async () => {
    const { port } = await httpHost((request, response) => response.end(request.headers.host));
    const proxy = await proxyTo(port);
    through(proxy.port);
    expect(await send('http://[2001:db8::1]:8080/').over).toMatchObject({ text: '[2001:db8::1]:8080' });
    expect(proxy.connects).toEqual(['[2001:db8::1]:8080']);
  });

  it("has an IPv6 address looked for in its host's certificate", async () => {
    trust(identity.cert);
    const { port } = await httpsHost(identity, (_request, response) => response.end());
    const proxy = await proxyTo(port);
    through(proxy.port);
    const { events, error } = await send('https://[2001:db8::1]/').over;
    expect(proxy.connects).toEqual(['[2001:db8::1]:443']);
    expect(events).toEqual(['failed']);
    expect(error).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      message: expect.stringContaining('IP: 2001:db8::1 is not') as string,
    });
  });

  it('that speaks TLS is asked for a certificate of its own name', async () => {
    trust(identity.cert);
    const { port } = await httpHost((_request, response) => response.end('hello'));
    const proxy = await proxyTo(port, undefined, { identity });
    through(proxy.port);
    vi.stubEnv('http_proxy', `https://localhost:${proxy.port}`);
    expect(await send(HTTP).over).toMatchObject({ text: 'hello' });
    expect(proxy.connects).toEqual(['service.example.test:80']);
  });

  it('whose connection is cut after the handshake may have passed the request on', async () => {
    let arrived = false;
    const { port } = await httpHost(() => {
      arrived = true;
    });
    const proxy = await proxyTo(port);
    through(proxy.port);
    const sending = send(HTTP);
    await vi.waitUntil(() => arrived);
    for (const socket of proxy.sockets) socket.resetAndDestroy();
    expect((await sending.over).events).toEqual(['connected', 'failed']);
  });
});
